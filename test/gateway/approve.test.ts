// Approvals in the gateway: what one decision changes and what it leaves alone, and that no end other than a person's
// allow allows anything.
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import { allow, decide, deny, type Held, held, ok, raiseApproval, refusal, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const HOUR_MS = 60 * 60 * 1000;

describe('what an approval decides', () => {
  it('keeps an empty or falsy input, and an empty or falsy updated_input, as it was sent', async () => {
    const falsy = { a: false, b: 0, c: '', d: null, e: [], f: {} };
    for (const [input, updated] of [
      [falsy, {}],
      [{}, falsy],
    ]) {
      const h = await held(server, { kind: 'approval', input });
      expect(h.ask.request).toMatchObject({ input });
      await ok(decide(server, h.runId, allow(h.ask.ask_id, { updated_input: updated })));
      const { answer: given } = await showAsk(server, h.ask.ask_id);
      expect(given?.updated_input).toEqual(updated);
      expect(given?.digest).not.toBe(h.ask.request.digest);
    }
  });

  it('denies an approval that ends by deadline, cancel, interrupt, ended session or failed run', async () => {
    const ends: [string, (h: Held) => Promise<unknown>][] = [
      ['expiry', async () => server.advance(HOUR_MS + 1)],
      ['cancel', (h) => ok(server.post(`/v1/runs/${h.runId}/cancel`))],
      ['interrupt', (h) => ok(server.post(`/v1/sessions/${h.sessionId}/interrupt`))],
      ['end', (h) => ok(server.post(`/v1/sessions/${h.sessionId}/end`))],
      ['fail', (h) => ok(server.post(`/v1/runs/${h.runId}/fail`))],
    ];
    for (const [name, end] of ends) {
      const h = await held(server, { kind: 'approval', expires_after_ms: HOUR_MS });
      await end(h);
      const ask = await showAsk(server, h.ask.ask_id);
      expect(ask.status, name).not.toBe('answered');
      expect(ask.answer?.behavior, name).toBe('deny');
      await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
    }
  });

  it.each(['decided', 'expired'])('names the approval that was %s when it rejects a batch', async (end) => {
    const h = await held(server, { kind: 'approval' });
    const [a, b] = [
      await raiseApproval(server, h.runId, { expires_after_ms: HOUR_MS }),
      await raiseApproval(server, h.runId),
    ];
    if (end === 'decided') await ok(decide(server, h.runId, deny(a.ask_id)));
    else server.advance(HOUR_MS + 1);
    const batch = [allow(h.ask.ask_id), allow(a.ask_id), allow(b.ask_id)];
    const problem = await refusal(decide(server, h.runId, ...batch), 409, 'approval_state_conflict');
    expect(problem).toMatchObject({ request_id: a.ask_id, detail: expect.stringContaining(`"${a.ask_id}"`) });
    expect((await showAsk(server, b.ask_id)).status).toBe('pending');
  });

  it('leaves other pending asks alone when one approval is denied and one question declined', async () => {
    const h = await held(server);
    const [a, b] = [await raiseApproval(server, h.runId), await raiseApproval(server, h.runId)];
    await ok(decide(server, h.runId, deny(a.ask_id)));
    const body = { resolution: { request_id: h.ask.ask_id, declined: true } };
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, body));
    expect(run).toMatchObject({ status: 'waiting_for_approval', pending_approval_ids: [b.ask_id] });
    expect((await showAsk(server, b.ask_id)).status).toBe('pending');
    await ok(decide(server, h.runId, allow(b.ask_id)));
    expect((await showAsk(server, b.ask_id)).answer?.behavior).toBe('allow');
  });

  it('lets one of an allow and a deny at the same moment win and names the winner to the other', async () => {
    const h = await held(server, { kind: 'approval' });
    const replies = await Promise.all(
      ['allow', 'deny'].map((behavior) => decide(server, h.runId, { request_id: h.ask.ask_id, behavior })),
    );
    expect(replies.map((r) => r.status).sort()).toEqual([202, 409]);
    const loser = replies.find((r) => r.status === 409);
    expect(loser?.body).toMatchObject({ code: 'approval_state_conflict', winner: { answered_by: 'operator' } });
    const kept = (await showAsk(server, h.ask.ask_id)).answer?.behavior;
    expect(kept).toBe(replies[0]?.status === 202 ? 'allow' : 'deny');
  });
});
