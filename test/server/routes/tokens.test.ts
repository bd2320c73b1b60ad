// Tokens over HTTP: created and shown once, bound to a scope and a session, refused once they are revoked or expired.
// Covers: src/gateway/token.ts, src/core/token.ts
import { expect, it } from 'vitest';
import type { NewTokenView } from '../../../src/core/views.ts';
import { answer, held, newSession, ok, picks, refusal, showRun, startRun } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

const DAY_MS = 24 * 60 * 60 * 1000;
const turns = () => new Promise((resolve) => setTimeout(resolve, 100));

it('refuses an answer with a revoked token and says that it may be revoked', async () => {
  const h = await held(server);
  const { token, token_id } = await server.makeToken('operator');
  await ok(server.call('DELETE', `/v1/tokens/${token_id}`));
  const problem = await refusal(answer(server, h, picks('openai'), { token }), 401, 'unauthenticated');
  expect(problem.detail).toMatch(/unknown, expired or revoked/);
});

it('refuses a waiting call when its token is revoked, and does not give it the answer', async () => {
  const h = await held(server, { questions: [{ id: 'a', question: 'Password?', secret: true }] });
  const agent = await server.makeToken('agent', h.sessionId);
  const waiting = server.get(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`, { token: agent.token });
  await turns();
  await ok(server.call('DELETE', `/v1/tokens/${agent.token_id}`));
  await ok(answer(server, h, [{ question_id: 'a', freeform_answer: 'hush' }]));
  const problem = await refusal(waiting, 401, 'unauthenticated');
  expect(JSON.stringify(problem)).not.toContain('hush');
});

it('gives no run to a worker whose token is revoked while it waits for work', async () => {
  const session = await newSession(server, { agent: 'rare' });
  const worker = await server.makeToken('worker');
  const body = { worker_id: 'w', agents: [{ name: 'rare', recovery: 'none' }], wait_ms: 20_000 };
  const waiting = server.post('/v1/workers/claim', body, { token: worker.token });
  await turns();
  await ok(server.call('DELETE', `/v1/tokens/${worker.token_id}`));
  const run = await startRun(server, session.session_id);
  await refusal(waiting, 401, 'unauthenticated');
  expect((await showRun(server, run.run_id)).status).toBe('queued');
});

it('shows the secret of a new token once, in the reply that creates it', async () => {
  const { session_id } = await newSession(server);
  const body = { scope: 'agent', session_id, name: 'bee', expires_after_ms: DAY_MS };
  const reply = await server.post<NewTokenView>('/v1/tokens', body);
  expect(reply).toMatchObject({ status: 201, body: { scope: 'agent', session_id, name: 'bee' } });
  expect(reply.body.token.length).toBeGreaterThan(30);
  expect(reply.body.expires_at_ms).toBe(reply.body.created_at_ms + DAY_MS);
  const list = await server.get<{ token_id: string }[]>('/v1/tokens?limit=500');
  expect(list.body.map((t) => t.token_id)).toContain(reply.body.token_id);
  for (const text of [list.text, (await server.get('/v1/events?limit=500')).text]) {
    expect(text).not.toContain(reply.body.token);
    expect(text).not.toContain('"hash":"undefined');
  }
});

it('stores no secret of a token', async () => {
  const made = await server.makeToken('viewer');
  const rows = await server.ports.store.read((r) => r.tokens({ limit: 1000 }));
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(made.token);
});

it('requires an existing session for an agent token and refuses one for every other scope', async () => {
  const { session_id } = await newSession(server);
  await refusal(server.post('/v1/tokens', { scope: 'agent' }), 400, 'invalid_token_request');
  for (const scope of ['operator', 'viewer', 'worker'])
    await refusal(server.post('/v1/tokens', { scope, session_id }), 400, 'invalid_token_request');
  await refusal(server.post('/v1/tokens', { scope: 'agent', session_id: 'nope' }), 404, 'session_not_found');
  const problem = await refusal(server.post('/v1/tokens', { scope: 'root' }), 400, 'invalid_request');
  expect(problem.detail).toMatch(/operator.*viewer.*agent.*worker/);
});

it('refuses a revoked token from that moment on, revokes it idempotently, and answers 404 for an unknown one', async () => {
  const { token, token_id } = await server.makeToken('viewer');
  await ok(server.get('/v1/asks', { token }));
  const revoked = await ok(server.call<{ revoked_at_ms?: number }>('DELETE', `/v1/tokens/${token_id}`));
  expect(revoked.revoked_at_ms).toBeGreaterThan(0);
  await refusal(server.get('/v1/asks', { token }), 401, 'unauthenticated');
  expect(await ok(server.call('DELETE', `/v1/tokens/${token_id}`))).toEqual(revoked);
  await refusal(server.call('DELETE', '/v1/tokens/tok_nope'), 404, 'token_not_found');
});

it('refuses a token after its expiry, also when it was used before', async () => {
  const { token } = await server.makeToken('viewer', undefined, { expires_after_ms: 1000 });
  await ok(server.get('/v1/asks', { token }));
  server.advance(1001);
  await refusal(server.get('/v1/asks', { token }), 401, 'unauthenticated');
});

it.each(['system', 'policy:autonomous', 'grant:g1', 'rule:user'])(
  'refuses the token name %s, which names the server itself',
  async (name) => {
    await refusal(server.post('/v1/tokens', { scope: 'operator', name }), 400, 'invalid_request');
  },
);
