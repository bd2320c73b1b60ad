// Interrupting a session and ending it: what was open ends with a typed reason and an author, and nothing is allowed
// by being stopped.
import { describe, expect, it } from 'vitest';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import {
  answer,
  callId,
  eventsOfRun,
  eventsOfSession,
  held,
  NOTES,
  newSession,
  ok,
  raiseApproval,
  refusal,
  resolution,
  showAsk,
  showRun,
  showSession,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const interrupt = (sessionId: string) => server.post<SessionView>(`/v1/sessions/${sessionId}/interrupt`);
const end = (sessionId: string, body: object = {}) => server.post<SessionView>(`/v1/sessions/${sessionId}/end`, body);

describe('an agent that tells of an interruption', () => {
  it('by its person ends as interrupted, once', async () => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/fail`;
    const { token } = await server.makeToken('agent', h.sessionId);
    await ok(server.post(path, { interrupted_by: 'person', error: 'Esc' }, { token }));
    await ok(server.post(path, { interrupted_by: 'person', error: 'Esc' }, { token }));
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'interrupted', error: 'Esc' });
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({ status: 'cancelled', answer: { reason: 'Esc' } });
    await refusal(server.post(path, {}), 409, 'run_state_conflict');
  });

  it('by the loss of whoever hosted it says so, and keeps what was answered', async () => {
    const h = await held(server);
    const open = await raiseApproval(server, h.runId);
    await ok(answer(server, h));
    await ok(server.post(`/v1/runs/${h.runId}/fail`, { interrupted_by: 'worker_restart' }));
    expect(await showRun(server, h.runId)).toMatchObject({
      status: 'interrupted',
      error: 'worker lost while the run was active',
    });
    expect((await showAsk(server, open.ask_id)).answer).toMatchObject({ reason: 'worker_restart', behavior: 'deny' });
    expect((await showAsk(server, h.ask.ask_id)).delivery).toMatchObject({ state: 'undeliverable' });
  });
});

describe('interrupt', () => {
  it('ends the active run as interrupted, with the asks it was held on', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    const session = await ok(interrupt(h.sessionId));
    expect(session).toMatchObject({ status: 'idle', snapshot: { pending_questions: [], pending_approvals: [] } });
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'interrupted', error: 'interrupted by operator' });
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({
      status: 'cancelled',
      answer: { answered_by: 'operator', surface: 'api', reason: 'interrupted by operator' },
    });
    expect((await showAsk(server, approval.ask_id)).answer).toMatchObject({ behavior: 'deny', outcome: 'cancelled' });
    const problem = await refusal(answer(server, h), 409, 'question_state_conflict');
    expect(problem.winner).toMatchObject({ outcome: 'cancelled' });
  });

  it('ends a running run, and does nothing when nothing is active', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    await ok(interrupt(session_id));
    expect((await showRun(server, run_id)).status).toBe('interrupted');
    const before = await eventsOfSession(server, session_id);
    await ok(interrupt(session_id));
    expect(await eventsOfSession(server, session_id)).toEqual(before);
  });

  it('leaves the queue alone: the next run starts', async () => {
    const h = await held(server);
    const next = await startRun(server, h.sessionId);
    expect(await ok(interrupt(h.sessionId))).toMatchObject({ active_run_id: next.run_id, status: 'running' });
  });

  it('under a key interrupts once, not the next run too', async () => {
    const h = await held(server);
    const next = await startRun(server, h.sessionId);
    const keyed = { headers: { 'idempotency-key': 'k' } };
    const path = `/v1/sessions/${h.sessionId}/interrupt`;
    const first = await server.post(path, {}, keyed);
    expect(await server.post(path, {}, keyed)).toMatchObject({ status: 200, text: first.text });
    expect((await showRun(server, next.run_id)).status).toBe('running');
  });
});

describe('end', () => {
  it('interrupts the active run, cancels the queued ones and starts none', async () => {
    const h = await held(server);
    const queued = [await startRun(server, h.sessionId), await startRun(server, h.sessionId)];
    const session = await ok(end(h.sessionId, { reason: 'done for today' }));
    expect(session).toMatchObject({ status: 'ended', queued_run_ids: [], snapshot: { status: 'ended' } });
    expect(session.active_run_id).toBeUndefined();
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'interrupted', error: 'done for today' });
    for (const { run_id } of queued)
      expect(await showRun(server, run_id)).toMatchObject({ status: 'cancelled', error: 'done for today' });
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('cancelled');
    const events = await eventsOfSession(server, h.sessionId);
    expect(events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'done for today' } });
  });

  it('is idempotent', async () => {
    const { session_id } = await newSession(server);
    const first = await ok(end(session_id));
    expect(await ok(end(session_id))).toEqual(first);
    expect(typesOf(await eventsOfSession(server, session_id)).filter((t) => t === 'session.ended')).toHaveLength(1);
  });

  it('takes no more work, but can still be read', async () => {
    const h = await held(server);
    await ok(end(h.sessionId));
    await refusal(server.post(`/v1/sessions/${h.sessionId}/runs`, { input: { text: 'x' } }), 409, 'session_ended');
    const question = { kind: 'question', tool_call_id: callId(), questions: [NOTES] };
    await refusal(server.post(`/v1/runs/${h.runId}/asks`, question), 409, 'run_state_conflict');
    await refusal(
      server.post(`/v1/sessions/${h.sessionId}/questions`, resolution(h.ask.ask_id)),
      409,
      'question_state_conflict',
    );
    expect((await showSession(server, h.sessionId)).status).toBe('ended');
    expect(await ok(server.get<AskView[]>(`/v1/asks?session_id=${h.sessionId}`))).toHaveLength(1);
  });
});

describe('the agent’s own word', () => {
  it('complete: with a last message in session and thread', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const run = await ok(server.post<RunView>(`/v1/runs/${run_id}/complete`, { text: 'all green' }));
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.finished_at_ms).toBeGreaterThanOrEqual(run.started_at_ms ?? Number.POSITIVE_INFINITY);
    expect((await showSession(server, session_id)).snapshot.last_message).toBe('all green');
    const items = await ok(server.get<unknown[]>(`/v1/threads/thr_${session_id}/items`));
    expect(JSON.stringify(items)).toContain('all green');
  });

  it('output: shown on the run, once per output_id', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    for (const text of ['one', 'one again'])
      await ok(server.post(`/v1/runs/${run_id}/output`, { output_id: 'o1', text, data: { n: 1 } }));
    const run = await ok(server.post<RunView>(`/v1/runs/${run_id}/output`, { type: 'thinking', text: 'hm' }));
    expect(run.outputs).toMatchObject([
      { output_id: 'o1', text: 'one', data: { n: 1 } },
      { type: 'thinking', text: 'hm' },
    ]);
    expect(typesOf(await eventsOfRun(server, run_id)).filter((t) => t === 'output')).toHaveLength(2);
  });

  it('fail: what was open ends as failed; an approval among it is a denial', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/fail`, { error: 'out of memory' }));
    expect(run).toMatchObject({ status: 'failed', error: 'out of memory', pending_question_ids: [] });
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({
      status: 'failed',
      answer: { reason: 'out of memory' },
    });
    expect((await showAsk(server, approval.ask_id)).answer).toMatchObject({ outcome: 'failed', behavior: 'deny' });
    await refusal(answer(server, h), 409, 'question_state_conflict');
  });
});
