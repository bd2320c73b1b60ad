// The MCP endpoint: what a session id may do, malformed messages, and a server that stops.
// Covers: src/server/routes/mcp.ts
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { eventually, type Fields, ok, showAsk } from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { type Agent, connectAgent, connecting, elicitor, jsonOf, PATIENCE, pendingAsk, QUESTIONS } from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });

const connect = connecting(() => server);
const BASH = { tool_name: 'Bash', input: { command: 'rm -rf build' }, reason: 'stale' };
const request = ({ client }: Agent, args: Fields = BASH) =>
  client.callTool({ name: 'request_approval', arguments: args }, { onprogress: () => {}, timeout: 60_000 });

it('takes the capabilities of a client from its session id, and its identity from the token only', async () => {
  const prepare = elicitor(() => new Promise(() => {}));
  const [one, other] = [await connect({ capabilities: { elicitation: {} }, prepare }), await connect()];
  const id = (one.client.transport as { sessionId?: string }).sessionId;
  const send = (token: string, session: string, message: Fields) =>
    server.raw('POST', '/mcp', JSON.stringify({ jsonrpc: '2.0', ...message }), {
      token,
      headers: { 'mcp-session-id': session, accept: 'application/json, text/event-stream' },
    });
  expect((await send(one.token, 'unknown', { id: 1, method: 'tools/list' })).status).toBe(404);
  expect((await send(one.token, String(id), { id: 1, method: 'tools/list' })).status).toBe(200);
  void one.client.callTool({ name: 'ask_user', arguments: QUESTIONS }, { onprogress: () => {} }).catch(() => {});
  await eventually(() => one.received.some((m) => m.method === 'elicitation/create')).toBe(true);
  const asked = one.received.find((m) => m.method === 'elicitation/create')?.id;
  const open = await pendingAsk(server, one.sessionId);
  const reply = (content: unknown, to = asked) => ({ id: to, result: { action: 'accept', content } });
  expect((await send(other.token, String(id), reply({ colour: 'r' }))).status).toBe(404);
  for (const nothing of [
    reply({}),
    reply('r'),
    reply({ colour: 'r' }, 'elicit:x'),
    reply({ colour: 'r' }, 7),
    reply(null),
  ])
    expect((await send(one.token, String(id), nothing)).status).toBe(202);
  expect((await showAsk(server, open.ask_id)).status).toBe('pending');
  for (let again = 0; again < 2; again++)
    expect((await send(one.token, String(id), reply({ colour: 'r' }))).status).toBe(202);
  expect(await showAsk(server, open.ask_id)).toMatchObject({
    status: 'cancelled',
    answer: { reason: 'withdrawn', answers: [{ question_id: 'colour', selected_option_ids: ['option-1'] }] },
  });
  const look = { name: 'check_answer', arguments: { ask_id: open.ask_id } };
  expect(jsonOf(await one.client.callTool(look))).toMatchObject({
    status: 'answered',
    answers: [{ question_id: 'colour', values: ['r'] }],
    answered_by: "a person at the agent's own screen",
  });
});

it('answers malformed messages with JSON-RPC errors', async () => {
  const { token } = await connect();
  const headers = { accept: 'application/json, text/event-stream' };
  for (const body of ['[]', '{}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"nope"}', '"x"', '[1,2]']) {
    const reply = await server.raw('POST', '/mcp', body, { token, headers });
    expect(reply.status, body).toBeLessThan(500);
    expect(reply.text, body).toContain('jsonrpc');
  }
  for (const method of ['GET', 'DELETE'])
    expect((await server.raw(method, '/mcp', undefined, { token, headers })).status).toBe(405);
});

it('ends a waiting call when the server stops, and keeps the ask pending', async () => {
  const own = await openServer({ patience: { keepAliveMs: 10_000, limitMs: 10_000, repeatMs: 60_000 } });
  const agent = await connectAgent(own);
  const result = request(agent).catch((error: Error) => error);
  const ask = await pendingAsk(own, agent.sessionId);
  await own.stop();
  const told = await result;
  if (!(told instanceof Error)) expect(jsonOf(told)).toMatchObject({ behavior: 'deny', status: 'pending' });
  await own.open();
  expect((await ok(own.get<AskView>(`/v1/asks/${ask.ask_id}`))).status).toBe('pending');
  await agent.close();
  await own.close();
});
