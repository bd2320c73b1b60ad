// Limits per token and per session: requests, open polls, pending asks and the size of a body.
// Covers: src/core/limits.ts
import { afterEach, expect, it } from 'vitest';
import type { Limits } from '../../src/core/limits.ts';
import { answer, callId, eventually, held, NOTES, newSession, ok, refusal, startRun } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serverWith(limits: Partial<Limits>): Promise<Server> {
  const server = await openServer({ limits });
  servers.push(server);
  return server;
}

it('limits an agent token after a burst with 429 and Retry-After, refills with time, and limits no operator', async () => {
  const small = await serverWith({ agentRequestsPerSecond: 1, agentBurst: 5 });
  const { session_id } = await newSession(small);
  const { token } = await small.makeToken('agent', session_id);
  const look = () => small.get(`/v1/sessions/${session_id}`, { token });
  for (let i = 0; i < 5; i++) await ok(look());
  const limited = await look();
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited', domain: 'limits' } });
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  small.advance(60_000);
  await ok(look());
  for (let i = 0; i < 50; i++) await ok(small.get(`/v1/sessions/${session_id}`));
});

it.each(['attached', 'viewer'] as const)('limits a token of scope %s like an agent', async (scope) => {
  const small = await serverWith({ agentRequestsPerSecond: 1, agentBurst: 3 });
  const { token } = await small.makeToken(scope);
  const path = scope === 'viewer' ? '/v1/asks' : '/v1/hooks/claude';
  const call = () => (scope === 'viewer' ? small.get(path, { token }) : small.post(path, {}, { token }));
  for (let i = 0; i < 3; i++) expect((await call()).status).not.toBe(429);
  await refusal(call(), 429, 'rate_limited');
});

it('finding 14: limits a worker token by limits of its own', async () => {
  const small = await serverWith({ workerRequestsPerSecond: 1, workerBurst: 3, agentBurst: 1 });
  const { token } = await small.makeToken('worker');
  for (let i = 0; i < 3; i++) await ok(small.get('/v1/asks', { token }));
  await refusal(small.get('/v1/asks', { token }), 429, 'rate_limited');
});

it('finding 13: charges an agent token by the bytes it sends and receives', async () => {
  const small = await serverWith({ agentBytesPerSecond: 10_000 });
  const { session_id } = await newSession(small);
  const { run_id } = await startRun(small, session_id);
  const { token } = await small.makeToken('agent', session_id);
  const say = (text: string) => small.post(`/v1/runs/${run_id}/output`, { text }, { token });
  await ok(say('x'.repeat(100_000)));
  expect((await refusal(say('.'), 429, 'rate_limited')).detail).toContain('10000 bytes a second');
  small.advance(60_000);
  await ok(small.post(`/v1/runs/${run_id}/output`, { text: 'x'.repeat(300_000) }));
  await ok(small.get(`/v1/runs/${run_id}`, { token }));
  await refusal(small.get(`/v1/runs/${run_id}`, { token }), 429, 'rate_limited');
});

it('finding 13: stores no more responses for the keys of an agent token in a day than a session stores', async () => {
  const small = await serverWith({ sessionBytesPerDay: 20_000 });
  const { session_id } = await newSession(small);
  const { run_id } = await startRun(small, session_id);
  const { token } = await small.makeToken('agent', session_id);
  const question = { kind: 'question', tool_call_id: callId(), questions: [NOTES] };
  const raise = (key?: string) =>
    small.post(`/v1/runs/${run_id}/asks`, { ...question, ...(key && { idempotency_key: key }) }, { token });
  const bytes = (await raise('first')).text.length;
  for (let sent = bytes; sent < 20_000; sent += bytes) await ok(raise(`key ${sent}`));
  expect((await refusal(raise('one more'), 429, 'rate_limited')).detail).toContain('Leave the key out');
  await ok(raise());
  small.advance(24 * 60 * 60_000);
  await ok(raise('tomorrow'));
});

