// The small decisions of the API that belong to no larger test: tokens, surfaces, limits, open routes, the callers'
// own names for tasks, sessions that are reused, unknown ids.
import { describe, expect, it } from 'vitest';
import type { NewTokenView, SessionView } from '../../src/core/views.ts';
import {
  answer,
  callId,
  eventually,
  held,
  NOTES,
  newSession,
  ok,
  picks,
  refusal,
  resolution,
  showAsk,
  startRun,
} from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const DAY_MS = 24 * 60 * 60 * 1000;

describe('tokens', () => {
  it('201 with the secret, shown this once', async () => {
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

  it('the secret is not in the database either', async () => {
    const made = await server.makeToken('viewer');
    const rows = await server.ports.store.read((r) => r.tokens({ limit: 1000 }));
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(made.token);
  });

  it('an agent token names its session; no other scope does; the session must exist', async () => {
    const { session_id } = await newSession(server);
    await refusal(server.post('/v1/tokens', { scope: 'agent' }), 400, 'invalid_token_request');
    for (const scope of ['operator', 'viewer', 'worker'])
      await refusal(server.post('/v1/tokens', { scope, session_id }), 400, 'invalid_token_request');
    await refusal(server.post('/v1/tokens', { scope: 'agent', session_id: 'nope' }), 404, 'session_not_found');
    const problem = await refusal(server.post('/v1/tokens', { scope: 'root' }), 400, 'invalid_request');
    expect(problem.detail).toMatch(/operator.*viewer.*agent.*worker/);
  });

  it('a revoked token is let in nowhere from that moment on; an unknown one is 404', async () => {
    const { token, token_id } = await server.makeToken('viewer');
    await ok(server.get('/v1/asks', { token }));
    const revoked = await ok(server.call<{ revoked_at_ms?: number }>('DELETE', `/v1/tokens/${token_id}`));
    expect(revoked.revoked_at_ms).toBeGreaterThan(0);
    await refusal(server.get('/v1/asks', { token }), 401, 'unauthenticated');
    expect(await ok(server.call('DELETE', `/v1/tokens/${token_id}`))).toEqual(revoked);
    await refusal(server.call('DELETE', '/v1/tokens/tok_nope'), 404, 'token_not_found');
  });

  it('a token expires by the clock, also while it is remembered', async () => {
    const { token } = await server.makeToken('viewer', undefined, { expires_after_ms: 1000 });
    await ok(server.get('/v1/asks', { token }));
    server.advance(1001);
    await refusal(server.get('/v1/asks', { token }), 401, 'unauthenticated');
  });

  it.each(['system', 'policy:autonomous', 'grant:g1', 'rule:user'])(
    'cannot be named %s: that author is the server itself',
    async (name) => {
      await refusal(server.post('/v1/tokens', { scope: 'operator', name }), 400, 'invalid_request');
    },
  );
});

describe('surface names', () => {
  it.each(['api', 'cli', 'web', 'thread', 'form', 'mcp', 'opencode', 'link'])(
    'Holdpoint-Surface: %s',
    async (surface) => {
      const h = await held(server);
      await ok(answer(server, h, picks('openai'), { headers: { 'holdpoint-surface': surface } }));
      expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ surface, answered_by: 'operator' });
    },
  );

  it.each(['system', 'fax', 'WEB', ''])('%j is api', async (surface) => {
    const h = await held(server);
    await ok(answer(server, h, picks('openai'), { headers: { 'holdpoint-surface': surface } }));
    expect((await showAsk(server, h.ask.ask_id)).answer?.surface).toBe('api');
  });
});

