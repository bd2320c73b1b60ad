// The pause before a prompt that appears on its own: keys typed before it are discarded, leaving takes effect at once.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { waitForTypingPause } from '../../../src/cli/prompt/typing-guard.ts';

function waiting() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const ready = waitForTypingPause({ input, output, signal: stop.signal });
  return { input, output, stop, ready };
}

it('lets the prompt appear after a pause without a key', async () => {
  const { ready, output } = waiting();
  expect(await ready).toBe(true);
  expect(await text(output.end())).toBe('');
});

it('discards keys typed before the prompt, and says so once', async () => {
  const { input, output, ready } = waiting();
  input.write('y');
  input.write('\r');
  expect(await ready).toBe(true);
  expect(input.read()).toBeNull();
  expect((await text(output.end())).match(/are ignored/g)).toHaveLength(1);
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('shows no prompt after %s', async (_name, key) => {
  const { input, ready } = waiting();
  input.write(`y${key}`);
  expect(await ready).toBe(false);
});

it('shows no prompt after the end of the input', async () => {
  const { input, ready } = waiting();
  input.end();
  expect(await ready).toBe(false);
});

it('shows no prompt for an ask that is no longer open', async () => {
  const { stop, ready } = waiting();
  stop.abort();
  expect(await ready).toBe(false);
});
