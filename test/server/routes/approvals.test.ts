// The routes for approvals: what is listed, what a decision returns, batches, and the refusal codes on each call.
import { describe, expect, it } from 'vitest';
import type { PendingApprovalView, RunView, SessionView } from '../../../src/core/views.ts';
import {
  allow,
  decide,
  deny,
  eventsOfRun,
  type Held,
  held,
  newSession,
  ok,
  pendingView,
  raiseApproval,
  refusal,
  resolutions,
  showAsk,
  showRun,
  startRun,
} from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

const heldOnApproval = (): Promise<Held> => held(server, { kind: 'approval' });

/** The three calls that decide approvals, with what each returns. */
const CALLS: [name: string, path: (h: Held) => string, status: number][] = [
  ['POST /v1/sessions/{session_id}/approvals', (h) => `/v1/sessions/${h.sessionId}/approvals`, 200],
  ['POST /v1/sessions/{session_id}/approval-runs', (h) => `/v1/sessions/${h.sessionId}/approval-runs`, 202],
  ['POST /v1/runs/{run_id}/approvals', (h) => `/v1/runs/${h.runId}/approvals`, 202],
];

describe('the reply to a decision', () => {
  it('is the updated SessionView on POST /v1/sessions/{session_id}/approvals', async () => {
    const h = await heldOnApproval();
    const reply = await server.post<SessionView>(
      `/v1/sessions/${h.sessionId}/approvals`,
      resolutions(allow(h.ask.ask_id)),
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'running', snapshot: { pending_approvals: [], status: 'running' } });
  });

  it.each(CALLS.slice(1))('is 202 with a RunView on the %s call', async (_name, path, status) => {
    const h = await heldOnApproval();
    const reply = await server.post<RunView>(path(h), resolutions(allow(h.ask.ask_id)));
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ run_id: h.runId, status: 'running', kind: 'approval_resume' });
  });
});

describe('the list of pending approvals', () => {
  it('is served over all sessions and per session', async () => {
    const h = await heldOnApproval();
    const other = await heldOnApproval();
    const mine = await ok(server.get<PendingApprovalView[]>(`/v1/sessions/${h.sessionId}/approvals`));
    expect(mine).toEqual([pendingView(h)]);
    expect(mine[0]?.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'rm -rf build' },
      scope: 'session',
      reason: 'deletes files',
    });
    expect(await ok(server.get(`/v1/approvals?session_id=${h.sessionId}`))).toEqual(mine);
    const all = await ok(server.get<PendingApprovalView[]>('/v1/approvals?limit=500'));
    expect(all.map((a) => a.request.id)).toEqual(expect.arrayContaining([h.ask.ask_id, other.ask.ask_id]));
  });
});

