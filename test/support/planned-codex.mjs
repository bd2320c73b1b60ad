// Stands in for `codex app-server`: plays the plan of a test in one turn over the JSON-RPC wire that the real one speaks.
import { createInterface } from 'node:readline';
import { playPlan, ran, received, wasStarted } from './planned-agent.mjs';

const threadId = 'thread';
const turnId = `turn-${process.pid}`;
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const notify = (method, params) => say({ method, params: { threadId, turnId, ...params } });
const open = new Map();
const hadTurn = wasStarted();
const told = {
  id: 'before',
  status: 'interrupted',
  items: [{ type: 'userMessage', clientId: process.env.HOLDPOINT_RUN_ID }],
};
const thread = { id: threadId, turns: hadTurn ? [told] : [] };
const results = {
  'config/read': { config: {} },
  'thread/start': { thread, model: 'm', approvalPolicy: 'on-request' },
  'thread/resume': { thread, model: 'm', approvalPolicy: 'on-request' },
  'thread/read': { thread },
  'turn/start': { turn: { id: turnId, status: 'inProgress' } },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (result !== undefined) return open.get(id)?.(result);
    if (id === undefined) return;
    if (method === 'turn/start' || method === 'turn/steer') received(params.input[0].text);
    say({ id, result: results[method] ?? {} });
    if (method === 'turn/start') void turn();
  })
  .on('close', () => process.exit(0));

async function turn() {
  await playPlan(ask, ({ id }) => notify('serverRequest/resolved', { requestId: id }));
  say({ method: 'turn/completed', params: { threadId, turn: { id: turnId, status: 'completed' } } });
}

async function ask(call) {
  const { id, command, questions } = call;
  const item = { type: command ? 'commandExecution' : 'toolCall', id, command, status: 'inProgress' };
  notify('item/started', { item });
  if (command) {
    const reason = 'May I?';
    const params = { itemId: id, command, cwd: process.cwd(), reason, proposedExecpolicyAmendment: command.split(' ') };
    say({ id, method: 'item/commandExecution/requestApproval', params: { threadId, turnId, ...params } });
  } else {
    const params = { itemId: id, questions: questions.map(questionOf) };
    say({ id, method: 'item/tool/requestUserInput', params: { threadId, turnId, ...params } });
  }
  const answer = await new Promise((resolve) => open.set(id, resolve));
  const isAllowed = /^accept/.test(answer.decision ?? '');
  const result = !command ? JSON.stringify(answer) : isAllowed ? ran(command) : 'It was declined.';
  notify('serverRequest/resolved', { requestId: id });
  notify('item/completed', { item: { ...item, status: isAllowed ? 'completed' : 'declined' } });
  return result;
}

const questionOf = ({ question, options }, i) => ({
  id: `q${i + 1}`,
  header: `Question ${i + 1}`,
  question,
  options: options.map((label) => ({ label, description: label })),
});
