// Drafts: what an operator has typed and not sent. Everyone has their own; no event tells what they hold.
import { z } from 'zod';
import { SaveDraft } from '../../core/bodies.ts';
import { DraftView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import { keyOf } from '../request.ts';
import { type AddRoutes, AskParams, about, replies } from './route.ts';

export const addDrafts: AddRoutes = (app, { gateway, streams }) => {
  app.get(
    '/v1/asks/:ask_id/draft',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about(
          'drafts',
          'What is typed and not sent',
          'Your own; 204 when nothing is. It outlives every end of the ask but your own answer.',
        ),
        params: AskParams,
        response: replies({ 200: DraftView, 204: z.void() }),
      },
    },
    async (request, reply) => {
      const draft = await gateway.showDraft(request.params.ask_id, request.actor.name);
      return draft ?? reply.code(204).send();
    },
  );

  app.put(
    '/v1/asks/:ask_id/draft',
    {
      config: { scopes: ANSWERERS },
      schema: {
        ...about('drafts', 'Keep what is typed', 'Your last save wins. Values of secret questions are refused.'),
        params: AskParams,
        body: SaveDraft,
        response: replies({ 200: DraftView }),
      },
    },
    async (request) => {
      const { actor, params, body } = request;
      const { idempotency_key: _, ...content } = body;
      const key = keyOf(request, gateway.hash);
      const { view } = await gateway.saveDraft({ askId: params.ask_id, content, author: actor.name, key });
      const { ask_id, revision, saved_at_ms, saved_by } = view;
      streams.tellDraft({ ask_id, revision, saved_at_ms, saved_by });
      return view;
    },
  );

  app.delete(
    '/v1/asks/:ask_id/draft',
    {
      config: { scopes: ANSWERERS },
      schema: { ...about('drafts', 'Drop what is typed'), params: AskParams, response: replies({ 204: z.void() }) },
    },
    async (request, reply) => {
      const { ask_id } = request.params;
      const { name } = request.actor;
      if (await gateway.dropDraft(ask_id, name)) streams.tellDraft({ ask_id, saved_by: name });
      return reply.code(204).send();
    },
  );
};
