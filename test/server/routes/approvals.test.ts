// Approvals as the seed describes them, sentence by sentence, and the approval codes beside the seed's table.
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

describe('which endpoint should you use', () => {
  it('POST /v1/sessions/{session_id}/approvals returns an updated SessionView', async () => {
    const h = await heldOnApproval();
    const reply = await server.post<SessionView>(
      `/v1/sessions/${h.sessionId}/approvals`,
      resolutions(allow(h.ask.ask_id)),
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'running', snapshot: { pending_approvals: [], status: 'running' } });
  });

  it.each(CALLS.slice(1))('%s returns 202 Accepted plus a detached RunView', async (_name, path, status) => {
    const h = await heldOnApproval();
    const reply = await server.post<RunView>(path(h), resolutions(allow(h.ask.ask_id)));
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ run_id: h.runId, status: 'running', kind: 'approval_resume' });
  });
});

describe('pending approvals are listed as questions are', () => {
  it('GET /v1/approvals and GET /v1/sessions/{session_id}/approvals', async () => {
    const h = await heldOnApproval();
    const other = await heldOnApproval();
    const mine = await ok(server.get<PendingApprovalView[]>(`/v1/sessions/${h.sessionId}/approvals`));
    expect(mine).toEqual([
      {
        session_id: h.sessionId,
        agent_id: `external-${h.sessionId}`,
        run_id: h.runId,
        run_kind: 'input',
        request: h.ask.request,
      },
    ]);
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

describe('resolve approvals', () => {
  it('each ApprovalResolution supports request_id, behavior, updated_input, justification and reason', async () => {
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

  it('use updated_input when the approver wants to modify the pending tool input: it gets a digest of its own', async () => {
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

  it('deny without a reason says "approval denied"', async () => {
    const h = await heldOnApproval();
    await ok(decide(server, h.runId, deny(h.ask.ask_id)));
    expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ behavior: 'deny', reason: 'approval denied' });
  });

  it('refuses an input for an action that is denied', async () => {
    const h = await heldOnApproval();
    await refusal(
      decide(server, h.runId, deny(h.ask.ask_id, { updated_input: { command: 'ls' } })),
      400,
      'invalid_request',
    );
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it('takes no other behavior than allow and deny', async () => {
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

describe('approval resolution is batch-based and atomic per run', () => {
  it('send every decision you want to resolve in the current request', async () => {
    const h = await heldOnApproval();
    const more = [await raiseApproval(server, h.runId), await raiseApproval(server, h.runId)];
    const run = await ok(decide(server, h.runId, allow(h.ask.ask_id), ...more.map((a) => deny(a.ask_id))));
    expect(run).toMatchObject({ status: 'running', pending_approval_ids: [] });
    const resolved = (await eventsOfRun(server, h.runId)).filter((e) => e.type === 'approval_resolved');
    expect(resolved).toHaveLength(1);
    expect(resolved[0]?.data.resolutions).toHaveLength(3);
  });

  it('a batch may cover some of the pending approvals; the rest stay pending', async () => {
    const h = await heldOnApproval();
    const second = await raiseApproval(server, h.runId);
    const run = await ok(decide(server, h.runId, allow(second.ask_id)));
    expect(run).toMatchObject({ status: 'waiting_for_approval', pending_approval_ids: [h.ask.ask_id] });
    expect((await ok(decide(server, h.runId, allow(h.ask.ask_id)))).status).toBe('running');
  });

  it('invalid, duplicate, or stale request IDs reject the batch without resolving any approval in that run', async () => {
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

  it('an identical repeat inside a batch is a no-op', async () => {
    const h = await heldOnApproval();
    const second = await raiseApproval(server, h.runId);
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    const run = await ok(decide(server, h.runId, allow(h.ask.ask_id), deny(second.ask_id)));
    expect(run.status).toBe('running');
    expect((await showAsk(server, h.ask.ask_id)).answer?.behavior).toBe('allow');
  });

  it('is not one transaction over several runs: each run decides for itself', async () => {
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

describe.each(CALLS)('the approval codes on %s', (_name, path) => {
  it('409 approvals/approval_state_conflict: the run is not waiting for that approval any more', async () => {
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

  it('400 approvals/approval_batch_empty', async () => {
    const h = await heldOnApproval();
    const problem = await refusal(server.post(path(h), resolutions()), 400, 'approval_batch_empty');
    expect(problem.domain).toBe('approvals');
  });

  it('400 approvals/approval_duplicate_resolution', async () => {
    const h = await heldOnApproval();
    const twice = resolutions(allow(h.ask.ask_id), allow(h.ask.ask_id));
    const problem = await refusal(server.post(path(h), twice), 400, 'approval_duplicate_resolution');
    expect(problem.detail).toContain(h.ask.ask_id);
  });

  it('400 approvals/approval_request_not_pending: an id that this run never raised', async () => {
    const h = await heldOnApproval();
    await refusal(server.post(path(h), resolutions(allow('approval-9'))), 400, 'approval_request_not_pending');
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_approval');
  });

  it('409 approvals/approval_state_conflict for a question', async () => {
    const h = await held(server);
    await refusal(server.post(path(h), resolutions(allow(h.ask.ask_id))), 409, 'approval_state_conflict');
  });
});

it('409 approval_state_conflict when the session waits for nothing', async () => {
  const { session_id } = await newSession(server);
  for (const call of ['approvals', 'approval-runs'])
    await refusal(
      server.post(`/v1/sessions/${session_id}/${call}`, resolutions(allow('approval-1'))),
      409,
      'approval_state_conflict',
    );
});

it('does not let a run complete past what it waits for', async () => {
  const h = await heldOnApproval();
  await refusal(server.post(`/v1/runs/${h.runId}/complete`), 409, 'run_state_conflict');
  const q = await held(server);
  await refusal(server.post(`/v1/runs/${q.runId}/complete`), 409, 'run_state_conflict');
  await startRun(server, h.sessionId);
  expect((await showRun(server, h.runId)).status).toBe('waiting_for_approval');
});
