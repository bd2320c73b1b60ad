// Answers, declines and cancels questions.
import { CancelQuestion, ResolveQuestion } from '../../core/bodies.ts';
import { RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { SettleQuery } from '../request.ts';
import { settledRun, settledSession } from './pending-asks.ts';
import { ANSWER_CODES } from './refusal-codes.ts';
import type { AddRoutes } from './route.ts';

export const addQuestions: AddRoutes = ({ route, gateway }) => {
  route('questions', 'POST /v1/sessions/:session_id/questions', {
    name: 'answerSessionQuestion',
    summary: 'Answer or decline, and get the session back',
    description:
      'Finds the run that waits for `request_id` in the session. The first answer wins; a later one is refused with the winner.',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveQuestion,
    examples: {
      declined: { resolution: { request_id: 'ask_01hzexample', declined: true, justification: 'Not today.' } },
    },
    refuses: ANSWER_CODES,
    reply: SessionView,
    async handle({ actor, params, query, body: { resolution }, key }) {
      const { view } = await gateway.answerForSession({ sessionId: params.session_id, resolution, actor, key });
      return settledSession(gateway, view, query);
    },
  });

  route('questions', 'POST /v1/runs/:run_id/questions', {
    name: 'answerQuestion',
    summary: 'Answer or decline, and get the run that carries on',
    description:
      'The first answer wins; a later one is refused with the winner. Answers are checked against the question set.',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveQuestion,
    examples: {
      option: {
        resolution: {
          request_id: 'ask_01hzexample',
          answers: [{ question_id: 'target', selected_option_ids: ['staging'] }],
        },
      },
    },
    refuses: ANSWER_CODES,
    reply: RunView,
    status: 202,
    async handle({ actor, params, query, body: { resolution }, key }) {
      const { view } = await gateway.answerForRun({ runId: params.run_id, resolution, actor, key });
      return settledRun(gateway, view, query);
    },
  });

  route('questions', 'POST /v1/runs/:run_id/questions/:request_id/cancel', {
    name: 'cancelQuestion',
    summary: 'Cancel one pending question',
    description: 'A normal question takes its run with it; a clarification is declined.',
    scopes: ANSWERERS,
    body: CancelQuestion,
    examples: { reason: { justification: 'No longer needed.' } },
    refuses: [
      'question_expired',
      'question_request_mismatch',
      'question_resolution_conflict',
      'question_state_conflict',
      'run_state_conflict',
    ],
    reply: RunView,
    change({ actor, params, body: { justification }, key }) {
      const { run_id: runId, request_id: requestId } = params;
      return gateway.cancelQuestion({ runId, requestId, justification, actor, key });
    },
  });
};
