// Answers, declines and cancels questions.
import { CancelQuestion, ResolveQuestion } from '../../core/bodies.ts';
import { RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { SettleQuery } from '../request.ts';
import { settledRun, settledSession } from './pending-asks.ts';
import type { AddRoutes } from './route.ts';

export const addQuestions: AddRoutes = ({ route, gateway }) => {
  route('questions', 'POST /v1/sessions/:session_id/questions', {
    summary: 'Answer or decline, and get the session back',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveQuestion,
    reply: SessionView,
    async handle({ actor, params, query, body: { resolution }, key }) {
      const { view } = await gateway.answerForSession({ sessionId: params.session_id, resolution, actor, key });
      return settledSession(gateway, view, query);
    },
  });

  route('questions', 'POST /v1/runs/:run_id/questions', {
    summary: 'Answer or decline, and get the run that carries on',
    scopes: ANSWERERS,
    query: SettleQuery,
    body: ResolveQuestion,
    reply: RunView,
    status: 202,
    async handle({ actor, params, query, body: { resolution }, key }) {
      const { view } = await gateway.answerForRun({ runId: params.run_id, resolution, actor, key });
      return settledRun(gateway, view, query);
    },
  });

  route('questions', 'POST /v1/runs/:run_id/questions/:request_id/cancel', {
    summary: 'Cancel one pending question',
    description: 'A normal question takes its run with it; a clarification is declined.',
    scopes: ANSWERERS,
    body: CancelQuestion,
    reply: RunView,
    change({ actor, params, body: { justification }, key }) {
      const { run_id: runId, request_id: requestId } = params;
      return gateway.cancelQuestion({ runId, requestId, justification, actor, key });
    },
  });
};
