// The actor of a request: its name comes from the token and its surface from a header that must name a known surface.
// Covers: src/server/auth.ts
import { describe, expect, it } from 'vitest';
import {
  allow,
  answer,
  eventsOfRun,
  type Held,
  held,
  ok,
  picks,
  refusal,
  resolution,
  showAsk,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('the author of an answer', () => {
  it('records the name of the token as the author and refuses or ignores an author in body or headers', async () => {
    const { token } = await server.makeToken('operator', undefined, { name: 'mate' });
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/questions`;
    for (const field of ['answered_by', 'actor', 'approver', 'surface', 'answered_at_ms']) {
      const forged = resolution(h.ask.ask_id, picks('openai'), { [field]: 'ceo' });
      expect((await refusal(server.post(path, forged, { token }), 400, 'invalid_request')).detail).toContain(field);
      const outside = { ...resolution(h.ask.ask_id), [field]: 'ceo' };
      await refusal(server.post(path, outside, { token }), 400, 'invalid_request');
    }
    const headers = { 'x-user': 'ceo', 'x-forwarded-user': 'ceo', from: 'ceo@example.com' };
    await ok(
      server.post(path, resolution(h.ask.ask_id, picks('openai'), { justification: 'I am the CEO' }), {
        token,
        headers,
      }),
    );
    expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ answered_by: 'mate', surface: 'api' });
    const claim = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'ask.claimed');
    expect(claim?.data.answer).toMatchObject({ answered_by: 'mate' });
  });

  it('records the name of the token as the author of approvals, cancels, interrupts and ended sessions', async () => {
    const { token } = await server.makeToken('operator', undefined, { name: 'lead' });
    const a = await held(server, { kind: 'approval' });
    const batch = { resolutions: [allow(a.ask.ask_id)], approver: 'ceo' };
    await refusal(server.post(`/v1/runs/${a.runId}/approvals`, batch, { token }), 400, 'invalid_request');
    const stops: [Held, string][] = [];
    for (const stop of ['cancel', 'interrupt', 'end']) stops.push([await held(server), stop]);
    for (const [h, stop] of stops) {
      const path = stop === 'cancel' ? `/v1/runs/${h.runId}/cancel` : `/v1/sessions/${h.sessionId}/${stop}`;
      await ok(server.post(path, {}, { token }));
      expect((await showAsk(server, h.ask.ask_id)).answer?.answered_by).toBe('lead');
    }
  });
});

describe('the surface of an answer', () => {
  it.each(['api', 'cli', 'web', 'thread', 'form', 'mcp', 'opencode', 'link'])(
    'records the surface of the header Holdpoint-Surface: %s',
    async (surface) => {
      const h = await held(server);
      await ok(answer(server, h, picks('openai'), { headers: { 'holdpoint-surface': surface } }));
      expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ surface, answered_by: 'operator' });
    },
  );

  it.each(['system', 'fax', 'WEB', ''])('records the surface api when Holdpoint-Surface is %j', async (surface) => {
    const h = await held(server);
    await ok(answer(server, h, picks('openai'), { headers: { 'holdpoint-surface': surface } }));
    expect((await showAsk(server, h.ask.ask_id)).answer?.surface).toBe('api');
  });
});
