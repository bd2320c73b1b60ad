// The MCP endpoint: what a session id may do, malformed messages, limits, an older protocol, and a server that stops.
// Covers: src/server/routes/mcp.ts
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AskView } from '../../src/core/views.ts';
import { eventually, type Fields, newSession, ok, showAsk } from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  connectAgent,
  connecting,
  elicitor,
  jsonOf,
  PATIENCE,
  pendingAsk,
  QUESTIONS,
  textOf,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });

const connect = connecting(() => server);
const CLIENT = { name: 'test', version: '1' };
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

it('counts each message of a batch as a request', async () => {
  const small = await openServer({ patience: PATIENCE, limits: { agentRequestsPerSecond: 1, agentBurst: 20 } });
  const { session_id } = await newSession(small);
  const { token } = await small.makeToken('agent', session_id);
  const cancelled = (requestId: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });
  const batch = JSON.stringify(Array.from({ length: 100 }, (_, n) => cancelled(n)));
  const headers = { accept: 'application/json, text/event-stream' };
  expect((await small.raw('POST', '/mcp', batch, { token, headers })).status).toBe(429);
  const stored = new DatabaseSync(join(small.folder, 'holdpoint.db'), { readOnly: true });
  expect(stored.prepare('SELECT COUNT(*) AS n FROM responses').get()).toEqual({ n: 0 });
  stored.close();
  await small.close();
});

it('keeps no id in memory that is longer than those of clients', async () => {
  const { token } = await connect();
  const send = (id: string, session?: string) =>
    server.raw('POST', '/mcp', JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }), {
      token,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
    });
  expect((await send('1', `calls-${'x'.repeat(8000)}`)).status).toBe(404);
  const long = await send('x'.repeat(257));
  expect([long.status, long.text]).toEqual([400, expect.stringContaining('A request id has at most 256 characters.')]);
  expect((await send('x'.repeat(256))).status).toBe(200);
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

it('refuses a tool call over the limit with a result that says when to call again', async () => {
  const limits = { agentRequestsPerSecond: 1, agentBurst: 5 };
  const small = await openServer({ patience: PATIENCE, limits });
  const agent = await connectAgent(small);
  const check = () => agent.client.callTool({ name: 'check_answer', arguments: { ask_id: 'ask_00000000' } });
  let told = await check();
  for (let i = 0; i < 5 && !textOf(told).includes('a second'); i++) told = await check();
  expect(told).toMatchObject({ isError: true });
  expect(textOf(told)).toBe(
    'A token of scope "agent" may send 1 requests a second. Wait a little. Call again in 1 second.',
  );
  const listed = await small.raw('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
    token: agent.token,
    headers: { accept: 'application/json, text/event-stream' },
  });
  expect(listed.status).toBe(429);
  small.advance(5000);
  expect(textOf(await check())).toContain('has asked nothing');
  await agent.close();
  await small.close();
});

describe('a client of the protocol 2025-06-18 that accepts nothing newer', () => {
  const Text = z.strictObject({ type: z.literal('string'), title: z.string(), description: z.string().optional() });
  const Choice = Text.extend({ enum: z.array(z.string()), enumNames: z.array(z.string()) });
  const Elicitation = z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.string(),
    method: z.literal('elicitation/create'),
    params: z.strictObject({
      message: z.string(),
      requestedSchema: z.strictObject({
        type: z.literal('object'),
        properties: z.record(z.string(), z.union([Text, Choice])),
        required: z.array(z.string()).optional(),
      }),
    }),
  });
  const Result = z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.number(),
    result: z.strictObject({
      content: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })),
      structuredContent: z.record(z.string(), z.unknown()),
    }),
  });
  const Greeting = z.strictObject({
    protocolVersion: z.literal('2025-06-18'),
    capabilities: z.strictObject({ tools: z.strictObject({ listChanged: z.boolean() }) }),
    serverInfo: z.strictObject({ name: z.string(), title: z.string(), version: z.string() }),
    instructions: z.string(),
  });
  const messagesIn = (text: string) =>
    [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string) as Fields);

  it('is greeted, prompted and answered in its own shapes', async () => {
    const agent = await connect();
    const url = `${await server.url()}/mcp`;
    const headers = {
      authorization: `Bearer ${agent.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = (message: Fields, more = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const hello = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: CLIENT };
    const greeted = await post({ id: 1, method: 'initialize', params: hello });
    Greeting.parse(messagesIn(await greeted.text())[0]?.result);
    const session = {
      'mcp-session-id': greeted.headers.get('mcp-session-id'),
      'mcp-protocol-version': '2025-06-18',
    };
    const questions = [...QUESTIONS.questions, { id: 'why', question: 'Why?' }];
    const params = { name: 'ask_user', arguments: { questions } };
    const called = await post({ id: 2, method: 'tools/call', params }, session);
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of called.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      const prompt = messagesIn(text).find(({ method }) => method === 'elicitation/create');
      if (!prompt || text.includes('"result"')) continue;
      const { id } = Elicitation.parse(prompt);
      await post({ id, result: { action: 'accept', content: { colour: 'r', why: 'so' } } }, session);
    }
    const { structuredContent } = Result.parse(messagesIn(text).at(-1)).result;
    expect(structuredContent).toMatchObject({
      status: 'answered',
      answers: [
        { question_id: 'colour', values: ['r'] },
        { question_id: 'why', text: 'so' },
      ],
    });
  });
});
