// Stands in for `opencode serve`: plays the plan of a test in one turn over the HTTP wire that the real one speaks. A call with
// `child` is made by a sub-agent; one with `error` ends the turn with it, unless it also `recovers`. In the work folder, a file
// `abort` aborts the turn as another client would, and `cut` cuts the event streams off; each is removed when that is done.
// While there is a file `away`, nothing can be reached; what is tried is in `tried.txt`.
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { playPlan, ran, received, wasStarted } from './planned-agent.mjs';
import { serveOpencode } from './stand-in-opencode.mjs';

if (process.argv.includes('--version')) {
  process.stdout.write('1.18.33\n');
  process.exit(0);
}
const messageID = `msg_${process.pid}`;
const sessionID = 'ses_1';
const child = { id: 'ses_2', parentID: sessionID, agent: 'general', title: 'look for the bug (@general subagent)' };
const calls = new Map();
const hadTurn = wasStarted();
const told = {
  info: { id: 'msg_0', sessionID, role: 'user' },
  parts: [
    {
      id: 'prt_0',
      sessionID,
      messageID: 'msg_0',
      type: 'text',
      metadata: { holdpoint_run: process.env.HOLDPOINT_RUN_ID },
    },
  ],
};
const asking = new Map();

const server = serveOpencode({
  prompted,
  messages: (_, id) =>
    id ? { info: { id, sessionID, role: 'assistant' }, parts: [...calls.values()] } : hadTurn ? [told] : [],
});
if (hadTurn) server.addSession({ id: sessionID, title: 'Holdpoint' });

server.addSession(child);
setInterval(() => {
  if (isThere('cut')) server.cutStreams();
  if (isThere('abort')) server.abort(sessionID);
  if (existsSync('away')) server.cutStreams();
}, 10).unref();
server.failing.isAway = (tried) => {
  if (existsSync('away')) appendFileSync('tried.txt', `${tried}\n`);
  return existsSync('away');
};

function isThere(name) {
  const isFound = existsSync(name);
  rmSync(name, { force: true });
  return isFound;
}

async function prompted(_, text) {
  received(text);
  await playPlan(ask, ({ id }) => server.settle(asking.get(id), 'permission.replied', { reply: 'reject' }));
  server.setBusy(sessionID, false);
}

async function ask(call) {
  const { id, command, questions } = call;
  if (call.error)
    server.emit('session.error', { sessionID, error: { name: 'APIError', data: { message: call.error } } });
  if (call.recovers)
    server.emit('message.updated', { info: { id: `${messageID}_next`, sessionID, role: 'assistant' } });
  if (call.error) return call.error;
  const asker = call.child ? child.id : sessionID;
  const input = command ? { command, description: 'May I?' } : { questions: questions?.map(questionOf) };
  const tool = command ? 'bash' : 'question';
  const part = { id: `prt_${id}`, sessionID, messageID, type: 'tool', callID: id, tool };
  calls.set(id, { ...part, state: { status: 'running', input } });
  server.emit('message.part.updated', { part: calls.get(id) });
  const by = { sessionID: asker, tool: { messageID, callID: id } };
  const asked = command
    ? server.ask('permission', {
        permission: 'bash',
        patterns: [command],
        metadata: { command },
        always: ['echo *'],
        ...by,
      })
    : server.ask('question', { ...input, ...by });
  asking.set(id, asked.id);
  const answer = await asked;
  const result = !command
    ? JSON.stringify(answer)
    : answer?.reply === 'reject' || !answer
      ? `The user rejected this: ${answer?.message}`
      : `${ran(command)} (${answer.reply})`;
  const status = command && answer?.reply === 'reject' ? 'error' : 'completed';
  server.emit('message.part.updated', { part: { ...part, state: { status, input, output: result } } });
  return result;
}

const questionOf = ({ question, options }, i) => ({
  question,
  header: `Question ${i + 1}`,
  options: options.map((label) => ({ label, description: label })),
});
