// Runs: start work, look at it, cancel it; and the agent's own words about it: output, complete, fail.
import { z } from 'zod';
import { CancelRun, CompleteRun, FailRun, PostMessage, PostOutput, StartRun } from '../../core/bodies.ts';
import { RUN_STATUSES } from '../../core/run.ts';
import { RunView } from '../../core/views.ts';
import { AGENT_SIDE, ANSWERERS, EVERY_READER } from '../auth.ts';
import { keyOf, leaseOf, PageQuery, pageOf, sendList } from '../request.ts';
import { ownSession } from './own-session.ts';
import { type AddRoutes, about, RunParams, replies, SessionParams } from './route.ts';

export const addRuns: AddRoutes = (app, { gateway }) => {
  app.post(
    '/v1/sessions/:session_id/runs',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('runs', 'Start work in a session'),
        params: SessionParams,
        body: StartRun,
        response: replies({ 202: RunView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.startRun({ sessionId: params.session_id, body, actor, key });
      return reply.code(202).send(view);
    },
  );

  app.post(
    '/v1/sessions/:session_id/messages',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about(
          'sessions',
          'Say something to a session: a post to its thread, or the answer to its form',
          'While a form waits, words are refused until it is submitted or cancelled.',
        ),
        params: SessionParams,
        body: PostMessage,
        response: replies({ 202: RunView }),
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.postMessage({ sessionId: params.session_id, body, actor, key });
      return reply.code(202).send(view);
    },
  );

  app.get(
    '/v1/runs',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('runs', 'List runs, oldest first'),
        querystring: PageQuery.extend({ session_id: z.string().optional(), status: z.enum(RUN_STATUSES).optional() }),
        response: replies({ 200: z.array(RunView) }),
      },
    },
    async (request, reply) => {
      const { session_id, status } = request.query;
      const sessionId = ownSession(request.actor, session_id);
      return sendList(request, reply, await gateway.listRuns({ sessionId, status }, pageOf(request.query)));
    },
  );

  app.get(
    '/v1/runs/:run_id',
    {
      config: { scopes: EVERY_READER },
      schema: { ...about('runs', 'One run'), params: RunParams, response: replies({ 200: RunView }) },
    },
    (request) => gateway.showRun(request.params.run_id),
  );

  app.get(
    '/v1/runs/:run_id/input',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('agents', 'What the run was asked to do, whole', 'Views show only its beginning.'),
        params: RunParams,
        response: replies({ 200: z.record(z.string(), z.unknown()) }),
      },
    },
    (request) => gateway.showInput(request.params.run_id),
  );

  app.post(
    '/v1/runs/:run_id/cancel',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('runs', 'Cancel a run', 'Idempotent: a run that is already cancelled stays as it is.'),
        params: RunParams,
        body: CancelRun,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      return (await gateway.cancelRun({ runId: params.run_id, reason: body.reason, actor, key })).view;
    },
  );

  app.post(
    '/v1/runs/:run_id/output',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('agents', 'Say something', 'The same `output_id` again is the same output.'),
        params: RunParams,
        body: PostOutput,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      return (await gateway.postOutput({ runId: params.run_id, body, actor, leaseEpoch: leaseOf(request), key })).view;
    },
  );

  app.post(
    '/v1/runs/:run_id/complete',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('agents', 'The work is done'),
        params: RunParams,
        body: CompleteRun,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { text, exit_code: exitCode } = body;
      const command = { runId: params.run_id, text, exitCode, actor, leaseEpoch: leaseOf(request), key };
      return (await gateway.completeRun(command)).view;
    },
  );

  app.post(
    '/v1/runs/:run_id/fail',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('agents', 'The work failed, or was interrupted'),
        params: RunParams,
        body: FailRun,
        response: replies({ 200: RunView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      const { error, reason, interrupted_by: interruptedBy, exit_code: exitCode } = body;
      const what = { runId: params.run_id, error, reason, interruptedBy, exitCode };
      return (await gateway.failRun({ ...what, actor, leaseEpoch: leaseOf(request), key })).view;
    },
  );
};
