// A stream is split into lines at line feeds only.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { linesOf, splitLines } from '../../src/node/lines.ts';

const message = JSON.stringify({ text: 'one\u2028two\u2029three\r' });
const chunks = [message.slice(0, 9), `${message.slice(9)}\n\n`, 'é\nlast'];

it('leaves a message whole that has other separators of lines in it', async () => {
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(chunks))) lines.push(line);
  expect(lines).toEqual([message, '', 'é', 'last']);
});

it('passes every line on, and says how long an unfinished one is', async () => {
  const lines: string[] = [];
  const lengths: number[] = [];
  const stream = Readable.from(chunks.map((text) => Buffer.from(text)));
  splitLines(
    stream,
    (line) => lines.push(line),
    (length) => lengths.push(length),
  );
  await new Promise((resolve) => stream.once('end', resolve));
  expect(lines).toEqual([message, '', 'é', 'last']);
  expect(lengths).toEqual([9, message.length, 1]);
});
