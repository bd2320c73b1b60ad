// Stores drafts: what an operator has typed and not sent. Each operator has their own; events do not carry the content.
import { z } from 'zod';
import { SaveDraft } from '../../core/bodies.ts';
import { DraftView } from '../../core/views.ts';
import { ANSWERERS } from '../auth.ts';
import type { AddRoutes } from './route.ts';

export const addDrafts: AddRoutes = ({ route, gateway, streams }) => {
  route('drafts', 'GET /v1/asks/:ask_id/draft', {
    name: 'getDraft',
    summary: 'What is typed and not sent',
    description: 'Your own draft; 204 when there is none. It is kept until you answer, however the ask ends.',
    scopes: ANSWERERS,
    reply: DraftView,
    emptyReplies: { 204: 'You have no draft' },
    handle: async ({ actor, params, reply }) =>
      (await gateway.showDraft(params.ask_id, actor)) ?? reply.code(204).send(),
  });

  route('drafts', 'PUT /v1/asks/:ask_id/draft', {
    name: 'saveDraft',
    summary: 'Keep what is typed',
    description: 'Your last save wins. Values of secret questions are refused.',
    scopes: ANSWERERS,
    body: SaveDraft,
    examples: { answer: { answers: [{ question_id: 'notes', freeform_answer: 'after lunch' }] } },
    refuses: ['ask_state_conflict', 'question_unknown_answer', 'secret_not_drafted'],
    reply: DraftView,
    async handle({ actor, params, body, key }) {
      const { idempotency_key: _, ...content } = body;
      const { view } = await gateway.saveDraft({ askId: params.ask_id, content, author: actor, key });
      const { ask_id, revision, saved_at_ms, saved_by } = view;
      streams.tellDraft({ ask_id, revision, saved_at_ms, saved_by }, actor.person);
      return view;
    },
  });

  route('drafts', 'DELETE /v1/asks/:ask_id/draft', {
    name: 'deleteDraft',
    summary: 'Drop what is typed',
    description: 'Your own draft; a repeat changes nothing.',
    scopes: ANSWERERS,
    reply: z.void(),
    status: 204,
    async handle({ actor, params: { ask_id } }) {
      if (await gateway.dropDraft(ask_id, actor)) streams.tellDraft({ ask_id, saved_by: actor.name }, actor.person);
    },
  });
};
