// Every route of the server with every kind of token, as the access table of SPEC.md declares it, with ids of the token's
// own world and of a foreign one. A route without a row fails, and so does a row without a route.
// Covers: src/server/auth.ts, src/server/routes/route.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/server/problem.ts';
import { type Access, type AccessRow, accessTable, scopesOf, type TokenKind } from '../support/access-table.ts';
import {
  allow,
  answer,
  callId,
  held,
  ok,
  picks,
  ROUTING,
  refusal,
  resolutions,
  showAsk,
} from '../support/api-calls.ts';
import { headersOf, signIn } from '../support/browser.ts';
import { openServer, type Reply, type Server } from '../support/server.ts';
import { makeWorld, upload, type World } from './access-world.ts';

const TABLE = accessTable();
const OWN = 'own-mark';
const FOREIGN = 'foreign-mark';

let server: Server;
let own: World;
let foreign: World;
let tokens: Record<string, string | null>;
let browser: Record<string, string>;

beforeAll(async () => {
  server = await openServer({ limits: { agentRequestsPerSecond: 0 }, hooks: { known: async () => ({}) } });
  own = await makeWorld(server, OWN);
  foreign = await makeWorld(server, FOREIGN);
  const expired = await server.makeToken('operator', undefined, { expires_after_ms: 1 });
  const revoked = await server.makeToken('operator');
  await ok(server.call('DELETE', `/v1/tokens/${revoked.token_id}`));
  server.advance(10);
  tokens = {
    operator: server.token,
    viewer: (await server.makeToken('viewer')).token,
    ...own.tokens,
    nothing: null,
    'an unknown token': 'hp_unknown',
    'a run token with a wrong signature': `${own.tokens.run}x`,
    'an expired token': expired.token,
    'a revoked token': revoked.token,
  };
  browser = headersOf(await signIn(server));
});
afterAll(() => server.close());

const CALLERS: [caller: string, kind: TokenKind][] = [
  ['operator', 'operator'],
  ['viewer', 'viewer'],
  ['worker', 'worker'],
  ['agent', 'agent'],
  ['run', 'run'],
  ['attached', 'attached'],
  ['skill', 'skill'],
  ['nothing', 'none'],
  ['an unknown token', 'none'],
  ['a run token with a wrong signature', 'none'],
  ['an expired token', 'none'],
  ['a revoked token', 'none'],
];

/** Bodies that would be accepted, for refusals that come after the body was read. */
const BODIES: Record<string, () => object> = {
  'POST /v1/asks/{ask_id}/comments': () => ({ text: 'why?' }),
  'POST /v1/sessions': () => ({ agent: 'exec' }),
  'POST /v1/sessions/{session_id}/runs': () => ({ input: { text: 'more' } }),
  'POST /v1/runs/{run_id}/output': () => ({ text: 'an output' }),
  'POST /v1/runs/{run_id}/asks': () => ({ kind: 'question', tool_call_id: callId(), questions: [ROUTING] }),
  'POST /v1/runs/{run_id}/clarifications': () => ({ tool_call_id: callId(), questions: [ROUTING] }),
  'POST /v1/workers/claim': () => ({ worker_id: 'w', labels: ['none'], agents: [{ name: 'mock', recovery: 'none' }] }),
  'POST /v1/runs/{run_id}/heartbeat': () => ({ worker_id: `worker-${FOREIGN}`, lease_epoch: 1 }),
  'POST /v1/runs/{run_id}/release': () => ({ worker_id: `worker-${FOREIGN}`, lease_epoch: 1 }),
};

const routeOf = ({ method, path }: AccessRow): string => `${method} ${path}`;
const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

interface Sent {
  row: AccessRow;
  ids: Record<string, string>;
  token: string | null;
  /** Whether the body is one that the route would accept. A call that should be admitted sends none, and changes nothing. */
  isWhole: boolean;
  query?: string;
  headers?: Record<string, string>;
}

function send({ row, ids, token, isWhole, query = '', headers = {} }: Sent): Promise<Reply<unknown>> {
  const path = row.path
    .replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? expect.fail(`no id for {${name}} of ${row.path}`))
    .replace('*', 'x');
  if (isWhole && row.path.startsWith('/api/v1/kinds/skills') && /POST|PUT/.test(row.method))
    return server.raw(row.method, path, ...upload(`skill-${FOREIGN}`, token));
  const whole = JSON.stringify(BODIES[routeOf(row)]?.() ?? {});
  const body = /POST|PUT/.test(row.method) ? (isWhole ? whole : '{"surely_unknown":true}') : undefined;
  return server.raw(row.method, path + query, body, { token, headers });
}

/** Errors there have the bodies of another protocol. */
const isDoor = (path: string): boolean => path.startsWith('/opencode/');
/** Admitted, such a reply does not end; test/server/opencode/events.test.ts reads it. */
const isEndless = ({ path }: AccessRow): boolean => /^\/opencode\/(global\/)?event$/.test(path);

const codeOf = (reply: Reply<unknown>): string | undefined => (reply.body as Problem | undefined)?.code;
const isRefused = (reply: Reply<unknown>): boolean => [401, 403].includes(reply.status);

/** What is wrong about the reply, undefined if nothing is. */
function wrong(kind: TokenKind, reply: Reply<unknown>, isAdmitted: boolean, path = ''): string | undefined {
  const told = `${reply.status} ${reply.text.slice(0, 200)}`;
  if (isAdmitted) return isRefused(reply) || reply.status >= 500 ? `refused: ${told}` : undefined;
  if (!isRefused(reply)) return `admitted: ${told}`;
  const { headers } = reply;
  const type = isDoor(path) ? /^application\/json/ : /^application\/problem\+json/;
  if (!type.test(headers['content-type'] ?? '')) return `no problem document: ${told}`;
  if (kind === 'none' && codeOf(reply) === 'origin_not_allowed') return undefined;
  return (reply.status === 401) === (kind === 'none') ? undefined : `the wrong refusal: ${told}`;
}

