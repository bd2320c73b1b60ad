// Drafts: what a person has typed survives reloads, restarts and the end of the ask, is shown to the other devices of that
// person only, holds no secret, and is deleted once its author has answered.
// Covers: src/core/draft.ts, src/gateway/draft.ts
import { describe, expect, it } from 'vitest';
import type { DraftView } from '../../../src/core/views.ts';
import { eventually, held, NOTES, ok, picks, ROUTING, refusal, resolution } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { openStream } from '../../support/stream.ts';

const server = serverForAll();

const pathOf = (askId: string) => `/v1/asks/${askId}/draft`;
const save = (askId: string, body: object, as = {}) => server.call<DraftView>('PUT', pathOf(askId), body, as);
const show = (askId: string, as = {}) => server.call<DraftView>('GET', pathOf(askId), undefined, as);
const TYPED = { answers: [{ question_id: 'notes', freeform_answer: 'half a sent' }] };
/** Another person, as they call. */
const called = async (name: string) => {
  const { token } = await server.makeToken('operator', undefined, { name });
  return { token };
};
const asked = () => held(server, { questions: [ROUTING, NOTES] });

describe('a draft', () => {
  it('stores a draft with its author and instant, and the last save wins', async () => {
    const { ask } = await asked();
    expect((await show(ask.ask_id)).status).toBe(204);
    const first = await ok(save(ask.ask_id, TYPED));
    expect(first).toMatchObject({ ...TYPED, revision: 1, saved_by: 'operator' });
    const second = await ok(save(ask.ask_id, { ...TYPED, justification: 'because' }));
    expect(second.revision).toBe(2);
    expect(await ok(show(ask.ask_id))).toEqual(second);
  });

  it('counts every save when two devices save a draft at once', async () => {
    const { ask } = await asked();
    const saves = await Promise.all(Array.from({ length: 10 }, () => ok(save(ask.ask_id, TYPED))));
    expect(saves.map((d) => d.revision).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('keeps a draft over a restart, the expiry of the ask and its cancellation', async () => {
    const expiring = await held(server, { questions: [NOTES], expires_after_ms: 60_000 });
    const cancelled = await asked();
    await ok(save(expiring.ask.ask_id, TYPED));
    await ok(save(cancelled.ask.ask_id, TYPED));
    await ok(server.post(`/v1/runs/${cancelled.runId}/questions/${cancelled.ask.ask_id}/cancel`));
    await server.restart(() => server.advance(61_000));
    expect((await ok(server.get<{ status: string }>(`/v1/asks/${expiring.ask.ask_id}`))).status).toBe('expired');
    expect(await ok(show(expiring.ask.ask_id))).toMatchObject(TYPED);
    expect(await ok(show(cancelled.ask.ask_id))).toMatchObject(TYPED);
    await ok(save(expiring.ask.ask_id, { ...TYPED, justification: 'still here' }));
  });

  it('hides a draft once its author has answered or declined, and deletes it soon after', async () => {
    for (const answer of [{ answers: picks('local') }, { declined: true }]) {
      const h = await held(server);
      await ok(save(h.ask.ask_id, { answers: picks('openai') }));
      await ok(server.post(`/v1/runs/${h.runId}/questions`, { resolution: { request_id: h.ask.ask_id, ...answer } }));
      expect((await show(h.ask.ask_id)).status).toBe(204);
      await refusal(save(h.ask.ask_id, {}), 409, 'ask_state_conflict');
      server.advance(61_000);
      await eventually(() => server.ports.store.read((r) => r.get('draft', h.ask.ask_id, 'operator'))).toBeUndefined();
    }
  });

  it('keeps the draft of another person when the ask is answered, also one saved at that moment', async () => {
    const mate = await called('mate');
    const h = await asked();
    await ok(save(h.ask.ask_id, TYPED, mate));
    const mine = { answers: [{ question_id: 'notes', freeform_answer: 'mine' }] };
    await ok(save(h.ask.ask_id, mine));
    expect(await ok(show(h.ask.ask_id, mate))).toMatchObject({ ...TYPED, revision: 1, saved_by: 'mate' });
    expect(await ok(show(h.ask.ask_id))).toMatchObject({ ...mine, revision: 1, saved_by: 'operator' });
    const given = resolution(h.ask.ask_id, [...picks('local'), ...mine.answers]);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, given));
    expect((await show(h.ask.ask_id)).status).toBe(204);
    const late = { answers: [{ question_id: 'notes', freeform_answer: 'half a sentence' }] };
    expect(await ok(save(h.ask.ask_id, late, mate))).toMatchObject({ revision: 2 });
    server.advance(61_000);
    await eventually(() => server.ports.store.read((r) => r.get('draft', h.ask.ask_id, 'operator'))).toBeUndefined();
    expect(await ok(show(h.ask.ask_id, mate))).toMatchObject(late);
  });

  it('deletes a draft, and accepts a delete without one', async () => {
    const { ask } = await asked();
    await ok(save(ask.ask_id, TYPED));
    for (let i = 0; i < 2; i++) expect((await server.call('DELETE', pathOf(ask.ask_id))).status).toBe(204);
    expect((await show(ask.ask_id)).status).toBe(204);
    await refusal(show('ask_none'), 404, 'ask_not_found');
    await refusal(server.call('DELETE', pathOf('ask_none')), 404, 'ask_not_found');
  });

  it('keeps an edited input of an approval that is not valid yet', async () => {
    const { ask } = await held(server, { kind: 'approval' });
    const draft = { updated_input: '{"command": "rm -r', reason: 'not li' };
    await ok(save(ask.ask_id, draft));
    expect(await ok(show(ask.ask_id))).toMatchObject(draft);
  });
});

describe('the content of a draft', () => {
  it('never holds the value of a secret', async () => {
    const { ask } = await held(server, { questions: [{ id: 'key', question: 'The key?', secret: true }, NOTES] });
    const spoken = { answers: [...TYPED.answers, { question_id: 'key', freeform_answer: 'hunter2' }] };
    const { detail } = await refusal(save(ask.ask_id, spoken), 400, 'secret_not_drafted');
    expect(detail).not.toContain('hunter2');
    expect((await show(ask.ask_id)).status).toBe(204);
    await ok(save(ask.ask_id, TYPED));
  });

  it('is refused with answers to other questions, unknown fields, or a megabyte of text', async () => {
    const { ask } = await asked();
    const unknown = { answers: [{ question_id: 'other', freeform_answer: 'x' }] };
    await refusal(save(ask.ask_id, unknown), 400, 'question_unknown_answer');
    await refusal(save(ask.ask_id, { anything: 1 }), 400, 'invalid_request');
    const long = { freeform_answer: 'x'.repeat(90_000) };
    const answers = [1, 2, 3].map(() => ({ question_id: 'notes', ...long }));
    await refusal(save(ask.ask_id, { answers }), 413, 'body_too_large');
    expect((await show(ask.ask_id)).status).toBe(204);
  });
});

describe('the visibility of a draft', () => {
  it('is limited to operators', async () => {
    const { ask, sessionId } = await asked();
    await ok(save(ask.ask_id, TYPED));
    for (const [scope, session] of [['viewer'], ['worker'], ['agent', sessionId]] as const) {
      const { token } = await server.makeToken(scope, session);
      for (const method of ['GET', 'PUT', 'DELETE'])
        await refusal(
          server.call(method, pathOf(ask.ask_id), method === 'PUT' ? {} : undefined, { token }),
          403,
          'scope_forbidden',
        );
    }
  });

  it('leaves no trace in the log', async () => {
    const { ask, sessionId } = await asked();
    const events = () => server.get<unknown[]>(`/v1/sessions/${sessionId}/events?limit=500`);
    const before = await events();
    await ok(save(ask.ask_id, TYPED));
    expect((await events()).text).toBe(before.text);
  });

  it('announces a draft without its content to streams of the same person that ask for it, and to no other', async () => {
    const { token: viewer } = await server.makeToken('viewer');
    const device = await openStream(server, '/v1/events?drafts=true');
    const deaf = await openStream(server, '/v1/events');
    const watching = await openStream(server, '/v1/events?drafts=true', { token: viewer });
    const mate = await openStream(server, '/v1/events?drafts=true', await called('mate'));
    const h = await asked();
    const saved = await ok(save(h.ask.ask_id, TYPED));
    await server.call('DELETE', pathOf(h.ask.ask_id));
    await ok(
      server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, [...picks('local'), ...TYPED.answers])),
    );
    const settled = (stream: typeof device) => stream.events().some((e) => e.type === 'user_question_resolved');
    await Promise.all([device, deaf, watching, mate].map((stream) => stream.until(settled)));
    const notices = (stream: typeof device) => stream.frames.filter((f) => f.event === 'draft');
    expect(notices(device).map((f) => JSON.parse(f.data))).toMatchObject([
      { ask_id: h.ask.ask_id, revision: 1, saved_by: 'operator', saved_at_ms: saved.saved_at_ms },
      { ask_id: h.ask.ask_id },
    ]);
    expect(
      notices(device)
        .map((f) => f.data)
        .join(),
    ).not.toContain('half a sent');
    expect([...notices(deaf), ...notices(watching), ...notices(mate)]).toEqual([]);
    for (const stream of [device, deaf, watching, mate]) stream.close();
  });
});
