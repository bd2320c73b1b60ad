// Stands in for `codex app-server`, with one turn that asks for one command and then does what CODEX_FATE says: `dies` on
// any answer, or `completes`. What it was told is appended to the file CODEX_HEARD. CODEX_CWD: where it says it works.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const threadId = 'thread';
const turnId = `turn-${process.pid}`;
const runId = process.env.HOLDPOINT_RUN_ID;
const told = { id: 'before', status: 'interrupted', items: [{ type: 'userMessage', clientId: runId }] };
const request = {
  id: 0,
  method: 'item/commandExecution/requestApproval',
  params: {
    threadId,
    turnId,
    itemId: `call-${process.pid}`,
    command: 'touch a.txt',
    cwd: process.env.CODEX_CWD ?? process.cwd(),
    reason: 'May I?',
    proposedExecpolicyAmendment: ['touch', 'a.txt'],
  },
};
const results = {
  'config/read': { config: {} },
  'thread/start': { thread: { id: threadId }, model: 'm', approvalPolicy: 'on-request' },
  'thread/resume': { thread: { id: threadId, turns: [told] }, model: 'm', approvalPolicy: 'on-request' },
  'thread/read': { thread: { id: threadId } },
  'turn/start': { turn: { id: turnId, status: 'inProgress' } },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (result !== undefined) return answered(result);
    if (id === undefined) return;
    say({ id, result: results[method] ?? {} });
    if (method !== 'turn/start') return;
    heard('told', params.input[0].text);
    say(request);
  })
  .on('close', () => process.exit(0));

function answered({ decision }) {
  heard('answered', decision);
  if (process.env.CODEX_FATE === 'dies') process.exit(7);
  say({ method: 'serverRequest/resolved', params: { threadId, requestId: 0 } });
  say({ method: 'turn/completed', params: { threadId, turn: { id: turnId, status: 'completed' } } });
}

function heard(what, text) {
  appendFileSync(process.env.CODEX_HEARD, `${JSON.stringify([what, text])}\n`);
}
