// The route of hooks of attached agents: a token of its own that opens no other route, and no hooks of runs that Holdpoint
// hosts itself.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HookHandlers } from '../../../src/server/routes/hooks.ts';
import { openServer, type Server } from '../../support/server.ts';

const heard: unknown[] = [];
const callers: (Parameters<HookHandlers[string]>[3] | undefined)[] = [];
let server: Server;
let token: string;
beforeAll(async () => {
  const mirror: HookHandlers[string] = async (payload, _signal, ambiguity, caller) => {
    callers.push(caller);
    heard.push(ambiguity === undefined ? payload : { ambiguity });
    return { seen: true };
  };
  server = await openServer({ hooks: { mirror } });
  token = (await server.makeToken('attached')).token;
});
afterAll(() => server.close());

const call = (path: string, more: Parameters<Server['raw']>[3] = {}) =>
  server.raw('POST', path, JSON.stringify({ a: 1 }), { token, ...more });

it('passes the body of a hook to the agent and returns its reply', async () => {
  expect(await call('/v1/hooks/mirror')).toMatchObject({ status: 200, body: { seen: true } });
  expect(heard).toEqual([{ a: 1 }]);
});

it('names the hook token that calls and says whether another one is valid, and names no operator', async () => {
  await call('/v1/hooks/mirror', { token: server.token });
  expect(callers.at(-1)).toBeUndefined();
  await call('/v1/hooks/mirror');
  const caller = callers.at(-1);
  expect(await caller?.isValid(caller.tokenId)).toBe(true);
  const { token_id } = await server.makeToken('attached');
  expect(await caller?.isValid(token_id)).toBe(true);
  await server.call('DELETE', `/v1/tokens/${token_id}`);
  expect([await caller?.isValid(token_id), await caller?.isValid('tok_unknown')]).toEqual([false, false]);
  heard.length = 1;
});

it('does not pass on the hook of a run that Holdpoint hosts', async () => {
  const headers = { 'holdpoint-run': 'run_0123' };
  expect(await call('/v1/hooks/mirror', { headers })).toMatchObject({ status: 200, body: {} });
  expect(heard).toHaveLength(1);
  // What Claude Code sends where the variable is not set.
  for (const unset of ['', '$HOLDPOINT_RUN_ID'])
    expect(await call('/v1/hooks/mirror', { headers: { 'holdpoint-run': unset } })).toMatchObject({
      body: { seen: true },
    });
});

it('accepts bodies of up to 8 MiB with any characters', async () => {
  heard.length = 0;
  const said = { file: 'x'.repeat(3_000_000), texts: ['a\0b', '\ud800'] };
  expect(await server.raw('POST', '/v1/hooks/mirror', JSON.stringify(said), { token })).toMatchObject({ status: 200 });
  expect(heard).toEqual([said]);
  const more = JSON.stringify({ file: 'x'.repeat(8_388_608) });
  expect(await server.raw('POST', '/v1/hooks/mirror', more, { token })).toMatchObject({
    status: 413,
    body: { detail: 'A body has at most 8388608 bytes.' },
  });
});

it('finding 23: passes an ambiguous body to the agent with what is ambiguous', async () => {
  heard.length = 0;
  await server.raw('POST', '/v1/hooks/mirror', '{"tool_input":{"command":"rm","command":"ls"}}', { token });
  expect(heard).toEqual([{ ambiguity: 'tool_input.command occurs twice' }]);
});

it('answers 404 for an unknown agent', async () => {
  expect(await call('/v1/hooks/toString')).toMatchObject({ status: 404 });
});

it('refuses other tokens, and refuses its own token on every other route', async () => {
  for (const scope of ['viewer', 'worker']) {
    const other = (await server.makeToken(scope)).token;
    expect(await call('/v1/hooks/mirror', { token: other })).toMatchObject({ status: 403 });
  }
  for (const [path, operations] of Object.entries(server.openApi.paths))
    for (const method of Object.keys(operations)) {
      if (['/healthz', '/readyz'].includes(path) || path.startsWith('/v1/sign-in') || path === '/v1/me') continue;
      const { status } = await server.raw(method.toUpperCase(), path, method === 'get' ? undefined : '{}', { token });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
});
