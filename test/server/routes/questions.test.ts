// The routes for questions: what is listed, what an answer resumes, what each call returns. Refusals by code are in
// questions-refusals.test.ts.
// Covers: src/server/routes/pending-asks.ts
import { describe, expect, it } from 'vitest';
import type { AskView, PendingQuestionView, RunView, SessionView } from '../../../src/core/views.ts';
import {
  declined,
  eventsOfRun,
  held,
  NOTES,
  newSession,
  ok,
  pendingView,
  picks,
  REGIONS,
  ROUTING,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  showSession,
  startRun,
  typesOf,
} from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

const listed = (path: string): Promise<PendingQuestionView[]> => ok(server.get<PendingQuestionView[]>(path));

describe('a run with a pending ask', () => {
  it('is waiting_for_user_question with a question', async () => {
    const h = await held(server);
    const run = await showRun(server, h.runId);
    expect(run.status).toBe('waiting_for_user_question');
    expect(run.pending_question_ids).toEqual([h.ask.ask_id]);
    expect(run.pending_questions).toEqual([h.ask.request]);
    expect(run.pending_approval_ids).toEqual([]);
    const session = await showSession(server, h.sessionId);
    expect(session).toMatchObject({
      status: 'waiting_for_user_question',
      active_run_id: h.runId,
      snapshot: { status: 'waiting_for_user_question', pending_questions: [{ id: h.ask.ask_id }] },
    });
  });

  it('is waiting_for_approval with an approval', async () => {
    const h = await held(server, { kind: 'approval' });
    const run = await showRun(server, h.runId);
    expect(run.status).toBe('waiting_for_approval');
    expect(run.pending_approval_ids).toEqual([h.ask.ask_id]);
    expect(run.pending_approvals).toEqual([h.ask.request]);
  });

  it('is waiting_for_user_question when both kinds are pending, and shows both', async () => {
    const h = await held(server, { kind: 'approval' });
    const question = await raiseQuestion(server, h.runId);
    const run = await showRun(server, h.runId);
    expect(run).toMatchObject({
      status: 'waiting_for_user_question',
      pending_approval_ids: [h.ask.ask_id],
      pending_question_ids: [question.ask_id],
    });
    const after = await ok(
      server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(question.ask_id, picks('local'))),
    );
    expect(after).toMatchObject({ status: 'waiting_for_approval', pending_approval_ids: [h.ask.ask_id] });
  });

  it('is resumed by its answer without creating other work', async () => {
    const h = await held(server);
    const before = await ok(server.get<RunView[]>(`/v1/runs?session_id=${h.sessionId}`));
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id)));
    expect(run).toMatchObject({ run_id: h.runId, status: 'running', kind: 'user_question_resume' });
    expect(run.pending_question_ids).toEqual([]);
    const after = await ok(server.get<RunView[]>(`/v1/runs?session_id=${h.sessionId}`));
    expect(after.map((r) => r.run_id)).toEqual(before.map((r) => r.run_id));
    expect(typesOf(await eventsOfRun(server, h.runId)).join(' ')).toBe(
      'accepted started ask.raised waiting_for_user_question ask.claimed user_question_resolved',
    );
  });
});

describe('the list of pending questions', () => {
  it('covers all sessions, oldest first, and takes session_id', async () => {
    const first = await held(server);
    const second = await held(server);
    const mine = [first.ask.ask_id, second.ask.ask_id];
    const all = await listed('/v1/questions?limit=500');
    expect(all.map((q) => q.request.id).filter((id) => mine.includes(id))).toEqual(mine);
    const one = await listed(`/v1/questions?session_id=${second.sessionId}`);
    expect(one.map((q) => q.request.id)).toEqual([second.ask.ask_id]);
  });

  it('is the same on GET /v1/sessions/{session_id}/questions', async () => {
    const h = await held(server);
    const one = await listed(`/v1/sessions/${h.sessionId}/questions`);
    expect(one).toEqual(await listed(`/v1/questions?session_id=${h.sessionId}`));
    expect(one).toEqual([pendingView(h)]);
  });

  it('shows every question with id, header, question, options and multi_select', async () => {
    const h = await held(server, {
      questions: [ROUTING, REGIONS, NOTES],
      tool_call_id: 'call_2',
      expires_after_ms: 60_000,
    });
    const [view] = await listed(`/v1/sessions/${h.sessionId}/questions`);
    expect(view?.request).toMatchObject({
      id: h.ask.ask_id,
      tool_call_id: 'call_2',
      created_at_ms: h.ask.created_at_ms,
      expires_at_ms: h.ask.created_at_ms + 60_000,
      questions: [
        { id: 'routing', header: 'Routing', question: 'Which provider?', multi_select: false },
        { id: 'regions', header: 'Question 2', question: 'Which regions?', multi_select: true },
        { id: 'notes', header: 'Question 3', question: 'Anything else?', options: [], multi_select: false },
      ],
    });
    expect(view?.request.questions[0]?.options).toEqual([
      { id: 'openai', label: 'OpenAI', value: 'OpenAI', description: 'fast' },
      { id: 'local', label: 'Local', value: 'Local' },
    ]);
  });

  it('shows generated ids for questions and options without one', async () => {
    const h = await held(server, {
      questions: [{ question: 'A?', options: [{ label: 'x' }, { label: 'y' }] }, { question: 'B?' }],
    });
    expect(h.ask.request).toMatchObject({
      questions: [{ id: 'question-1', options: [{ id: 'option-1' }, { id: 'option-2' }] }, { id: 'question-2' }],
    });
  });

  it('excludes ended questions and approvals', async () => {
    const h = await held(server);
    await raiseApproval(server, h.runId);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id)));
    expect(await listed(`/v1/sessions/${h.sessionId}/questions`)).toEqual([]);
  });
});

