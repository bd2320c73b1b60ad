// Stands in for an agent's binary in `npm test`: plays the agent's side of a transcript that was recorded from a real
// run, and ends with exit code 3 and both sides on standard error when the other side says anything else than it did
// then. What differs from run to run by nature (the id we give to our own message) is not compared.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

const fill = (text) => text.replaceAll('{{folder}}', process.cwd()).replaceAll('{{home}}', process.env.HOME ?? '');
const file = process.argv.includes('--resume')
  ? process.env.TRANSCRIPT.replace(/\.jsonl$/, '.resumed.jsonl')
  : process.env.TRANSCRIPT;
const records = fill(readFileSync(file, 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const heard = [];
let wake = () => {};
let isOver = false;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    heard.push(JSON.parse(line));
    wake();
  })
  .on('close', () => {
    isOver = true;
    wake();
  });

for (const { from, message } of records) {
  if (from === 'agent') process.stdout.write(`${JSON.stringify(message)}\n`);
  else await expect(message);
}
while (!isOver) await more();
if (heard.length > 0) fail('nothing more', heard[0]);

/** The next message of the same kind; answers to parallel requests may come in any order. */
async function expect(message) {
  for (;;) {
    const place = heard.findIndex((said) => isDeepStrictEqual(nameOf(said), nameOf(message)));
    if (place >= 0) {
      const [said] = heard.splice(place, 1);
      if (!isDeepStrictEqual(comparable(said), comparable(message))) fail(message, said);
      return;
    }
    if (isOver) fail(message, 'nothing');
    await more();
  }
}

function more() {
  return new Promise((resolve) => {
    wake = resolve;
  });
}

/** What tells messages of one kind apart, in JSON-RPC and in the stream of Claude Code. */
function nameOf({ method, id, type, request_id, response }) {
  return [method, id, type, request_id ?? response?.request_id];
}

function comparable(message) {
  const { clientUserMessageId: _, ...params } = message.params ?? {};
  return { ...message, params };
}

function fail(wanted, said) {
  process.stderr.write(`said ${JSON.stringify(said)} instead of ${JSON.stringify(wanted)}\n`);
  process.exit(3);
}