/** A call that is admitted must change nothing: what it would delete does not exist. */
const harmless = (row: AccessRow, ids: Record<string, string>): Record<string, string> =>
  row.method === 'DELETE' ? Object.fromEntries(Object.keys(ids).map((name) => [name, 'missing'])) : ids;

/** Calls of one cell: each with its ids and whether it must be admitted. */
function callsOf(row: AccessRow, access: Access): { ids: Record<string, string>; isAdmitted: boolean }[] {
  const names = paramsOf(row.path);
  const isAdmitted = access === 'all' || access === 'own';
  const calls = [{ ids: own.ids, isAdmitted }];
  if (names.length > 0) calls.push({ ids: foreign.ids, isAdmitted: access === 'all' });
  return calls;
}

describe('the access table of SPEC.md', () => {
  it('has one row for every route that is registered', () => {
    const written = TABLE.map((row) => routeOf(row).replace(/\{(\w+)\}/g, ':$1'));
    expect([...written].sort()).toEqual([...server.routes].sort());
  });

  it('names the scopes that the OpenAPI document declares', () => {
    const declared = Object.entries(server.openApi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        [...(operation['x-holdpoint-scopes'] ?? [])].sort(),
      ]),
    );
    const written = Object.fromEntries(TABLE.map((row) => [routeOf(row), scopesOf(row).sort()]));
    for (const [route, scopes] of declared) expect(written[String(route)], String(route)).toEqual(scopes);
    expect(declared.length).toBeGreaterThan(60);
  });
});

describe.each(CALLERS)('the caller with the token: %s', (caller, kind) => {
  it('is admitted and refused on every route as the table declares, with own and with foreign ids', async () => {
    const token = tokens[caller] ?? null;
    const failures: string[] = [];
    for (const row of TABLE) {
      for (const { ids, isAdmitted } of callsOf(row, row.access[kind])) {
        if (isAdmitted && isEndless(row)) continue;
        const sent = isAdmitted ? harmless(row, ids) : ids;
        const reply = await send({ row, ids: sent, token, isWhole: !isAdmitted });
        const failure = wrong(kind, reply, isAdmitted, row.path);
        if (failure) failures.push(`${routeOf(row)} (${ids === own.ids ? 'own' : 'foreign'}): ${failure}`);
      }
    }
    expect(failures).toEqual([]);
  });

  it('is shown nothing of a foreign session where the table says own', async () => {
    const token = tokens[caller] ?? null;
    for (const row of TABLE.filter((r) => r.method === 'GET' && r.access[kind] === 'own')) {
      const filters = ['session_id', 'run_id', 'parent_session_id', 'agent', 'q'].filter((name) => accepts(row, name));
      const queries = ['', ...filters.map((name) => `?${name}=${foreign.ids[name] ?? FOREIGN}`)];
      for (const query of queries) {
        const reply = await send({ row, ids: own.ids, token, isWhole: false, query });
        for (const secret of [FOREIGN, ...Object.values(foreign.ids).filter((id) => id.length > 8)])
          expect(reply.text, `${routeOf(row)}${query}`).not.toContain(secret);
      }
    }
  });

  it('cannot reach what is foreign through a path that begins with its own session', async () => {
    const token = tokens[caller] ?? null;
    for (const row of TABLE.filter((r) => r.access[kind] === 'own' && paramsOf(r.path).length > 1)) {
      const [first = ''] = paramsOf(row.path);
      const ids = { ...foreign.ids, [first]: String(own.ids[first]) };
      const reply = await send({ row, ids, token, isWhole: true });
      expect([403, 404], `${routeOf(row)}: ${reply.text}`).toContain(reply.status);
    }
  });

  it('is admitted and refused on a live stream as on a page', async () => {
    const token = tokens[caller] ?? null;
    const headers = { accept: 'text/event-stream' };
    for (const row of TABLE.filter((r) => /^\/v1\/.*events$/.test(r.path) && r.access[kind] !== 'all')) {
      if (row.access[kind] === 'own' && paramsOf(row.path).length === 0) continue;
      const reply = await send({ row, ids: foreign.ids, token, isWhole: true, headers });
      expect(wrong(kind, reply, false), routeOf(row)).toBeUndefined();
    }
  });
});

const accepts = ({ method, path }: AccessRow, name: string): boolean =>
  server.openApi.paths[path]?.[method.toLowerCase()]?.parameters?.some((p) => p.in === 'query' && p.name === name) ??
  false;

it('admits the browser of an operator exactly where the table admits the operator', async () => {
  const failures: string[] = [];
  for (const row of TABLE.filter((r) => r.path !== '/v1/sign-out' && !isEndless(r))) {
    const { operator } = row.access;
    const isAdmitted = operator !== '–';
    const reply = await send({ row, ids: harmless(row, own.ids), token: null, isWhole: !isAdmitted, headers: browser });
    const failure = wrong('operator', reply, isAdmitted, row.path);
    if (failure) failures.push(`${routeOf(row)}: ${failure}`);
  }
  expect(failures).toEqual([]);
});

it('names the accepted scope or credential when it refuses a caller', async () => {
  const viewer = tokens.viewer ?? null;
  const forbidden = await server.call<Problem>('POST', `/v1/runs/${own.ids.run_id}/questions`, {}, { token: viewer });
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
