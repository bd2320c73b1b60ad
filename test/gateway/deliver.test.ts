// Delivery of answers: an answer stays due until it is acknowledged, once, with the digest of what was decided.
// Covers: src/gateway/mark-delivery.ts
import { describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView } from '../../src/core/views.ts';
import {
  allow,
  decide,
  eventsOfRun,
  held,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const HOUR_MS = 60 * 60 * 1000;

let agents = 0;
/** A run of an agent of its own that the worker w1 has claimed. */
async function claimedRun() {
  const agent = `agent-${++agents}`;
  const { session_id } = await newSession(server, { agent });
  const { run_id } = await startRun(server, session_id);
  const claimAs = (worker_id: string) => ({
    worker_id,
    agents: [{ name: agent, recovery: 'resume' }],
    lease_ms: 600_000,
  });
  const { lease } = await ok(server.post<ClaimedRunView>('/v1/workers/claim', claimAs('w1')));
  return { runId: run_id, lease, claimAs };
}

it('delivers an answer that was given in time once, also after its deadline has passed', async () => {
  const { runId, lease, claimAs } = await claimedRun();
  const ask = await raiseApproval(server, runId, { mode: 'deferred', expires_after_ms: HOUR_MS });
  await ok(server.post(`/v1/runs/${runId}/release`, { worker_id: 'w1', lease_epoch: lease.epoch }));
  await ok(decide(server, runId, allow(ask.ask_id)));
  await server.restart(() => server.advance(2 * HOUR_MS));
  const again = await ok(server.post<ClaimedRunView>('/v1/workers/claim', claimAs('w2')));
  expect(again.due).toMatchObject([{ ask_id: ask.ask_id, status: 'answered', answer: { behavior: 'allow' } }]);
  await ok(server.post(`/v1/asks/${ask.ask_id}/delivered`));
  const claims = (await eventsOfRun(server, runId)).filter((e) => e.type === 'ask.claimed');
  expect(claims).toHaveLength(1);
});

describe('acknowledging a delivery', () => {
  const answered = async () => {
    const { runId } = await claimedRun();
    const ask = await raiseQuestion(server, runId);
    await ok(server.post(`/v1/runs/${runId}/questions`, resolution(ask.ask_id)));
    return ask.ask_id;
  };

  it('acknowledges a repeated acknowledgement with the same reply and counts it once', async () => {
    const askId = await answered();
    const first = await ok(server.post<AskView>(`/v1/asks/${askId}/delivered`));
    expect(await ok(server.post<AskView>(`/v1/asks/${askId}/delivered`))).toEqual(first);
    expect(first.delivery.attempts).toBe(1);
    await refusal(server.post(`/v1/asks/${askId}/undeliverable`), 409, 'ask_state_conflict');
  });

  it('refuses to acknowledge a pending ask, and one that was reported undeliverable with its reason', async () => {
    const { runId } = await claimedRun();
    const ask = await raiseQuestion(server, runId);
    await refusal(server.post(`/v1/asks/${ask.ask_id}/delivered`), 409, 'ask_state_conflict');
    await ok(server.post(`/v1/runs/${runId}/questions`, resolution(ask.ask_id)));
    const lost = await ok(
      server.post<AskView>(`/v1/asks/${ask.ask_id}/undeliverable`, { reason: 'no such tool call' }),
    );
    expect(lost.delivery).toMatchObject({ state: 'undeliverable', attempts: 0, reason: 'no such tool call' });
    await refusal(server.post(`/v1/asks/${ask.ask_id}/delivered`), 409, 'ask_state_conflict');
  });

  it('keeps an answer due over a restart until it is acknowledged', async () => {
    const askId = await answered();
    await server.restart();
    const due = await ok(server.get<AskView[]>('/v1/asks?delivery=due&limit=500'));
    expect(due.map((a) => a.ask_id)).toContain(askId);
    await ok(server.post(`/v1/asks/${askId}/delivered`));
    const left = await ok(server.get<AskView[]>('/v1/asks?delivery=due&limit=500'));
    expect(left.map((a) => a.ask_id)).not.toContain(askId);
  });
});

describe('the digest of an acknowledgement', () => {
  it('acknowledges only the digest of the shown input, or of the updated input where the person changed it', async () => {
    const other = await held(server, { kind: 'approval', input: { command: 'rm -rf /' } });
    const h = await held(server, { kind: 'approval' });
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    const acknowledge = (digest: string) => server.post(`/v1/asks/${h.ask.ask_id}/delivered`, { digest });
    await refusal(acknowledge(other.ask.request.digest), 409, 'ask_digest_mismatch');
    expect((await showAsk(server, h.ask.ask_id)).delivery.state).toBe('due');
    await ok(acknowledge(h.ask.request.digest));

    const edited = await held(server, { kind: 'approval' });
    await ok(decide(server, edited.runId, allow(edited.ask.ask_id, { updated_input: { command: 'ls' } })));
    const path = `/v1/asks/${edited.ask.ask_id}/delivered`;
    await refusal(server.post(path, { digest: edited.ask.request.digest }), 409, 'ask_digest_mismatch');
    const shown = await showAsk(server, edited.ask.ask_id);
    await ok(server.post(path, { digest: shown.answer?.digest }));
  });

  it('refuses an acknowledgement with another digest and leaves the answer due', async () => {
    const { ask, runId } = await held(server, { kind: 'approval' });
    await ok(decide(server, runId, allow(ask.ask_id)));
    const other = `sha256:${'0'.repeat(64)}`;
    const sent = server.post(`/v1/asks/${ask.ask_id}/delivered`, { digest: other });
    const problem = await refusal(sent, 409, 'ask_digest_mismatch');
    expect(problem.detail).toContain(ask.request.digest);
    const shown = await ok(server.get<AskView>(`/v1/asks/${ask.ask_id}`));
    expect(shown.delivery.state).toBe('due');
  });
});
