// Signing in from a browser: links that work once and for a short time, and cookies that expire and are revoked as tokens
// are.
// Covers: src/core/sign-in.ts, src/gateway/sign-in.ts
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { AskView, EventView, MeView, SignInLinkView, TokenView } from '../../../src/core/views.ts';
import { BODIES } from '../../fuzz/nasty.ts';
import {
  answer,
  eventsOfSession,
  held,
  ok,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
} from '../../support/api-calls.ts';
import { codeOf, cookiesOf, HOST, headersOf, ORIGIN, postCode, signIn } from '../../support/browser.ts';
import { openServer } from '../../support/server.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { openStream } from '../../support/stream.ts';

type Token = z.infer<typeof TokenView>;

const server = serverForAll({ limits: { signInsPerMinute: 0 } });

const tokens = async () => (await ok(server.get<Token[]>('/v1/tokens?limit=500'))).filter((t) => t.kind === 'browser');
const me = (headers: Record<string, string>) => server.get<MeView>('/v1/me', { token: null, headers });

describe('a sign-in link', () => {
  it('signs a browser in once and returns its identity', async () => {
    const code = await codeOf(server);
    const reply = await postCode(server, { code, name: ' lead ' });
    expect(reply.body).toMatchObject({ name: 'lead', scope: 'operator', kind: 'browser' });
    const cookies = cookiesOf(reply);
    expect((await ok(me(headersOf(cookies)))).token_id).toBe(reply.body.token_id);

    const again = await refusal(postCode(server, { code }), 410, 'sign_in_link_used');
    expect(again.detail).toContain('holdpoint sign-in');
  });

  it('signs one browser in when it is used twice at once', async () => {
    const code = await codeOf(server);
    const replies = await Promise.all(Array.from({ length: 8 }, () => postCode(server, { code })));
    expect(replies.map((r) => r.status).sort()).toEqual([200, ...Array(7).fill(410)]);
  });

  it('expires after ten minutes, and the refusal says so', async () => {
    const code = await codeOf(server);
    server.advance(10 * 60_000);
    const { detail } = await refusal(postCode(server, { code }), 410, 'sign_in_link_expired');
    expect(detail).toMatch(/ten|10 minutes/);
  });

  it('is refused when the server does not know it, with how to get a new one', async () => {
    const { detail } = await refusal(postCode(server, { code: 'x'.repeat(43) }), 404, 'sign_in_link_unknown');
    expect(detail).toContain('holdpoint sign-in');
  });

  it('fixes the name of its person, and may grant the scope viewer only', async () => {
    const reply = await postCode(server, {
      code: await codeOf(server, { name: 'mate', scope: 'viewer' }),
      name: 'somebody else',
    });
    expect(reply.body).toMatchObject({ name: 'mate', scope: 'viewer' });
    const h = await held(server);
    const headers = headersOf(cookiesOf(reply));
    const answer = server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { token: null, headers });
    await refusal(answer, 403, 'scope_forbidden');
  });

  it('works after a restart, and so do the cookies', async () => {
    const code = await codeOf(server);
    const cookies = await signIn(server);
    await server.restart();
    await ok(postCode(server, { code }));
    await ok(me(headersOf(cookies)));
  });

  it('is stored as a hash only, and so is the cookie', async () => {
    const code = await codeOf(server);
    const { session } = await signIn(server);
    const events = await server.get<EventView[]>('/v1/sessions/system/events?limit=500');
    expect(events.body.map((e) => e.type)).toEqual(expect.arrayContaining(['token.offered', 'token.created']));
    const everything = [events.text, (await server.get('/v1/tokens?limit=500')).text].join();
    expect(everything).not.toContain(code);
    expect(everything).not.toContain(session);
  });

  it('is created by operators only', async () => {
    const { token } = await server.makeToken('viewer');
    await refusal(server.post('/v1/sign-in-links', {}, { token }), 403, 'scope_forbidden');
    await refusal(server.post('/v1/sign-in-links', { scope: 'worker' }), 400, 'invalid_request');
    await refusal(server.post('/v1/sign-in-links', { name: 'rule:mine' }), 400, 'invalid_request');
  });

  it('is returned again under the same idempotency key', async () => {
    const headers = { host: HOST, 'idempotency-key': 'once' };
    const [a, b] = [
      await server.post('/v1/sign-in-links', {}, { headers }),
      await server.post('/v1/sign-in-links', {}, { headers }),
    ];
    expect(b.body).toEqual(a.body);
  });
});

