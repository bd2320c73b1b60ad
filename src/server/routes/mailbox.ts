// Mail of a session: what waits for it, what could not arrive.
import { z } from 'zod';
import { Empty, FailMessage } from '../../core/bodies.ts';
import { DeadLetterView, MessageView } from '../../core/views.ts';
import { AGENT_SIDE, EVERY_READER } from '../auth.ts';
import { keyOf, PageQuery, pageOf, sendList } from '../request.ts';
import { type AddRoutes, about, replies, SessionParams } from './route.ts';

const MessageParams = SessionParams.extend({ message_id: z.string() });

export const addMailbox: AddRoutes = (app, { gateway }) => {
  for (const [path, which, view, summary] of [
    ['mailbox', 'open', MessageView, 'Messages not yet acknowledged'],
    ['dead-letters', 'dead', DeadLetterView, 'Messages that could not arrive, with the reason'],
  ] as const) {
    app.get(
      `/v1/sessions/:session_id/${path}`,
      {
        config: { scopes: EVERY_READER },
        schema: {
          ...about('mailbox', summary),
          params: SessionParams,
          querystring: PageQuery,
          response: replies({ 200: z.array(view) }),
        },
      },
      async (request, reply) =>
        sendList(request, reply, await gateway.listMessages(request.params.session_id, which, pageOf(request.query))),
    );
  }

  app.post(
    '/v1/sessions/:session_id/mailbox/:message_id/ack',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('mailbox', 'The child has the message'),
        params: MessageParams,
        body: Empty,
        response: replies({ 200: MessageView }),
      },
    },
    async (request) => {
      const { session_id, message_id } = request.params;
      return (await gateway.acknowledgeMessage(session_id, message_id, keyOf(request, gateway.hash))).view;
    },
  );

  app.post(
    '/v1/sessions/:session_id/mailbox/:message_id/fail',
    {
      config: { scopes: AGENT_SIDE },
      schema: {
        ...about('mailbox', 'A delivery failed; the third makes it a dead letter'),
        params: MessageParams,
        body: FailMessage,
        response: replies({ 200: DeadLetterView.partial({ reason: true, dead_at_ms: true }) }),
      },
    },
    async (request) => {
      const { session_id, message_id } = request.params;
      const key = keyOf(request, gateway.hash);
      return (await gateway.failMessage(session_id, message_id, request.body.reason, key)).view;
    },
  );
};
