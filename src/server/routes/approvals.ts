// Approvals for people: what is pending, and deciding it in batches that are all or nothing.
import { z } from 'zod';
import { ResolveApprovals } from '../../core/bodies.ts';
import { PendingApprovalView, RunView, SessionView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER } from '../auth.ts';
import { keyOf, PageQuery, pageOf, SettleQuery, sendList, waitOf } from '../request.ts';
import { ownSession } from './own-session.ts';
import { type AddRoutes, about, RunParams, replies, SessionParams } from './route.ts';

export const addApprovals: AddRoutes = (app, { gateway }) => {
  app.get(
    '/v1/approvals',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('approvals', 'Pending approvals over all sessions, oldest first'),
        querystring: PageQuery.extend({ session_id: z.string().optional() }),
        response: replies({ 200: z.array(PendingApprovalView) }),
      },
    },
    async (request, reply) => {
      const sessionId = ownSession(request.actor, request.query.session_id);
      return sendList(request, reply, await gateway.listPending('approval', sessionId, pageOf(request.query)));
    },
  );

  app.get(
    '/v1/sessions/:session_id/approvals',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('approvals', 'Pending approvals of one session'),
        params: SessionParams,
        querystring: PageQuery,
        response: replies({ 200: z.array(PendingApprovalView) }),
      },
    },
    async (request, reply) =>
      sendList(request, reply, await gateway.listPending('approval', request.params.session_id, pageOf(request.query))),
  );

  app.post(
    '/v1/sessions/:session_id/approvals',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('approvals', 'Decide a batch, and get the session back'),
        params: SessionParams,
        querystring: SettleQuery,
        body: ResolveApprovals,
        response: replies({ 200: SessionView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      const { view } = await gateway.approveForSession(command);
      const settle = waitOf(request.query.settle_ms);
      if (settle === 0 || view.active_run_id === undefined) return view;
      await gateway.waitForPause(view.active_run_id, settle);
      return gateway.showSession(view.session_id);
    },
  );

  app.post(
    '/v1/sessions/:session_id/approval-runs',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('approvals', 'Decide a batch, and get the run that carries on'),
        params: SessionParams,
        body: ResolveApprovals,
        response: replies({ 202: RunView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const command = { sessionId: params.session_id, resolutions: body.resolutions, actor, key };
      return reply.code(202).send((await gateway.approveForSessionRun(command)).view);
    },
  );

  app.post(
    '/v1/runs/:run_id/approvals',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('approvals', 'Decide a batch of one run'),
        params: RunParams,
        querystring: SettleQuery,
        body: ResolveApprovals,
        response: replies({ 202: RunView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.approveForRun({ runId: params.run_id, resolutions: body.resolutions, actor, key });
      const settle = waitOf(request.query.settle_ms);
      if (settle === 0) return reply.code(202).send(view);
      await gateway.waitForPause(view.run_id, settle);
      return reply.code(202).send(await gateway.showRun(view.run_id));
    },
  );
};