it('finding 14: charges a worker token by bytes, by a limit of its own', async () => {
  const small = await serverWith({ workerBytesPerSecond: 1000, agentBytesPerSecond: 1 });
  const { session_id } = await newSession(small, { title: 'x'.repeat(500) });
  const { token } = await small.makeToken('worker');
  const look = () => small.get(`/v1/sessions/${session_id}`, { token });
  const statuses: number[] = [];
  for (let n = 0; n < 30; n++) statuses.push((await look()).status);
  expect([statuses[5], statuses.at(-1)]).toEqual([200, 429]);
});

it('finding 13: runs the reads of an agent token a few at a time, and those of an operator at once', async () => {
  const small = await serverWith({});
  const { session_id } = await newSession(small);
  const { token } = await small.makeToken('agent', session_id);
  const replies = await Promise.all(
    Array.from({ length: 150 }, () => small.get(`/v1/sessions/${session_id}`, { token })),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const path = `/v1/sessions/${session_id}`;
  const flood = await Promise.all(Array.from({ length: 300 }, () => small.get(path, { token })));
  expect(flood.some(({ status }) => status === 429)).toBe(true);
  small.advance(60_000);
  await ok(small.get(path, { token }));
});

it.each([
  ['accepts a stream where there is none', '/v1/asks', { accept: 'text/event-stream' }],
  ['asks for a poll that does not wait', '/v1/asks/ID?wait_ms=%30', {}],
])('finding 13: takes no read for a wait because its caller %s', async (_, path, headers) => {
  const small = await serverWith({ agentRequestsPerSecond: 0 });
  const h = await held(small);
  const { token } = await small.makeToken('agent', h.sessionId);
  const look = () => small.get(path.replace('ID', h.ask.ask_id), { token, headers });
  const replies = await Promise.all(Array.from({ length: 300 }, look));
  expect(replies.map(({ status }) => status)).toContain(429);
});

it('limits the pending asks of a session with 429 until one is answered', async () => {
  const small = await serverWith({ pendingAsksPerSession: 2 });
  const h = await held(small);
  const raise = () =>
    small.post(`/v1/runs/${h.runId}/asks`, { kind: 'question', tool_call_id: callId(), questions: [NOTES] });
  await ok(raise());
  const problem = await refusal(raise(), 429, 'pending_asks_limit');
  expect(problem.detail).toMatch(/answer/);
  await ok(answer(small, h));
  await ok(raise());
});

it('limits the open polls of an agent token with 429 until one returns', async () => {
  const small = await serverWith({ agentStreams: 2 });
  const h = await held(small);
  const { token } = await small.makeToken('agent', h.sessionId);
  const poll = () => small.get(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`, { token });
  const open = [poll(), poll()];
  await eventually(async () => (await small.get('/metrics')).text).toContain('holdpoint_streams_open 2');
  await refusal(poll(), 429, 'too_many_streams');
  await ok(answer(small, h));
  for (const reply of await Promise.all(open)) expect(reply.status).toBe(200);
  await ok(poll());
});

it('refuses a body over the limit with 413 and names the limit', async () => {
  const small = await serverWith({ bodyBytes: 2000 });
  const { session_id } = await newSession(small);
  const send = (length: number) =>
    small.post(`/v1/sessions/${session_id}/runs`, { input: { text: 'x'.repeat(length) } });
  await ok(send(1000));
  expect((await refusal(send(3000), 413, 'body_too_large')).detail).toContain('2000');
});

it('finding 13: refuses a body of more values than anybody sends, and takes as many commas in a text', async () => {
  const server = await serverWith({});
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const path = `/v1/runs/${run_id}/output`;
  const many = await server.raw('POST', path, `{"data":{"a":[${'[],'.repeat(100_000)}0]}}`);
  expect([many.status, many.text]).toEqual([400, expect.stringContaining('100000 values')]);
  await ok(server.post(path, { text: '\\",[{'.repeat(80_000) }));
});