describe('signing in', () => {
  it('requires the Origin of our own page before the code is read', async () => {
    const code = await codeOf(server);
    for (const headers of [
      { host: HOST },
      { host: HOST, origin: 'http://127.0.0.1:9999' },
      { host: HOST, origin: ORIGIN, 'sec-fetch-site': 'same-site' },
      { host: HOST, origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
    ])
      await refusal(server.post('/v1/sign-in', { code }, { token: null, headers }), 403, 'origin_not_allowed');
    await ok(postCode(server, { code }));
  });

  it('refuses a body that does not fit its schema', async () => {
    const headers = { host: HOST, origin: ORIGIN };
    for (const body of BODIES) {
      const reply = await server.raw('POST', '/v1/sign-in', body, { token: null, headers });
      expect(reply.status, String(body).slice(0, 50)).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
    await refusal(postCode(server, { code: 'x', no_such_field: 1 }), 400, 'invalid_request');
    await refusal(postCode(server, { code: 'x', name: 'system' }), 400, 'invalid_request');
  });

  it('finding 9: refuses a chosen name that another person signs with, however it is written', async () => {
    await signIn(server, { name: 'Ann' });
    const code = await codeOf(server);
    for (const name of ['Ann', 'ann', 'A\u0301nn', '\uff21nn', '\u0410nn', ' Ann '])
      await refusal(postCode(server, { code, name }), 409, 'name_taken');
    for (const name of ['system\u200b', '\u0455ystem', 'Sys\u0442em', '\uff53ystem', 'tok_1', 'Be\u00adn'])
      await refusal(postCode(server, { code, name }), 400, 'invalid_request');
    const other = await signIn(server, {}, { name: 'Bea' });
    expect((await ok(me(headersOf(other)))).name).toBe('Bea');
    await signIn(server, { name: 'Bea' });
    const again = { cookie: `holdpoint_session=${other.session}` };
    await ok(postCode(server, { code, name: 'Bea' }, again));
  });

  it('finding 9: shows the draft of a person to nobody who takes their name later', async () => {
    const { ask } = await held(server);
    const path = `/v1/asks/${ask.ask_id}/draft`;
    const draft = { justification: 'half a sentence' };
    const first = await signIn(server, {}, { name: 'Cleo' });
    await ok(server.call('PUT', path, draft, { token: null, headers: headersOf(first) }));
    expect((await server.get(path, { token: null, headers: headersOf(first) })).body).toMatchObject({
      ...draft,
      saved_by: 'Cleo',
    });
    await ok(server.post('/v1/sign-out', {}, { token: null, headers: headersOf(first) }));
    const second = await signIn(server, {}, { name: 'Cleo' });
    expect((await server.get(path, { token: null, headers: headersOf(second) })).status).toBe(204);
  });

  it('finding 9: names the token in the log of who saw, answered and withdrew', async () => {
    const h = await held(server);
    const cookies = await signIn(server, {}, { name: 'Dora' });
    const as = { token: null, headers: headersOf(cookies) };
    const { token_id } = await ok(me(headersOf(cookies)));
    await ok(server.post(`/v1/asks/${h.ask.ask_id}/seen`, {}, as));
    await ok(answer(server, h, undefined, as));
    const withdrawn = await raiseQuestion(server, h.runId);
    const agent = await server.makeToken('agent', h.sessionId);
    await ok(server.post(`/v1/asks/${withdrawn.ask_id}/withdraw`, {}, { token: agent.token }));
    const events = await eventsOfSession(server, h.sessionId);
    const tokens = events
      .filter(({ type }) => type === 'ask.seen' || type === 'ask.claimed')
      .map(({ data }) => (data as { token_id?: string }).token_id);
    expect(tokens).toEqual([token_id, token_id, agent.token_id]);
  });

  it('ends the previous session of the browser', async () => {
    const before = await signIn(server);
    const code = await codeOf(server);
    await ok(postCode(server, { code }, { cookie: `holdpoint_session=${before.session}` }));
    await refusal(me(headersOf(before)), 401, 'unauthenticated');
  });

  it('finding 20: limits wrong codes per minute, and accepts a right one after any number of them', async () => {
    const strict = await openServer({ limits: { signInsPerMinute: 3 } });
    try {
      const code = await codeOf(strict);
      for (let i = 0; i < 3; i++) await refusal(postCode(strict, { code: 'x' }), 404, 'sign_in_link_unknown');
      await refusal(postCode(strict, { code: 'x' }), 429, 'rate_limited');
      await ok(postCode(strict, { code }));
      strict.advance(60_000);
      await refusal(postCode(strict, { code: 'x' }), 404, 'sign_in_link_unknown');
    } finally {
      await strict.close();
    }
  });

  it.each([
    ['the address that a trusted proxy saw', 'inbox.example', 404],
    ['its own address without a proxy, whatever it says', undefined, 429],
  ] as const)('finding 20: counts the wrong codes of a caller by %s', async (_, proxiedAs, status) => {
    const strict = await openServer({ limits: { signInsPerMinute: 1 }, ...(proxiedAs && { proxiedAs }) });
    try {
      const wrong = (seen: string) => postCode(strict, { code: 'x' }, { 'x-forwarded-for': `6.6.6.6, ${seen}` });
      await refusal(wrong('10.0.0.1'), 404, 'sign_in_link_unknown');
      await refusal(wrong('10.0.0.1'), 429, 'rate_limited');
      expect((await wrong('10.0.0.2')).status).toBe(status);
    } finally {
      await strict.close();
    }
  });
});

describe('the cookies of a session', () => {
  it('are SameSite=Strict and bounded in time, and only one is readable by a page', async () => {
    const { raw } = await signIn(server);
    expect(raw).toHaveLength(2);
    for (const cookie of raw) {
      expect(cookie).toContain('SameSite=Strict');
      expect(cookie).toContain('Path=/');
      expect(cookie).toContain('Max-Age=604800');
      expect(cookie).not.toContain('Secure');
      expect(cookie.includes('HttpOnly')).toBe(cookie.startsWith('holdpoint_session='));
    }
  });

  it('answer in the name of the person with the surface web', async () => {
    const cookies = await signIn(server, { name: 'mate' });
    const h = await held(server);
    const headers = headersOf(cookies);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id), { token: null, headers }));
    const { answer } = (await showAsk(server, h.ask.ask_id)) as AskView;
    expect(answer).toMatchObject({ answered_by: 'mate', surface: 'web' });
  });

  it('are listed as tokens, expire after a week, and are revoked like any other', async () => {
    const cookies = await signIn(server, { name: 'lead' });
    const mine = await ok(me(headersOf(cookies)));
    expect(mine.expires_at_ms).toBeLessThanOrEqual(server.now() + 7 * 24 * 3600_000);
    expect((await tokens()).find((t) => t.token_id === mine.token_id)).toMatchObject({ name: 'lead' });

    const other = await signIn(server);
    await ok(server.call('DELETE', `/v1/tokens/${mine.token_id}`));
    const { detail } = await refusal(me(headersOf(cookies)), 401, 'unauthenticated');
    expect(detail).toContain('holdpoint sign-in');
    await ok(me(headersOf(other)));
    server.advance(7 * 24 * 3600_000);
    await refusal(me(headersOf(other)), 401, 'unauthenticated');
  });

  it('are refused as bearer tokens, and bearer tokens as cookies', async () => {
    const { session, csrf } = await signIn(server);
    await refusal(server.get('/v1/me', { token: session }), 401, 'unauthenticated');
    await refusal(me(headersOf({ session: server.token, csrf })), 401, 'unauthenticated');
    await refusal(
      server.get('/v1/me', { token: 'wrong', headers: headersOf({ session, csrf }) }),
      401,
      'unauthenticated',
    );
  });
});

