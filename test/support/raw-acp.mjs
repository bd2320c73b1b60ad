// Stands in for an ACP agent that breaks the protocol: after the first prompt it plays the steps of `plan.json` to the letter.
// A step has a `line`, or a `message` that is sent as JSON, `times` over; `until` waits for so many replies in all.
// SESSION in a text is the id of its session. What it receives is in `replies.txt`, one line each.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const SESSION = 'session-of-the-run';
const steps = JSON.parse(readFileSync('plan.json', 'utf8').replaceAll('SESSION', SESSION));
let replies = 0;
let onReply = () => {};
const print = (line) => new Promise((resolve) => process.stdout.write(`${line}\n`, resolve));
const send = (message) => print(JSON.stringify({ jsonrpc: '2.0', ...message }));

async function play(promptId) {
  for (const { line, message, times = 1, until = 0 } of steps.splice(0)) {
    for (let i = 0; i < times; i++) await (message ? send(message) : line === undefined ? undefined : print(line));
    while (replies < until) await new Promise((resolve) => (onReply = resolve));
  }
  await send({ id: promptId, result: { stopReason: 'end_turn' } });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, result, error } = JSON.parse(line);
  if (method === 'initialize') await send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === 'session/new') await send({ id, result: { sessionId: SESSION } });
  else if (method === 'session/prompt') void play(id);
  else if (!method && id != null) {
    appendFileSync('replies.txt', `${JSON.stringify({ id, result, error: error?.code })}\n`);
    replies += 1;
    onReply();
  }
}
