// The tasks extension of MCP: an ask as a task that a client polls and cancels.
import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { type Fields, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { type Agent, answer, connecting, elicitor, jsonOf, pendingAsk, QUESTIONS } from './test-bed.ts';

const KEEP_ALIVE_MS = 40;
const server = serverForAll({ patience: { keepAliveMs: KEEP_ALIVE_MS, limitMs: 150 } });

const connect = connecting(() => server);
const ask = ({ client }: Agent, options: Parameters<Client['callTool']>[1] = {}, args: Fields = QUESTIONS) =>
  client.callTool({ name: 'ask_user', arguments: args }, options);
const choose = { question_id: 'colour', selected_option_ids: ['option-2'] };
const BLUE = {
  status: 'answered',
  summary: 'Which colour?: Blue',
  answers: [{ question_id: 'colour', question: 'Which colour?', labels: ['Blue'], values: ['Blue'] }],
};
const FORMS = { elicitation: { form: {} } };

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
  await answer(server, open, choose);
  const done = await poll();
  expect(done).toMatchObject({ resultType: 'complete', status: 'completed', taskId: open.ask_id });
  expect(jsonOf(done.result)).toMatchObject(BLUE);
  expect((await showAsk(server, open.ask_id)).delivery.state).toBe('delivered');
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
  expect(jsonOf(await ask(agent))).toMatchObject(BLUE);
});