describe('limits', () => {
  it('agent tokens: a burst, then 429 with Retry-After; it refills; operators are not limited', async () => {
    const small = await openServer({ limits: { agentRequestsPerSecond: 1, agentBurst: 5 } });
    try {
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
    } finally {
      await small.close();
    }
  });

  it('pending asks per session: 429 that says what to do; answering makes room; zero switches it off', async () => {
    const small = await openServer({ limits: { pendingAsksPerSession: 2 } });
    try {
      const h = await held(small);
      const raise = () =>
        small.post(`/v1/runs/${h.runId}/asks`, { kind: 'question', tool_call_id: callId(), questions: [NOTES] });
      await ok(raise());
      const problem = await refusal(raise(), 429, 'pending_asks_limit');
      expect(problem.detail).toMatch(/answer/);
      await ok(answer(small, h));
      await ok(raise());
    } finally {
      await small.close();
    }
  });

  it('open polls per agent token', async () => {
    const small = await openServer({ limits: { agentStreams: 2 } });
    try {
      const h = await held(small);
      const { token } = await small.makeToken('agent', h.sessionId);
      const poll = () => small.get(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`, { token });
      const open = [poll(), poll()];
      await eventually(async () => (await small.get('/metrics')).text).toContain('what="streams"} 2');
      await refusal(poll(), 429, 'too_many_streams');
      await ok(answer(small, h));
      for (const reply of await Promise.all(open)) expect(reply.status).toBe(200);
      await ok(poll());
    } finally {
      await small.close();
    }
  });

  it('a body has at most so many bytes', async () => {
    const small = await openServer({ limits: { bodyBytes: 2000 } });
    try {
      const { session_id } = await newSession(small);
      const send = (length: number) =>
        small.post(`/v1/sessions/${session_id}/runs`, { input: { text: 'x'.repeat(length) } });
      await ok(send(1000));
      expect((await refusal(send(3000), 413, 'body_too_large')).detail).toContain('2000');
    } finally {
      await small.close();
    }
  });
});

describe('open routes', () => {
  it.each(['/healthz', '/readyz', '/openapi.json'])('%s needs no token', async (path) => {
    expect((await server.raw('GET', path, undefined, { token: null })).status).toBe(200);
  });

  it('/metrics needs a viewer', async () => {
    await refusal(server.get('/metrics', { token: null }), 401, 'unauthenticated');
    const { token } = await server.makeToken('viewer');
    const reply = await server.get<string>('/metrics', { token });
    expect(reply.text).toMatch(/holdpoint_open\{what="pending_asks"\} \d+/);
  });
});

describe('task_id and subtask_id are what the caller named them', () => {
  it.each([7, -1, '7', 'build-42'])('%j', async (id) => {
    const session = await newSession(server, { task_id: id });
    expect(session.task_id).toBe(id);
    expect((await startRun(server, session.session_id, { subtask_id: id })).subtask_id).toBe(id);
  });
});

describe('create or reuse a session', () => {
  it('201, then 200; other settings are a conflict that names the field', async () => {
    const body = { session_id: 'mine', agent: 'external', work_folder: '/srv', title: 'Build' };
    const first = await server.post<SessionView>('/v1/sessions', body);
    const again = await server.post<SessionView>('/v1/sessions', { session_id: 'mine', agent: 'external' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    for (const [field, value] of Object.entries({ agent: 'claude', work_folder: '/x', agent_id: 'y' })) {
      const problem = await refusal(server.post('/v1/sessions', { ...body, [field]: value }), 409, 'session_conflict');
      expect(problem.detail).toContain(field);
    }
  });

  it.each(['', '.', '..', 'a/b', '-x', 'a b', 'system', 'x'.repeat(129)])(
    'session_id %j is refused',
    async (session_id) => {
      await refusal(server.post('/v1/sessions', { session_id, agent: 'external' }), 400, 'invalid_request');
    },
  );

  it('the session of the server’s own events can be read, not worked in, ended, adopted or given to an agent', async () => {
    await ok(server.get('/v1/sessions/system'));
    await ok(server.get('/v1/sessions/system/events'));
    const attempts: [string, object][] = [
      ['/v1/sessions/system/runs', { input: {} }],
      ['/v1/sessions/system/end', {}],
      ['/v1/sessions', { agent: 'external', parent_session_id: 'system' }],
      ['/v1/tokens', { scope: 'agent', session_id: 'system' }],
    ];
    for (const [path, body] of attempts) await refusal(server.post(path, body), 400, 'invalid_request');
    expect((await ok(server.get<SessionView>('/v1/sessions/system'))).status).toBe('idle');
  });

  it('an unknown parent is 404', async () => {
    const sent = server.post('/v1/sessions', { agent: 'external', parent_session_id: 'nope' });
    await refusal(sent, 404, 'session_not_found');
  });
});

it('answers after the fact do not depend on who asks: a viewer reads, and cannot answer', async () => {
  const h = await held(server);
  const { token } = await server.makeToken('viewer');
  await ok(server.get(`/v1/asks/${h.ask.ask_id}`, { token }));
  await refusal(answer(server, h, picks('openai'), { token }), 403, 'scope_forbidden');
  await refusal(
    server.post(`/v1/sessions/${h.sessionId}/questions`, resolution(h.ask.ask_id), { token }),
    403,
    'scope_forbidden',
  );
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
});
