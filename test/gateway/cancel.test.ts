// Cancelling one question, and cancelling the run it belongs to.
import { describe, expect, it } from 'vitest';
import type { MessageView, PendingQuestionView, RunView } from '../../src/core/views.ts';
import {
  clarify,
  eventsOfRun,
  family,
  type Held,
  held,
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

const cancel = (runId: string, requestId: string, body: object = {}, headers: Record<string, string> = {}) =>
  server.post<RunView>(`/v1/runs/${runId}/questions/${requestId}/cancel`, body, { headers });
const cancelHeld = (h: Held, body: object = {}) => cancel(h.runId, h.ask.ask_id, body);

describe('cancelling a question', () => {
  it('cancels the run of a pending question and returns the cancelled RunView', async () => {
    const h = await held(server);
    const reply = await cancelHeld(h, { justification: 'wrong branch' });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ run_id: h.runId, status: 'cancelled', pending_question_ids: [] });
    expect(reply.body.error).toMatch(/^the question “.+” was cancelled: wrong branch$/);
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({
      status: 'cancelled',
      answer: { outcome: 'cancelled', justification: 'wrong branch', answered_by: 'operator', surface: 'api' },
    });
    expect((await showSession(server, h.sessionId)).active_run_id).toBeUndefined();
  });

  it('refuses a stale or unknown request_id and leaves the run waiting', async () => {
    const h = await held(server);
    const other = await held(server);
    for (const id of [`${h.ask.ask_id}x`, 'question-1', other.ask.ask_id, h.ask.ask_id.toUpperCase()]) {
      const problem = await refusal(cancel(h.runId, id), 400, 'question_request_mismatch');
      expect(problem.detail).toContain(h.ask.ask_id);
    }
    expect(await showRun(server, h.runId)).toMatchObject({
      status: 'waiting_for_user_question',
      pending_question_ids: [h.ask.ask_id],
    });
    expect((await showAsk(server, other.ask.ask_id)).status).toBe('pending');
  });

  it('ends the other asks of the cancelled run, and gives the slot to the next run', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    const next = await startRun(server, h.sessionId);
    await ok(cancelHeld(h));
    expect(await showAsk(server, approval.ask_id)).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny' } });
    expect((await showRun(server, next.run_id)).status).toBe('running');
  });

  it('refuses a second cancel without a key and names who cancelled first', async () => {
    const h = await held(server);
    await ok(cancelHeld(h));
    const problem = await refusal(cancelHeld(h), 409, 'question_state_conflict');
    expect(problem.winner).toMatchObject({ answered_by: 'operator', outcome: 'cancelled' });
    const late = server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id));
    expect((await refusal(late, 409, 'question_state_conflict')).winner).toMatchObject({ outcome: 'cancelled' });
  });

  it('refuses to cancel an answered question', async () => {
    const h = await held(server);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id)));
    const problem = await refusal(cancelHeld(h), 409, 'question_state_conflict');
    expect(problem.winner).toMatchObject({ outcome: 'answered' });
    expect((await showRun(server, h.runId)).status).toBe('running');
  });

  it('refuses to cancel an approval by the question call', async () => {
    const h = await held(server, { kind: 'approval' });
    await refusal(cancelHeld(h), 409, 'question_state_conflict');
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_approval');
  });
});

describe('the idempotency key of a cancel', () => {
  it.each([
    ['in the header', (h: Held) => cancel(h.runId, h.ask.ask_id, {}, { 'idempotency-key': 'retry-1' })],
    ['in the body', (h: Held) => cancelHeld(h, { idempotency_key: 'retry-1' })],
  ])('returns the same response to a retry with the key %s', async (_where, send) => {
    const h = await held(server);
    const first = await send(h);
    const again = await send(h);
    expect(first.status).toBe(200);
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((type) => type === 'cancelled')).toHaveLength(1);
  });
});

describe('cancelling a clarification', () => {
  it('records a declined clarification and mails it to the requesting child', async () => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const reply = await cancel(asked.run_id, asked.request_id, { justification: 'decide yourself' });
    expect(reply).toMatchObject({ status: 200, body: { run_id: asked.run_id, status: 'completed' } });
    const mail = await ok(server.get<MessageView[]>(`/v1/sessions/${childId}/mailbox`));
    expect(mail).toMatchObject([
      {
        subject: 'clarification_answer',
        from_session_id: parentId,
        payload: {
          type: 'parent_clarification_answer',
          request_id: asked.request_id,
          declined: true,
          answers: [],
          justification: 'decide yourself',
        },
      },
    ]);
    expect(await ok(server.get<PendingQuestionView[]>(`/v1/sessions/${parentId}/questions`))).toEqual([]);
  });

  it('refuses a second cancel of a clarification as any second cancel, and an answer as a different one', async () => {
    const { childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(cancel(asked.run_id, asked.request_id));
    const again = await refusal(cancel(asked.run_id, asked.request_id), 409, 'question_state_conflict');
    expect(again.winner).toMatchObject({ outcome: 'cancelled', answered_by: 'operator' });
    const late = server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id));
    await refusal(late, 409, 'question_resolution_conflict');
  });
});

describe('cancelling a run', () => {
  it('ends the question of a cancelled run', async () => {
    const h = await held(server);
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/cancel`, { reason: 'enough' }));
    expect(run).toMatchObject({ status: 'cancelled', error: 'enough', pending_question_ids: [] });
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('cancelled');
  });

  it('cancels a run idempotently with one event', async () => {
    const h = await held(server);
    const first = await ok(server.post<RunView>(`/v1/runs/${h.runId}/cancel`));
    expect(await ok(server.post<RunView>(`/v1/runs/${h.runId}/cancel`, { reason: 'again' }))).toEqual(first);
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((type) => type === 'cancelled')).toHaveLength(1);
  });

  it('declines, completes and mails a clarification once when its run is cancelled twice', async () => {
    const { childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const first = await ok(server.post<RunView>(`/v1/runs/${asked.run_id}/cancel`, { reason: 'busy' }));
    expect(first.status).toBe('completed');
    expect(await ok(server.post<RunView>(`/v1/runs/${asked.run_id}/cancel`))).toEqual(first);
    const mail = await ok(server.get<MessageView[]>(`/v1/sessions/${childId}/mailbox`));
    expect(mail.map((m) => m.payload.justification)).toEqual(['busy']);
  });

  it('refuses to cancel a run that ended otherwise', async () => {
    const h = await held(server);
    await ok(server.post(`/v1/runs/${h.runId}/fail`, { error: 'broke' }));
    const problem = await refusal(server.post(`/v1/runs/${h.runId}/cancel`), 409, 'run_state_conflict');
    expect(problem.domain).toBe('runs');
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({ status: 'failed', answer: { reason: 'broke' } });
  });
});
