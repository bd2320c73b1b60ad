// Sightings over HTTP: a surface reports one in the name of its caller, people are shown them, agents and other programs
// may not report them.
// Covers: src/server/routes/asks.ts, src/gateway/see.ts
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { answer, eventsOfSession, held, ok, refusal, showAsk } from '../../support/api-calls.ts';
import { headersOf, signIn } from '../../support/browser.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { openStream } from '../../support/stream.ts';

const server = serverForAll();

const see = (askId: string, token?: string, surface?: string) =>
  server.post(
    `/v1/asks/${askId}/seen`,
    {},
    {
      ...(token !== undefined && { token }),
      ...(surface !== undefined && { headers: { 'holdpoint-surface': surface } }),
    },
  );
const tokenOf = async (scope: string, name: string, sessionId?: string) =>
  (await server.makeToken(scope, sessionId, { name })).token;
const whoSaw = async (askId: string) =>
  (await showAsk(server, askId)).seen_by?.map(({ by, surface }) => `${by} ${surface}`);

describe('POST /v1/asks/{ask_id}/seen', () => {
  it('records sightings of operators and viewers under their name and surface', async () => {
    const { ask, sessionId } = await held(server);
    const mate = await tokenOf('viewer', 'mate');
    for (const surface of ['web', 'cli', 'web', 'system', 'nonsense'])
      expect((await see(ask.ask_id, mate, surface)).status).toBe(204);
    await ok(see(ask.ask_id));
    expect(await whoSaw(ask.ask_id)).toEqual(['mate web', 'mate cli', 'mate api', 'operator api']);
    const events = await eventsOfSession(server, sessionId);
    expect(events.filter(({ type }) => type === 'ask.seen')).toHaveLength(4);
  });

  it.each(['agent', 'worker', 'attached'])('refuses a token of scope %s', async (scope) => {
    const { ask, sessionId } = await held(server);
    const token = await tokenOf(scope, 'program', scope === 'agent' ? sessionId : undefined);
    await refusal(see(ask.ask_id, token), 403, 'scope_forbidden');
    expect(await whoSaw(ask.ask_id)).toEqual([]);
  });

  it('records the sighting of a signed-in browser', async () => {
    const { ask } = await held(server);
    const headers = headersOf(await signIn(server, { name: 'lead', scope: 'viewer' }));
    expect((await server.post(`/v1/asks/${ask.ask_id}/seen`, {}, { token: null, headers })).status).toBe(204);
    expect(await whoSaw(ask.ask_id)).toEqual(['lead web']);
  });

  it('refuses an unknown ask, a body and an empty idempotency key', async () => {
    await refusal(see('ask_none'), 404, 'ask_not_found');
    const { ask } = await held(server);
    await refusal(server.post(`/v1/asks/${ask.ask_id}/seen`, { by: 'lead' }), 400, 'invalid_request');
    const headers = { 'idempotency-key': '' };
    await refusal(server.post(`/v1/asks/${ask.ask_id}/seen`, {}, { headers }), 400, 'invalid_idempotency_key');
    expect(await whoSaw(ask.ask_id)).toEqual([]);
  });

  it('records nothing for a caller that only reads the ask', async () => {
    const { ask, sessionId } = await held(server);
    for (const path of ['/v1/asks', `/v1/asks/${ask.ask_id}`, '/v1/questions', `/v1/sessions/${sessionId}`, '/metrics'])
      await ok(server.get(path));
    expect(await whoSaw(ask.ask_id)).toEqual([]);
  });
});

describe('seen_by', () => {
  it('is in every view of an ask for people, also when it has ended, and in no view for an agent', async () => {
    const h = await held(server, {}, { title: 'witnessed' });
    const { ask, sessionId } = h;
    const agent = await tokenOf('agent', 'bot', sessionId);
    await ok(see(ask.ask_id, await tokenOf('operator', 'mate'), 'web'));
    const seen_by = [{ by: 'mate', surface: 'web', at_ms: expect.any(Number) }];
    const listed = async (query: string, token = server.token) =>
      (await ok(server.get<AskView[]>(`/v1/asks?session_id=${sessionId}&${query}`, { token })))[0];
    expect(await listed('status=pending')).toMatchObject({ seen_by });
    expect(await listed('status=pending', agent)).not.toHaveProperty('seen_by');
    const stream = await openStream(server, `/v1/sessions/${sessionId}/events?snapshot=true`);
    await stream.until(({ frames }) => frames.length > 0);
    expect(JSON.parse(stream.frames[0]?.data ?? '').asks).toMatchObject([{ seen_by }]);
    stream.close();
    await ok(answer(server, h));
    expect(await listed('q=witnessed')).toMatchObject({ status: 'answered', seen_by });
    expect(await listed('status=ended', agent)).not.toHaveProperty('seen_by');
  });
});
