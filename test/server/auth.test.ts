// Host, then Origin, then the token, before anything else is read: a wrong one is refused even with a valid bearer token,
// on every kind of path.
import { describe, expect, it } from 'vitest';
import { held, newSession, ok, refusal, resolution, showAsk } from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll({ origins: ['https://inbox.example'] });

const HOST = '127.0.0.1:4777';
const look = (headers: Record<string, string>, path = '/v1/asks', token?: string | null) =>
  server.get(path, { headers, ...(token !== undefined && { token }) });

describe('the header Host', () => {
  it.each([HOST, '127.0.0.1', 'localhost', 'LOCALHOST:80', 'localhost:1', '[::1]:4777', '[::1]'])(
    'accepts the Host %s',
    async (host) => {
      await ok(look({ host }));
    },
  );

  it.each([
    'evil.example',
    'evil.example:4777',
    '127.0.0.1.evil.example',
    'localhost.evil.example:4777',
    '127.0.0.2',
    '0.0.0.0:4777',
    '[::2]:4777',
    '[::1].evil.example',
    'evil.example[::1]',
    '@127.0.0.1',
    '127.0.0.1:80:evil',
    '127.0.0.1:evil',
  ])('refuses the Host %j with a valid token, without one, and on open paths', async (host) => {
    for (const [path, token] of [
      ['/v1/asks', server.token],
      ['/v1/asks', null],
      ['/openapi.json', null],
      ['/nowhere', null],
    ] as const) {
      const problem = await refusal(look({ host }, path, token), 403, 'host_not_allowed');
      expect(problem).toMatchObject({ domain: 'auth', detail: expect.stringContaining('127.0.0.1') });
    }
  });
});

it('answers probes under any Host, and metrics under any Host with a token alone', async () => {
  for (const path of ['/healthz', '/readyz']) await ok(look({ host: '10.0.0.7:4777' }, path, null));
  await ok(look({ host: '10.0.0.7:4777' }, '/metrics'));
  await refusal(look({ host: '10.0.0.7:4777' }, '/metrics', null), 401, 'unauthenticated');
  const foreign = { host: '10.0.0.7:4777', origin: 'https://evil.example' };
  await refusal(look(foreign, '/healthz', null), 403, 'origin_not_allowed');
});