describe('the reply to an answer', () => {
  it('is the updated SessionView on POST /v1/sessions/{session_id}/questions', async () => {
    const h = await held(server);
    const reply = await server.post<SessionView>(`/v1/sessions/${h.sessionId}/questions`, resolution(h.ask.ask_id));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      session_id: h.sessionId,
      status: 'running',
      active_run_id: h.runId,
      snapshot: { pending_questions: [], status: 'running' },
    });
  });

  it('is 202 with a RunView on POST /v1/runs/{run_id}/questions', async () => {
    const h = await held(server);
    const reply = await server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id));
    expect(reply.status).toBe(202);
    expect(reply.body).toMatchObject({ run_id: h.runId, session_id: h.sessionId, status: 'running' });
  });

  it('is a refusal on the session-scoped call unless the question is the active one of that session', async () => {
    const h = await held(server);
    const elsewhere = await held(server);
    const path = `/v1/sessions/${h.sessionId}/questions`;
    await refusal(server.post(path, resolution(elsewhere.ask.ask_id)), 400, 'question_request_mismatch');
    const idle = await newSession(server);
    await refusal(
      server.post(`/v1/sessions/${idle.session_id}/questions`, resolution(h.ask.ask_id)),
      409,
      'question_state_conflict',
    );
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it('shows the questions that are left on the run-scoped call', async () => {
    const h = await held(server);
    const second = await raiseQuestion(server, h.runId);
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(second.ask_id)));
    expect(run).toMatchObject({ status: 'waiting_for_user_question', pending_question_ids: [h.ask.ask_id] });
  });

  it('waits with settle_ms for the next pause of the run', async () => {
    const h = await held(server);
    const settled = server.post<RunView>(`/v1/runs/${h.runId}/questions?settle_ms=20000`, resolution(h.ask.ask_id));
    const answered = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
    expect(answered.status).toBe('answered');
    const next = await raiseQuestion(server, h.runId);
    expect(await ok(settled)).toMatchObject({ pending_question_ids: [next.ask_id] });
  });
});

describe('an answer', () => {
  it('takes an option for one question and free text for another, with a justification', async () => {
    const h = await held(server, { questions: [ROUTING, NOTES] });
    const answers = [
      { question_id: 'routing', selected_option_ids: ['openai'] },
      { question_id: 'notes', freeform_answer: 'Use the fast path unless cost exceeds budget.' },
    ];
    const body = resolution(h.ask.ask_id, answers, { declined: false, justification: 'Answered by operator' });
    await ok(server.post(`/v1/runs/${h.runId}/questions`, body));
    const ask = await showAsk(server, h.ask.ask_id);
    expect(ask).toMatchObject({
      status: 'answered',
      answer: {
        outcome: 'answered',
        answers,
        justification: 'Answered by operator',
        answered_by: 'operator',
        surface: 'api',
      },
    });
    expect(ask.answer?.answered_at_ms).toBeGreaterThanOrEqual(ask.created_at_ms);
  });

  it('takes options and free text together, and several options where several are allowed', async () => {
    const h = await held(server, { questions: [REGIONS] });
    const answers = [{ question_id: 'regions', selected_option_ids: ['as', 'eu'], freeform_answer: 'and Mars' }];
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, answers)));
    expect((await showAsk(server, h.ask.ask_id)).answer?.answers).toEqual(answers);
  });

  it('may leave out a question that is not required', async () => {
    const h = await held(server, { questions: [ROUTING, { ...NOTES, required: false }] });
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id)));
    expect((await showAsk(server, h.ask.ask_id)).answer?.answers).toEqual(picks('openai'));
  });

  it('declines with declined: true and no answers, and the run goes on', async () => {
    for (const empty of [undefined, []]) {
      const h = await held(server);
      const body = {
        resolution: { request_id: h.ask.ask_id, declined: true, justification: 'ask me later', answers: empty },
      };
      const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, body));
      expect(run).toMatchObject({ run_id: h.runId, status: 'running' });
      const ask = await showAsk(server, h.ask.ask_id);
      expect(ask).toMatchObject({ status: 'declined', answer: { outcome: 'declined', justification: 'ask me later' } });
      const resolved = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'user_question_resolved');
      expect(resolved?.data).toMatchObject({ resolution: { declined: true, answers: [] } });
    }
  });

  it('resumes the original run after a restart', async () => {
    const h = await held(server, { mode: 'deferred' });
    await server.restart();
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, declined(h.ask.ask_id)));
    expect(run).toMatchObject({ run_id: h.runId, status: 'running' });
  });

  it('is refused for a queued run that has not asked', async () => {
    const { session_id } = await newSession(server);
    await startRun(server, session_id);
    const queued = await startRun(server, session_id);
    expect(queued).toMatchObject({ status: 'queued', queued_position: 1 });
    await refusal(
      server.post(`/v1/runs/${queued.run_id}/questions`, resolution('question-1')),
      409,
      'question_state_conflict',
    );
  });
});
