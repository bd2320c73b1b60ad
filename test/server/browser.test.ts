// Cookies of signed-in browsers: a browser sends them whichever page asks, so they count only from our own page, on every
// route that is not a GET, in the order Host → Origin → cookie → scope → CSRF → body.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/server/problem.ts';
import { held, ok, refusal, resolution, showAsk } from '../support/api-calls.ts';
import { type Cookies, HOST, headersOf, ORIGIN, signIn } from '../support/browser.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll({ limits: { signInsPerMinute: 0 } });
let cookies: Cookies;
beforeAll(async () => {
  cookies = await signIn(server);
});

/** Every operation that is no GET, but for the one that makes the cookie. */
const changing = () =>
  Object.entries(server.openApi.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'get' && path !== '/v1/sign-in')
      .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{(\w+)\}/g, '$1') })),
  );

const FORGED: [name: string, headers: Record<string, string | undefined>, code: string][] = [
  ['without an Origin', { origin: undefined }, 'origin_not_allowed'],
  ['from another port of this machine', { origin: 'http://127.0.0.1:9999' }, 'origin_not_allowed'],
  ['from a page the browser knows to be another', { 'sec-fetch-site': 'same-site' }, 'origin_not_allowed'],
  ['without the header', { 'holdpoint-csrf': undefined }, 'csrf_token_invalid'],
  ['with an empty header', { 'holdpoint-csrf': '' }, 'csrf_token_invalid'],
  ['with another value', { 'holdpoint-csrf': 'x'.repeat(64) }, 'csrf_token_invalid'],
];

describe.each(FORGED)('a request with a cookie, %s', (_name, forged, code) => {
  it('is refused on every route that can change something', async () => {
    const routes = changing();
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, path } of routes) {
      const reply = await server.call<Problem>(method, path, {}, { token: null, headers: headersOf(cookies, forged) });
      expect(`${method} ${path}: ${reply.status} ${reply.body.code}`).toBe(`${method} ${path}: 403 ${code}`);
    }
  });
});

it('refuses a CSRF cookie that another page planted', async () => {
  const planted = { session: cookies.session, csrf: 'planted' };
  await refusal(
    server.post('/v1/sessions', {}, { token: null, headers: headersOf(planted) }),
    403,
    'csrf_token_invalid',
  );
  const other = await signIn(server);
  const mixed = headersOf({ session: cookies.session, csrf: other.csrf });
  await refusal(server.post('/v1/sessions', {}, { token: null, headers: mixed }), 403, 'csrf_token_invalid');
});

it('changes nothing for a refused request, and accepts the answer of our own page', async () => {
  const h = await held(server);
  const send = (headers: Record<string, string>) =>
    server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { token: null, headers });
  await refusal(send(headersOf(cookies, { 'holdpoint-csrf': undefined })), 403, 'csrf_token_invalid');
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  await ok(send(headersOf(cookies)));
});

it('needs no CSRF header for reading, and refuses reading for other pages', async () => {
  const read = (more: Record<string, string | undefined>) =>
    server.get('/v1/asks', { token: null, headers: headersOf(cookies, { 'holdpoint-csrf': undefined, ...more }) });
  await ok(read({ origin: undefined }));
  await ok(read({ origin: undefined, 'sec-fetch-site': 'same-origin' }));
  await ok(read({ origin: undefined, 'sec-fetch-site': 'none' }));
  await refusal(read({ origin: undefined, 'sec-fetch-site': 'same-site' }), 403, 'origin_not_allowed');
  await refusal(read({ origin: undefined, 'sec-fetch-site': 'cross-site' }), 403, 'origin_not_allowed');
  await refusal(read({ origin: 'http://evil.example' }), 403, 'origin_not_allowed');
});

it('checks Host, Origin, cookie, scope, CSRF and body in this order', async () => {
  const viewer = await signIn(server, { scope: 'viewer' });
  const send = (own: Cookies, more: Record<string, string | undefined>) =>
    server.post('/v1/sessions', { nonsense: true }, { token: null, headers: headersOf(own, more) });
  const wrong = { session: 'wrong', csrf: 'wrong', raw: [] };
  const nothing = { 'holdpoint-csrf': undefined };
  await refusal(send(wrong, { ...nothing, host: 'evil.example', origin: undefined }), 403, 'host_not_allowed');
  await refusal(send(wrong, { ...nothing, origin: undefined }), 403, 'origin_not_allowed');
  await refusal(send(wrong, nothing), 401, 'unauthenticated');
  await refusal(send(viewer, nothing), 403, 'scope_forbidden');
  await refusal(send(cookies, nothing), 403, 'csrf_token_invalid');
  await refusal(send(cookies, {}), 400, 'invalid_request');
});

it('needs neither Origin nor CSRF header with a bearer token, which takes precedence over a cookie', async () => {
  const headers = { host: HOST, cookie: `holdpoint_session=${cookies.session}` };
  await ok(server.post('/v1/sessions', { agent: 'external' }, { headers }));
  await ok(server.post('/v1/sessions', { agent: 'external' }, { headers: { ...headers, origin: ORIGIN } }));
});