describe('the header Origin', () => {
  it.each([`http://${HOST}`, 'https://inbox.example'])('accepts the Origin %s with a token', async (origin) => {
    await ok(look({ host: HOST, origin }));
  });

  it.each([
    'https://evil.example',
    'http://127.0.0.1:9999',
    'http://localhost:4777',
    `https://${HOST}`,
    `ftp://${HOST}`,
    `http://user@${HOST}`,
    `http://${HOST}/`,
    'null',
    'https://inbox.example.evil.example',
    'https://inbox.example:444',
    'http://inbox.example',
    '',
    'file://',
  ])('refuses the Origin %j even with a valid bearer token', async (origin) => {
    await refusal(look({ host: HOST, origin }), 403, 'origin_not_allowed');
    await refusal(look({ host: HOST, origin }, '/healthz', null), 403, 'origin_not_allowed');
  });

  it.each([
    ['inbox.example', 'https://inbox.example', true],
    ['inbox.example', 'http://inbox.example', false],
    ['inbox.example', 'https://inbox.example:444', false],
    ['inbox.example:443', 'https://inbox.example', true],
    ['inbox.example:444', 'https://inbox.example:444', true],
    ['inbox.example:444', 'https://inbox.example', false],
    ['127.0.0.1:4777', 'http://127.0.0.1:4777', true],
    ['127.0.0.1:4777', 'https://127.0.0.1:4777', false],
    ['127.0.0.1', 'http://127.0.0.1', true],
  ])(
    'behind a proxy that terminates TLS, decides whether Host %s accepts pages from Origin %s: %s',
    async (host, origin, isOwn) => {
      const proxied = await openServer({ proxiedAs: 'inbox.example' });
      try {
        const reply = await proxied.raw('GET', '/v1/asks', undefined, { headers: { host, origin } });
        expect(reply.status).toBe(isOwn ? 200 : 403);
      } finally {
        await proxied.close();
      }
    },
  );

  it('changes nothing for a refused Origin', async () => {
    const h = await held(server);
    const headers = { host: HOST, origin: 'https://evil.example' };
    const sent = server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { headers });
    await refusal(sent, 403, 'origin_not_allowed');
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it('sends no CORS header on any reply', async () => {
    for (const headers of [
      { host: HOST },
      { host: HOST, origin: `http://${HOST}` },
      { host: HOST, origin: 'https://evil.example' },
    ]) {
      const reply = await server.raw('GET', '/v1/asks', undefined, { headers });
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const preflight = await server.raw('OPTIONS', '/v1/asks', undefined, {
      token: null,
      headers: { host: HOST, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(403);
  });
});

describe('the order of checks', () => {
  const evil = { host: 'evil.example', origin: 'https://evil.example' };

  it('checks Host, Origin, token, scope and body in this order', async () => {
    const { session_id } = await newSession(server);
    const { token: viewer } = await server.makeToken('viewer');
    const path = `/v1/sessions/${session_id}/interrupt`;
    const send = (headers: Record<string, string>, token: string | null) =>
      server.post(path, { nonsense: true }, { headers, token });
    await refusal(send(evil, 'wrong'), 403, 'host_not_allowed');
    await refusal(send({ ...evil, host: HOST }, 'wrong'), 403, 'origin_not_allowed');
    await refusal(send({ host: HOST }, 'wrong'), 401, 'unauthenticated');
    await refusal(send({ host: HOST }, viewer), 403, 'scope_forbidden');
    expect((await refusal(send({ host: HOST }, server.token), 400, 'invalid_request')).detail).toContain('nonsense');
  });

  it('answers 401 for an unknown path without a token', async () => {
    await refusal(look({ host: HOST }, '/v1/secrets', null), 401, 'unauthenticated');
    await refusal(look({ host: HOST }, '/v1/secrets'), 404, 'route_not_found');
  });

  it('does not parse a body without a token', async () => {
    const reply = await server.raw('POST', '/v1/sessions', '{"agent":', { token: null });
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});

describe('the token', () => {
  it.each([
    ['none', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic b3BlcmF0b3I6eA==' }],
    ['an unknown one', { authorization: 'Bearer hp_nope' }],
  ])('answers 401 with a challenge for %s', async (_name, headers) => {
    const reply = await server.get('/v1/asks', { token: null, headers });
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated', domain: 'auth' } });
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('ignores a token in the query or in a cookie', async () => {
    await refusal(look({ host: HOST }, `/v1/asks?token=${server.token}`, null), 401, 'unauthenticated');
    await refusal(look({ host: HOST, cookie: `token=${server.token}` }, '/v1/asks', null), 401, 'unauthenticated');
  });

  it('forbids sniffing, caching and referrers on every reply', async () => {
    for (const [path, token] of [
      ['/v1/asks', server.token],
      ['/v1/asks', null],
      ['/nowhere', server.token],
      ['/healthz', null],
      ['/v1/asks?limit=0', server.token],
    ] as const) {
      const { headers } = await server.raw('GET', path, undefined, { token });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
    }
  });
});

it('refuses a request without an Origin that has no token, and one with a foreign Host even with a token', async () => {
  const h = await held(server);
  const send = (headers: Record<string, string>, token: string | null) =>
    server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { headers, token });
  await refusal(send({}, null), 401, 'unauthenticated');
  await refusal(send({ cookie: `holdpoint=${server.token}` }, null), 401, 'unauthenticated');
  await refusal(send({ host: 'attacker.example' }, server.token), 403, 'host_not_allowed');
  await refusal(server.get('/v1/asks', { token: null, headers: {} }), 401, 'unauthenticated');
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
});
