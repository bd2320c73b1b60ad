// Sessions: create or reuse, look at, interrupt, end.
import { z } from 'zod';
import { CreateSession, Empty, EndSession } from '../../core/bodies.ts';
import { SessionView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER, WORKERS } from '../auth.ts';
import { keyOf, PageQuery, pageOf, sendList } from '../request.ts';
import { type AddRoutes, about, replies, SessionParams } from './route.ts';

export const addSessions: AddRoutes = (app, { gateway }) => {
  app.post(
    '/v1/sessions',
    {
      config: { scopes: WORKERS },
      schema: {
        ...about('sessions', 'Create a session, or reuse the one with this id'),
        body: CreateSession,
        response: replies({ 200: SessionView, 201: SessionView }),
      },
    },
    async (request, reply) => {
      const { created, view } = await gateway.createSession(request.body, keyOf(request, gateway.hash));
      return reply.code(created ? 201 : 200).send(view);
    },
  );

  app.get(
    '/v1/sessions',
    {
      config: { scopes: EVERY_READER },
      schema: {
        ...about('sessions', 'List sessions, oldest first unless said otherwise'),
        querystring: PageQuery.extend({
          status: z.enum(['active', 'ended']).optional(),
          parent_session_id: z.string().optional().describe('Only the children of this session'),
          order: z.enum(['oldest', 'newest']).optional().describe('Which come first'),
        }),
        response: replies({ 200: z.array(SessionView) }),
      },
    },
    async (request, reply) => {
      const { status, parent_session_id: parentId, order } = request.query;
      const newestFirst = order === 'newest';
      const way = newestFirst ? 'b' : 'p';
      const filter = { id: request.actor.sessionId, status, parentId, newestFirst };
      const listed = await gateway.listSessions(filter, pageOf(request.query, way));
      return sendList(request, reply, listed, way);
    },
  );

  app.get(
    '/v1/sessions/:session_id',
    {
      config: { scopes: EVERY_READER },
      schema: { ...about('sessions', 'One session'), params: SessionParams, response: replies({ 200: SessionView }) },
    },
    (request) => gateway.showSession(request.params.session_id),
  );

  app.post(
    '/v1/sessions/:session_id/interrupt',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('sessions', 'Interrupt the active run of a session'),
        params: SessionParams,
        body: Empty,
        response: replies({ 200: SessionView }),
      },
    },
    async (request) => {
      const { actor, params } = request;
      const key = keyOf(request, gateway.hash);
      return (await gateway.interruptSession({ sessionId: params.session_id, actor, key })).view;
    },
  );

  app.post(
    '/v1/sessions/:session_id/end',
    {
      config: { scopes: WORKERS },
      schema: {
        ...about('sessions', 'End a session: its open runs and asks end with it'),
        params: SessionParams,
        body: EndSession,
        response: replies({ 200: SessionView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const key = keyOf(request, gateway.hash);
      return (await gateway.endSession({ sessionId: params.session_id, reason: body.reason, actor, key })).view;
    },
  );
};
