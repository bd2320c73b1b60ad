// Sessions: created or reused, interrupted, ended. What was open ends with a typed reason and an author, and nothing is
// allowed by being stopped.
// Covers: src/core/session.ts, src/server/routes/sessions.ts
import { describe, expect, it } from 'vitest';
import type { AskView, SessionView } from '../../src/core/views.ts';
import {
  answer,
  callId,
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

describe('interrupting a session', () => {
  it('ends the active run as interrupted, and the asks it was held on', async () => {
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

  it('ends a running run, and does nothing when no run is active', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    await ok(interrupt(session_id));
    expect((await showRun(server, run_id)).status).toBe('interrupted');
    const before = await eventsOfSession(server, session_id);
    await ok(interrupt(session_id));
    expect(await eventsOfSession(server, session_id)).toEqual(before);
  });

  it('starts the next run of the queue', async () => {
    const h = await held(server);
    const next = await startRun(server, h.sessionId);
    expect(await ok(interrupt(h.sessionId))).toMatchObject({ active_run_id: next.run_id, status: 'running' });
  });

  it('interrupts once under an idempotency key, not the next run too', async () => {
    const h = await held(server);
    const next = await startRun(server, h.sessionId);
    const keyed = { headers: { 'idempotency-key': 'k' } };
    const path = `/v1/sessions/${h.sessionId}/interrupt`;
    const first = await server.post(path, {}, keyed);
    expect(await server.post(path, {}, keyed)).toMatchObject({ status: 200, text: first.text });
    expect((await showRun(server, next.run_id)).status).toBe('running');
  });
});

describe('ending a session', () => {
  it('interrupts the active run, cancels the queued ones and starts no other', async () => {
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

  it('ends a session idempotently with one event', async () => {
    const { session_id } = await newSession(server);
    const first = await ok(end(session_id));
    expect(await ok(end(session_id))).toEqual(first);
    expect(typesOf(await eventsOfSession(server, session_id)).filter((t) => t === 'session.ended')).toHaveLength(1);
  });

  it('refuses work in an ended session, which can still be read', async () => {
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

describe('creating or reusing a session', () => {
  it('creates one session when the same one is created several times at once', async () => {
    const body = { session_id: 'twin', agent: 'external' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => server.post('/v1/sessions', body)));
    expect(replies.map((r) => r.status).sort()).toEqual([...Array(7).fill(200), 201]);
  });

  it('refuses a child session with wider permissions than its parent', async () => {
    const parent = await newSession(server);
    const child = { agent: 'external', parent_session_id: parent.session_id, permissions: 'autonomous' };
    await refusal(server.post('/v1/sessions', child), 409, 'session_conflict');
  });

  it('creates a session with 201, returns it with 200, and names the field of a conflicting setting', async () => {
    const body = { session_id: 'mine', agent: 'external', work_folder: '/srv', title: 'Build' };
    const first = await server.post<SessionView>('/v1/sessions', body);
    const again = await server.post<SessionView>('/v1/sessions', { session_id: 'mine', agent: 'external' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    for (const [field, value] of Object.entries({ agent: 'claude', work_folder: '/x', agent_id: 'y' })) {
      const problem = await refusal(server.post('/v1/sessions', { ...body, [field]: value }), 409, 'session_conflict');
      expect(problem.detail).toContain(field);
    }
  });

  it.each(['', '.', '..', 'a/b', '-x', 'a b', 'system', 'x'.repeat(129)])(
    'refuses the session_id %j',
    async (session_id) => {
      await refusal(server.post('/v1/sessions', { session_id, agent: 'external' }), 400, 'invalid_request');
    },
  );

  it('lets the system session be read, but not worked in, ended, adopted or given to an agent', async () => {
    await ok(server.get('/v1/sessions/system'));
    await ok(server.get('/v1/sessions/system/events'));
    const attempts: [string, object][] = [
      ['/v1/sessions/system/runs', { input: {} }],
      ['/v1/sessions/system/end', {}],
      ['/v1/sessions', { agent: 'external', parent_session_id: 'system' }],
      ['/v1/tokens', { scope: 'agent', session_id: 'system' }],
    ];
    for (const [path, body] of attempts) await refusal(server.post(path, body), 400, 'invalid_request');
    expect((await ok(server.get<SessionView>('/v1/sessions/system'))).status).toBe('idle');
  });

  it('answers 404 for an unknown parent session', async () => {
    const sent = server.post('/v1/sessions', { agent: 'external', parent_session_id: 'nope' });
    await refusal(sent, 404, 'session_not_found');
  });

  it('defaults to approval and refuses to widen the permissions of an existing session', async () => {
    const session = await newSession(server, { session_id: 'careful' });
    expect(session.permissions).toBe('approval');
    const { run_id } = await startRun(server, 'careful');
    const body = { session_id: 'careful', agent: 'external', permissions: 'autonomous' };
    await refusal(server.post('/v1/sessions', body), 409, 'session_conflict');
    expect((await raiseApproval(server, run_id)).status).toBe('pending');
    const wrong = { agent: 'external', permissions: 'bypass' };
    expect((await refusal(server.post('/v1/sessions', wrong), 400, 'invalid_request')).detail).toMatch(
      /approval.*autonomous/,
    );
  });
});

it.each([7, -1, '7', 'build-42'])(
  'returns the task_id of a session and the subtask_id of a run as the caller named them: %j',
  async (id) => {
    const session = await newSession(server, { task_id: id });
    expect(session.task_id).toBe(id);
    expect((await startRun(server, session.session_id, { subtask_id: id })).subtask_id).toBe(id);
  },
);
