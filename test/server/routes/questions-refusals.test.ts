// The refusals of the question API over HTTP, by status, domain and code: on the run-scoped call, on the session-scoped
// call, and on the cancel call where it applies.
// Covers: src/server/routes/questions.ts, src/gateway/answer.ts
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors.ts';
import {
  clarify,
  family,
  type Held,
  held,
  NOTES,
  newSession,
  ok,
  picks,
  REGIONS,
  ROUTING,
  refusal,
  resolution,
  showRun,
  startRun,
} from '../../support/api-calls.ts';
import type { Reply } from '../../support/server.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

const SCOPES = ['run', 'session'] as const;
type AnswerScope = (typeof SCOPES)[number];

const pathOf = (scope: AnswerScope, h: Pick<Held, 'runId' | 'sessionId'>): string =>
  scope === 'run' ? `/v1/runs/${h.runId}/questions` : `/v1/sessions/${h.sessionId}/questions`;

const ALL = [ROUTING, REGIONS, NOTES];
const GOOD = [
  { question_id: 'routing', selected_option_ids: ['openai'] },
  { question_id: 'regions', selected_option_ids: ['eu', 'us'] },
  { question_id: 'notes', freeform_answer: 'fast path' },
];
const without = (id: string) => GOOD.filter((a) => a.question_id !== id);

/** Rows that a wrong payload alone brings about: the answers sent to a run held on three questions. */
const PAYLOAD_ROWS: [code: ErrorCode, meaning: string, answers: unknown, more?: Record<string, unknown>][] = [
  [
    'question_option_not_found',
    'An answer selected an option id that is not part of the question',
    [...without('routing'), ...picks('azure')],
  ],
  ['question_answer_missing', 'A required structured question was not answered', without('regions')],
  ['question_duplicate_answer', 'The payload answered the same question more than once', [...GOOD, ...picks('local')]],
  [
    'question_duplicate_option',
    'The payload selected the same option more than once',
    [...without('regions'), { question_id: 'regions', selected_option_ids: ['eu', 'eu'] }],
  ],
  ['question_declined_with_answers', 'A declined resolution also supplied answers', GOOD, { declined: true }],
  [
    'question_single_select_violation',
    'A single-select question received multiple selected options',
    [...without('routing'), { question_id: 'routing', selected_option_ids: ['openai', 'local'] }],
  ],
  [
    'question_answer_empty',
    'An answer supplied neither selected options nor freeform text',
    [...without('notes'), { question_id: 'notes', freeform_answer: ' \t\n' }],
  ],
  [
    'question_unknown_answer',
    'The payload included answers for questions not present in the request',
    [...GOOD, { question_id: 'budget', freeform_answer: '10' }],
  ],
];

describe.each(SCOPES)('a bad request on the %s-scoped call', (scope) => {
  it.each(PAYLOAD_ROWS)('is refused with %s: %s', async (code, _meaning, answers, more) => {
    const h = await held(server, { questions: ALL });
    const problem = await refusal(server.post(pathOf(scope, h), resolution(h.ask.ask_id, answers, more)), 400, code);
    expect(problem.domain).toBe('questions');
    const run = await showRun(server, h.runId);
    expect(run).toMatchObject({ status: 'waiting_for_user_question', pending_question_ids: [h.ask.ask_id] });
    await ok(server.post(pathOf(scope, h), resolution(h.ask.ask_id, GOOD)));
  });

  it('is refused with question_request_mismatch when its request id is not the pending one', async () => {
    const h = await held(server);
    const other = await held(server);
    for (const id of ['question-9', other.ask.ask_id]) {
      const problem = await refusal(server.post(pathOf(scope, h), resolution(id)), 400, 'question_request_mismatch');
      expect(problem.domain).toBe('questions');
      expect(problem.detail).toContain(h.ask.ask_id);
    }
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_user_question');
    expect((await showRun(server, other.runId)).status).toBe('waiting_for_user_question');
  });
});

describe.each(SCOPES)('a conflict on the %s-scoped call', (scope) => {
  it('is refused with question_state_conflict when the run is not waiting for a question', async () => {
    const { session_id: sessionId } = await newSession(server);
    const { run_id: runId } = await startRun(server, sessionId);
    const path = pathOf(scope, { runId, sessionId });
    const problem = await refusal(server.post(path, resolution('question-1')), 409, 'question_state_conflict');
    expect(problem.domain).toBe('questions');
    const approval = await held(server, { kind: 'approval' });
    for (const id of ['question-1', approval.ask.ask_id])
      await refusal(server.post(pathOf(scope, approval), resolution(id)), 409, 'question_state_conflict');
    expect((await showRun(server, approval.runId)).status).toBe('waiting_for_approval');
  });

  it('is refused with question_expired when the question expired before the answer arrived', async () => {
    const h = await held(server, { expires_after_ms: 1 });
    server.advance(1);
    const problem = await refusal(server.post(pathOf(scope, h), resolution(h.ask.ask_id)), 409, 'question_expired');
    expect(problem.domain).toBe('questions');
    expect((await showRun(server, h.runId)).status).toBe('cancelled');
    await refusal(server.post(pathOf(scope, h), resolution(h.ask.ask_id)), 409, 'question_expired');
  });

  it('is refused with question_resolution_conflict when a clarification has another answer', async () => {
    const { parentId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const path = pathOf(scope, { runId: asked.run_id, sessionId: parentId });
    await ok(server.post(path, resolution(asked.request_id, picks('openai'))));
    const problem = await refusal(
      server.post(path, resolution(asked.request_id, picks('local'))),
      409,
      'question_resolution_conflict',
    );
    expect(problem).toMatchObject({ domain: 'questions', winner: { answered_by: 'operator', outcome: 'answered' } });
  });

  it('is refused with idempotency_conflict when the key was used with another payload', async () => {
    const h = await held(server);
    const send = (option: string): Promise<Reply<unknown>> =>
      server.post(pathOf(scope, h), resolution(h.ask.ask_id, picks(option)), { headers: { 'idempotency-key': 'k1' } });
    await ok(send('openai'));
    const problem = await refusal(send('local'), 409, 'idempotency_conflict');
    expect(problem.domain).toBe('idempotency');
  });
});

describe('a cancel', () => {
  const cancel = (h: Held, requestId = h.ask.ask_id, body = {}) =>
    server.post(`/v1/runs/${h.runId}/questions/${requestId}/cancel`, body);

  it('is refused with question_request_mismatch when its request id is not pending on the run', async () => {
    const h = await held(server);
    await refusal(cancel(h, 'question-9'), 400, 'question_request_mismatch');
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_user_question');
  });

  it('is refused with question_state_conflict when the question was answered', async () => {
    const { session_id: sessionId } = await newSession(server);
    const { run_id: runId } = await startRun(server, sessionId);
    const path = `/v1/runs/${runId}/questions/question-1/cancel`;
    await refusal(server.post(path), 409, 'question_state_conflict');
  });

  it('is refused with question_expired when the question has expired', async () => {
    const h = await held(server, { expires_after_ms: 1 });
    server.advance(1);
    await refusal(cancel(h), 409, 'question_expired');
    await refusal(cancel(h), 409, 'question_expired');
  });

  it('is refused with idempotency_conflict when its key was used with another payload', async () => {
    const h = await held(server);
    await ok(cancel(h, h.ask.ask_id, { idempotency_key: 'k', justification: 'not now' }));
    await refusal(
      cancel(h, h.ask.ask_id, { idempotency_key: 'k', justification: 'never' }),
      409,
      'idempotency_conflict',
    );
  });
});
