// The tasks extension of MCP: an ask as a task that a client polls and cancels.
import { expect, it } from 'vitest';
import { type Fields, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  askUser,
  BLUE,
  CHOOSE_BLUE,
  connecting,
  elicitor,
  FORMS,
  jsonOf,
  PATIENCE,
  pendingAsk,
  QUESTIONS,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });

const connect = connecting(() => server);

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const request = (agent: Agent, method: string, params: Fields) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const name = String(params.name ?? params.taskId);
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  const options = { token: agent.token, headers: { accept: 'application/json, text/event-stream', ...headers } };
  return server
    .raw('POST', '/mcp', JSON.stringify(body), options)
    .then((reply) => (reply.body as { result: Fields }).result ?? reply.body);
};

it('returns a task that the client polls until it has the result', async () => {
  const agent = await connect({ protocol: '2026-07-28', capabilities });
  const task = await request(agent, 'tools/call', { name: 'ask_user', arguments: QUESTIONS });
  const open = await pendingAsk(server, agent.sessionId);
  expect(task).toMatchObject({ resultType: 'task', taskId: open.ask_id, status: 'working', ttlMs: null });
  const poll = () => request(agent, 'tasks/get', { taskId: open.ask_id });
  expect(await poll()).toMatchObject({ status: 'working' });
  await answer(server, open, CHOOSE_BLUE);
  const done = await poll();
  expect(done).toMatchObject({ resultType: 'complete', status: 'completed', taskId: open.ask_id });
  expect(jsonOf(done.result)).toMatchObject(BLUE);
  expect(jsonOf((await poll()).result)).toMatchObject(BLUE);
});

it('withdraws the ask when the task is cancelled', async () => {
  const agent = await connect({ protocol: '2026-07-28', capabilities });
  const { taskId } = await request(agent, 'tools/call', { name: 'ask_user', arguments: QUESTIONS });
  await request(agent, 'tasks/cancel', { taskId });
  expect(await showAsk(server, String(taskId))).toMatchObject({ status: 'cancelled' });
});

it('asks a client that can also elicit at its own screen first', async () => {
  const prepare = elicitor(async () => ({ action: 'accept', content: { colour: 'Blue' } }));
  const both = { ...capabilities, ...FORMS };
  const agent = await connect({ protocol: '2026-07-28', capabilities: both, prepare });
  expect(jsonOf(await askUser(agent))).toMatchObject(BLUE);
});
