// Questions for people: what is pending, answering, declining, cancelling.
import { z } from 'zod';
import { CancelQuestion, ResolveQuestion } from '../../core/bodies.ts';
import { PendingQuestionView, RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER } from '../auth.ts';
import { keyOf, PageQuery, pageOf, SettleQuery, sendList, waitOf } from '../request.ts';
import { ownSession } from './own-session.ts';
import { type AddRoutes, about, RunParams, replies, SessionParams } from './route.ts';

export const addQuestions: AddRoutes = (app, { gateway }) => {
  app.get(
    '/v1/questions',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('questions', 'Pending questions over all sessions, oldest first'),
        querystring: PageQuery.extend({ session_id: z.string().optional() }),
        response: replies({ 200: z.array(PendingQuestionView) }),
      },
    },
    async (request, reply) => {
      const sessionId = ownSession(request.actor, request.query.session_id);
      return sendList(request, reply, await gateway.listPending('question', sessionId, pageOf(request.query)));
    },
  );

  app.get(
    '/v1/sessions/:session_id/questions',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('questions', 'Pending questions of one session'),
        params: SessionParams,
        querystring: PageQuery,
        response: replies({ 200: z.array(PendingQuestionView) }),
      },
    },
    async (request, reply) =>
      sendList(request, reply, await gateway.listPending('question', request.params.session_id, pageOf(request.query))),
  );

  app.post(
    '/v1/sessions/:session_id/questions',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('questions', 'Answer or decline, and get the session back'),
        params: SessionParams,
        querystring: SettleQuery,
        body: ResolveQuestion,
        response: replies({ 200: SessionView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const command = {
        sessionId: params.session_id,
        resolution: body.resolution,
        actor,
        key: keyOf(request, gateway.hash),
      };
      const { view } = await gateway.answerForSession(command);
      const settle = waitOf(request.query.settle_ms);
      if (settle === 0 || view.active_run_id === undefined) return view;
      await gateway.waitForPause(view.active_run_id, settle);
      return gateway.showSession(view.session_id);
    },
  );

  app.post(
    '/v1/runs/:run_id/questions',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('questions', 'Answer or decline, and get the run that carries on'),
        params: RunParams,
        querystring: SettleQuery,
        body: ResolveQuestion,
        response: replies({ 202: RunView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const command = { runId: params.run_id, resolution: body.resolution, actor, key: keyOf(request, gateway.hash) };
      const { view } = await gateway.answerForRun(command);
      const settle = waitOf(request.query.settle_ms);
      if (settle === 0) return reply.code(202).send(view);
      await gateway.waitForPause(view.run_id, settle);
      return reply.code(202).send(await gateway.showRun(view.run_id));
    },
  );

  app.post(
    '/v1/runs/:run_id/questions/:request_id/cancel',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about(
          'questions',
          'Cancel one pending question',
          'A normal question takes its run with it; a clarification is declined.',
        ),
        params: RunParams.extend({ request_id: z.string() }),
        body: CancelQuestion,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { run_id: runId, request_id: requestId } = params;
      return (await gateway.cancelQuestion({ runId, requestId, justification: body.justification, actor, key })).view;
    },
  );
};
