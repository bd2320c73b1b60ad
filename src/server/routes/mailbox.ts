// Lists and acknowledges the mail of a session, and its dead letters.
import { z } from 'zod';
import { Empty, FailMessage } from '../../core/bodies.ts';
import { DeadLetterView, MessageView } from '../../core/views.ts';
import { AGENT_SIDE, EVERY_READER } from '../auth.ts';
import { PageQuery, pageOf, sendList } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addMailbox: AddRoutes = ({ route, gateway }) => {
  for (const [path, name, which, view, summary] of [
    ['mailbox', 'listMailbox', 'open', MessageView, 'Messages not yet acknowledged'],
    ['dead-letters', 'listDeadLetters', 'dead', DeadLetterView, 'Messages that could not arrive, with the reason'],
  ] as const)
    route('mailbox', `GET /v1/sessions/:session_id/${path}`, {
      name,
      summary,
      description: 'Oldest first. Answers to clarifications arrive here.',
      scopes: EVERY_READER,
      query: PageQuery,
      reply: z.array(view),
      handle: async ({ request, reply, params, query }) =>
        sendList(request, reply, await gateway.listMessages(params.session_id, which, pageOf(query))),
    });

  route('mailbox', 'POST /v1/sessions/:session_id/mailbox/:message_id/ack', {
    name: 'acknowledgeMessage',
    summary: 'The child has the message',
    description: 'It leaves the mailbox; a repeat changes nothing.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: Empty,
    reply: MessageView,
    change: ({ params, sender }) =>
      gateway.acknowledgeMessage(params.session_id, params.message_id, sender.key, sender),
  });

  route('mailbox', 'POST /v1/sessions/:session_id/mailbox/:message_id/fail', {
    name: 'failMessage',
    summary: 'A delivery failed; the third makes it a dead letter',
    description: 'It stays in the mailbox for the next attempt until then.',
    scopes: AGENT_SIDE,
    reads: ['Holdpoint-Lease'],
    body: FailMessage,
    reply: DeadLetterView.partial({ reason: true, dead_at_ms: true }),
    change: ({ params, body, sender }) =>
      gateway.failMessage(params.session_id, params.message_id, body.reason, sender.key, sender),
  });
};
