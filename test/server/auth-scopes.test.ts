// Every route of the OpenAPI document with every kind of caller: admitted or refused as `x-holdpoint-scopes` declares, and
// every refusal is a problem document. Bodies are left empty: scopes are checked before the body is read.
// Covers: src/server/auth.ts, src/server/routes/route.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageView } from '../../src/core/views.ts';
import type { Problem } from '../../src/server/problem.ts';
import {
  allow,
  answer,
  clarify,
  family,
  held,
  ok,
  picks,
  raiseQuestion,
  refusal,
  resolution,
  resolutions,
  showAsk,
} from '../support/api-calls.ts';
import type { Operation } from '../support/contract.ts';
import { openServer, type Reply, type Server } from '../support/server.ts';

let server: Server;
let ids: Record<string, string>;
let tokens: Record<string, string | null>;

beforeAll(async () => {
  server = await openServer({ limits: { agentRequestsPerSecond: 0 } });
  const own = await family(server);
  const other = await family(server);
  const ask = await raiseQuestion(server, own.childRunId);
  const asked = await clarify(server, own.childRunId);
  await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
  const [message] = await ok(server.get<MessageView[]>(`/v1/sessions/${own.childId}/mailbox`));
  const short = await server.makeToken('operator', undefined, { expires_after_ms: 1 });
  const gone = await server.makeToken('operator');
  await ok(server.call('DELETE', `/v1/tokens/${gone.token_id}`));
  server.advance(10);
  ids = {
    session_id: own.childId,
    run_id: own.childRunId,
    ask_id: ask.ask_id,
    request_id: ask.ask_id,
    message_id: String(message?.message_id),
    thread_id: `thr_${own.childId}`,
    token_id: gone.token_id,
    skill_id: 'skl_none',
  };
  const made = async (scope: string, sessionId?: string) => (await server.makeToken(scope, sessionId)).token;
  tokens = {
    operator: server.token,
    viewer: await made('viewer'),
    worker: await made('worker'),
    'agent of this session': await made('agent', own.childId),
    'agent of its parent': await made('agent', own.parentId),
    'agent of another session': await made('agent', other.childId),
    'no token': null,
    'an unknown token': 'hp_unknown',
    'an expired token': short.token,
    'a revoked token': gone.token,
  };
});
afterAll(() => server.close());

const CALLERS: [caller: string, scope: string | undefined][] = [
  ['operator', 'operator'],
  ['viewer', 'viewer'],
  ['worker', 'worker'],
  ['agent of this session', 'agent'],
  ['agent of its parent', 'agent'],
  ['agent of another session', 'agent'],
  ['no token', undefined],
  ['an unknown token', undefined],
  ['an expired token', undefined],
  ['a revoked token', undefined],
];

type Verdict = 'let in' | 'unauthenticated' | 'scope_forbidden' | 'session_forbidden';

/** What the document says should happen to this caller on this route. */
function expected(caller: string, scope: string | undefined, template: string, operation: Operation): Verdict {
  const allowed = operation['x-holdpoint-scopes'] ?? [];
  if (allowed.length === 0) return 'let in';
  if (scope === undefined) return 'unauthenticated';
  if (!allowed.includes(scope)) return 'scope_forbidden';
  const namesOne = /\{(session_id|run_id|ask_id|thread_id)\}/.test(template);
  return scope === 'agent' && namesOne && caller !== 'agent of this session' ? 'session_forbidden' : 'let in';
}

function verdictOf(reply: Reply<unknown>): Verdict {
  const { code } = reply.body as Problem;
  return code === 'unauthenticated' || code === 'scope_forbidden' || code === 'session_forbidden' ? code : 'let in';
}

const STATUS: Record<Exclude<Verdict, 'let in'>, number> = {
  unauthenticated: 401,
  scope_forbidden: 403,
  session_forbidden: 403,
};

describe.each(CALLERS)('the caller %s', (caller, scope) => {
  it('is admitted and refused as the document declares, on every route', async () => {
    const token = tokens[caller] ?? null;
    const wrong: string[] = [];
    let let_in = 0;
    for (const [template, methods] of Object.entries(server.openApi.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'missing');
        expect(path, template).not.toContain('missing');
        const body = method === 'post' ? { surely_unknown: true } : undefined;
        const reply = await server.call(method.toUpperCase(), path, body, { token });
        const got = verdictOf(reply);
        const want = expected(caller, scope, template, operation);
        if (got === 'let in') let_in += 1;
        if (got !== want) wrong.push(`${method} ${template}: ${got}, not ${want} (${reply.text.slice(0, 200)})`);
        if (got !== 'let in') expect(reply.status, path).toBe(STATUS[got]);
      }
    }
    expect(wrong).toEqual([]);
    expect(let_in).toBeGreaterThanOrEqual(2);
  });

  it('is admitted and refused on a live stream as on a page', async () => {
    const token = tokens[caller] ?? null;
    const reply = await server.call('GET', `/v1/sessions/${ids.session_id}/events?limit=1`, undefined, { token });
    const mayRead = scope !== undefined && (scope !== 'agent' || caller === 'agent of this session');
    expect(reply.status < 400).toBe(mayRead);
    if (mayRead) return;
    const headers = { accept: 'text/event-stream' };
    const stream = await server.raw('GET', `/v1/sessions/${ids.session_id}/events`, undefined, { token, headers });
    expect([401, 403]).toContain(stream.status);
    expect(stream.headers['content-type']).toMatch(/^application\/problem\+json/);
  });
});

it('names the accepted scope or credential when it refuses a caller', async () => {
  const viewer = tokens.viewer ?? null;
  const forbidden = await server.call<Problem>('POST', `/v1/runs/${ids.run_id}/questions`, {}, { token: viewer });
  expect(forbidden.body.detail).toMatch(/"viewer".*It needs a token with scope operator/);
  const unknown = await server.call<Problem>('GET', '/v1/asks', undefined, { token: null });
  expect(unknown.body.detail).toContain('Authorization: Bearer');
});

it('refuses answers and decisions of viewers, workers and agents, names the scope it takes and leaves the ask pending', async () => {
  const h = await held(server);
  const a = await held(server, { kind: 'approval' });
  for (const token of [
    (await server.makeToken('viewer')).token,
    (await server.makeToken('worker')).token,
    (await server.makeToken('agent', h.sessionId)).token,
  ]) {
    const problem = await refusal(answer(server, h, picks('openai'), { token }), 403, 'scope_forbidden');
    expect(problem.detail).toMatch(/may not .* It needs a token with scope operator/);
    const decision = resolutions(allow(a.ask.ask_id));
    await refusal(server.post(`/v1/runs/${a.runId}/approvals`, decision, { token }), 403, 'scope_forbidden');
  }
  for (const { ask } of [h, a]) expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  await ok(answer(server, h));
});