it('issues links and cookies for TLS behind a proxy that terminates it, and for HTTP on loopback', async () => {
  const proxied = await openServer({ proxiedAs: 'inbox.example' });
  try {
    for (const [host, scheme] of [
      ['inbox.example', 'https'],
      ['127.0.0.1:4777', 'http'],
    ] as const) {
      const offered = await ok(proxied.post<SignInLinkView>('/v1/sign-in-links', {}, { headers: { host } }));
      expect(offered.url).toMatch(new RegExp(`^${scheme}://${host}/sign-in#`));
      const code = offered.url.split('#')[1] ?? '';
      const reply = await postCode(proxied, { code }, { host, origin: `${scheme}://${host}` });
      for (const cookie of cookiesOf(reply).raw) expect(cookie.includes('Secure')).toBe(scheme === 'https');
    }
  } finally {
    await proxied.close();
  }
});

describe('signing out', () => {
  it('ends the session and its streams, and clears the cookies', async () => {
    const cookies = await signIn(server);
    const headers = headersOf(cookies);
    const stream = await openStream(server, '/v1/events', { token: null, headers: { cookie: headers.cookie ?? '' } });
    const reply = await server.post('/v1/sign-out', {}, { token: null, headers });
    expect(reply.status).toBe(204);
    expect(cookiesOf(reply)).toMatchObject({ session: '', csrf: '' });
    for (const cookie of cookiesOf(reply).raw) expect(cookie).toContain('Max-Age=0');
    await refusal(me(headers), 401, 'unauthenticated');
    await stream.ended;
  });

  it('refuses a bearer token and says how to revoke it', async () => {
    const { detail } = await refusal(server.post('/v1/sign-out'), 400, 'invalid_request');
    expect(detail).toContain('DELETE /v1/tokens');
    await ok(server.get('/v1/me'));
  });
});

it('returns the identity of a bearer token on /v1/me', async () => {
  const h = await held(server);
  const { token } = await server.makeToken('agent', h.sessionId, { name: 'builder' });
  const mine = await ok(server.get<MeView>('/v1/me', { token }));
  expect(mine).toMatchObject({ name: 'builder', scope: 'agent', session_id: h.sessionId, kind: 'bearer' });
  expect(await ok(server.get<MeView>('/v1/me'))).toMatchObject({ name: 'operator', scope: 'operator' });
});