describe('one decision', () => {
  it('takes request_id, behavior, updated_input, justification and reason', async () => {
    const h = await heldOnApproval();
    const second = await raiseApproval(server, h.runId);
    await ok(
      decide(
        server,
        h.runId,
        allow(h.ask.ask_id, { updated_input: { command: 'rm -rf build/tmp' }, justification: 'approved by operator' }),
        deny(second.ask_id, { reason: 'not on a Friday', justification: 'policy' }),
      ),
    );
    expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({
      outcome: 'answered',
      behavior: 'allow',
      updated_input: { command: 'rm -rf build/tmp' },
      justification: 'approved by operator',
      answered_by: 'operator',
    });
    expect((await showAsk(server, second.ask_id)).answer).toMatchObject({
      behavior: 'deny',
      reason: 'not on a Friday',
      justification: 'policy',
    });
  });

  it('gives an updated_input a digest of its own', async () => {
    const h = await heldOnApproval();
    const asShown = await heldOnApproval();
    await ok(decide(server, h.runId, allow(h.ask.ask_id, { updated_input: { command: 'ls' } })));
    await ok(decide(server, asShown.runId, allow(asShown.ask.ask_id)));
    const changed = await showAsk(server, h.ask.ask_id);
    expect(changed.answer?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(changed.answer?.digest).not.toBe(changed.request.digest);
    const unchanged = await showAsk(server, asShown.ask.ask_id);
    expect(unchanged.answer?.digest).toBe(unchanged.request.digest);
  });

  it('records the reason "approval denied" for a denial without one', async () => {
    const h = await heldOnApproval();
    await ok(decide(server, h.runId, deny(h.ask.ask_id)));
    expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ behavior: 'deny', reason: 'approval denied' });
  });

  it('refuses an updated_input with a denial', async () => {
    const h = await heldOnApproval();
    await refusal(
      decide(server, h.runId, deny(h.ask.ask_id, { updated_input: { command: 'ls' } })),
      400,
      'invalid_request',
    );
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it('refuses an updated_input where the caller cannot accept one, and takes the decision without it', async () => {
    const h = await held(server, { kind: 'approval', editable: false });
    expect(h.ask.request).toMatchObject({ editable: false });
    const changed = decide(server, h.runId, allow(h.ask.ask_id, { updated_input: { command: 'ls' } }));
    const problem = await refusal(changed, 400, 'approval_not_editable');
    expect(problem.detail).toContain('deny it with a reason');
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
  });

  it('refuses a behavior other than allow and deny', async () => {
    const h = await heldOnApproval();
    for (const behavior of ['ask', 'ALLOW', 'yes', true, null, '']) {
      const problem = await refusal(
        decide(server, h.runId, { request_id: h.ask.ask_id, behavior }),
        400,
        'invalid_request',
      );
      expect(problem.detail).toMatch(/behavior.*allow.*deny/);
    }
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });
});

describe('a batch of decisions', () => {
  it('decides several approvals in one request', async () => {
    const h = await heldOnApproval();
    const more = [await raiseApproval(server, h.runId), await raiseApproval(server, h.runId)];
    const run = await ok(decide(server, h.runId, allow(h.ask.ask_id), ...more.map((a) => deny(a.ask_id))));
    expect(run).toMatchObject({ status: 'running', pending_approval_ids: [] });
    const resolved = (await eventsOfRun(server, h.runId)).filter((e) => e.type === 'approval_resolved');
    expect(resolved).toHaveLength(1);
    expect(resolved[0]?.data.resolutions).toHaveLength(3);
  });

  it('leaves the pending approvals that it does not name pending', async () => {
    const h = await heldOnApproval();
    const second = await raiseApproval(server, h.runId);
    const run = await ok(decide(server, h.runId, allow(second.ask_id)));
    expect(run).toMatchObject({ status: 'waiting_for_approval', pending_approval_ids: [h.ask.ask_id] });
    expect((await ok(decide(server, h.runId, allow(h.ask.ask_id)))).status).toBe('running');
  });

  it('is rejected as a whole for an invalid, duplicate or stale request id', async () => {
    const h = await heldOnApproval();
    const stale = await raiseApproval(server, h.runId);
    const elsewhere = await heldOnApproval();
    await ok(decide(server, h.runId, deny(stale.ask_id)));
    const good = allow(h.ask.ask_id);
    const batches = [
      [[good, allow('approval-9')], 400, 'approval_request_not_pending'],
      [[good, allow(elsewhere.ask.ask_id)], 400, 'approval_request_not_pending'],
      [[good, good], 400, 'approval_duplicate_resolution'],
      [[good, deny(h.ask.ask_id)], 400, 'approval_duplicate_resolution'],
      [[good, allow(stale.ask_id)], 409, 'approval_state_conflict'],
      [[good, { request_id: stale.ask_id }], 400, 'invalid_request'],
    ] as const;
    for (const [batch, status, code] of batches) {
      await refusal(decide(server, h.runId, ...batch), status, code);
      await refusal(decide(server, h.runId, ...[...batch].reverse()), status, code);
      expect((await showRun(server, h.runId)).pending_approval_ids).toEqual([h.ask.ask_id]);
    }
    expect((await showAsk(server, elsewhere.ask.ask_id)).status).toBe('pending');
  });

  it('accepts an approval that already has the same decision', async () => {
    const h = await heldOnApproval();
    const second = await raiseApproval(server, h.runId);
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    const run = await ok(decide(server, h.runId, allow(h.ask.ask_id), deny(second.ask_id)));
    expect(run.status).toBe('running');
    expect((await showAsk(server, h.ask.ask_id)).answer?.behavior).toBe('allow');
  });

  it('is rejected when it names an approval of another run, which its own run decides', async () => {
    const h = await heldOnApproval();
    const other = await heldOnApproval();
    await refusal(
      decide(server, h.runId, allow(h.ask.ask_id), allow(other.ask.ask_id)),
      400,
      'approval_request_not_pending',
    );
    await ok(decide(server, other.runId, allow(other.ask.ask_id)));
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });
});

describe.each(CALLS)('the refusal codes on the %s call', (_name, path) => {
  it('answers approval_state_conflict for an approval that has ended', async () => {
    const h = await heldOnApproval();
    await ok(server.post(path(h), resolutions(deny(h.ask.ask_id))));
    const problem = await refusal(
      server.post(path(h), resolutions(allow(h.ask.ask_id))),
      409,
      'approval_state_conflict',
    );
    expect(problem).toMatchObject({ domain: 'approvals', winner: { answered_by: 'operator', behavior: 'deny' } });
    expect(problem.detail).toContain('denied by operator');
  });

  it('answers approval_batch_empty for a batch without decisions', async () => {
    const h = await heldOnApproval();
    const problem = await refusal(server.post(path(h), resolutions()), 400, 'approval_batch_empty');
    expect(problem.domain).toBe('approvals');
  });

  it('answers approval_duplicate_resolution for two decisions of one approval', async () => {
    const h = await heldOnApproval();
    const twice = resolutions(allow(h.ask.ask_id), allow(h.ask.ask_id));
    const problem = await refusal(server.post(path(h), twice), 400, 'approval_duplicate_resolution');
    expect(problem.detail).toContain(h.ask.ask_id);
  });

  it('answers approval_request_not_pending for an id that the run never raised', async () => {
    const h = await heldOnApproval();
    await refusal(server.post(path(h), resolutions(allow('approval-9'))), 400, 'approval_request_not_pending');
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_approval');
  });

  it('answers approval_state_conflict for a question', async () => {
    const h = await held(server);
    await refusal(server.post(path(h), resolutions(allow(h.ask.ask_id))), 409, 'approval_state_conflict');
  });
});

it('answers approval_state_conflict when the session waits for nothing', async () => {
  const { session_id } = await newSession(server);
  for (const call of ['approvals', 'approval-runs'])
    await refusal(
      server.post(`/v1/sessions/${session_id}/${call}`, resolutions(allow('approval-1'))),
      409,
      'approval_state_conflict',
    );
});

it('refuses to complete a run with a pending approval', async () => {
  const h = await heldOnApproval();
  await refusal(server.post(`/v1/runs/${h.runId}/complete`), 409, 'run_state_conflict');
  const q = await held(server);
  await refusal(server.post(`/v1/runs/${q.runId}/complete`), 409, 'run_state_conflict');
  await startRun(server, h.sessionId);
  expect((await showRun(server, h.runId)).status).toBe('waiting_for_approval');
});

it('refuses a decision after the deadline with the time of day at which the approval expired', async () => {
  const { runId, ask } = await held(server, { kind: 'approval', expires_after_ms: 60_000 });
  server.advance(61_000);
  const late = await refusal(decide(server, runId, allow(ask.ask_id)), 409, 'approval_state_conflict');
  const { answered_at_ms } = late.winner as { answered_at_ms: number };
  const at = new Date(answered_at_ms).toISOString().slice(11, 16);
  expect(late.detail).toBe(`It expired at ${at} UTC.`);
});
