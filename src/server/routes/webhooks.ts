// Adds, lists and removes webhooks, lists what was sent to them, and sends it once more. Only operators
// change them: an endpoint learns what agents ask.
import { z } from 'zod';
import { AddWebhook, NewWebhookView, NoticeView, Redeliver, WebhookView } from '../../core/notice-views.ts';
import { ANSWERERS, READERS } from '../auth.ts';
import { PageQuery, pageBefore, sendList } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addWebhooks: AddRoutes = ({ route, notices }) => {
  route('webhooks', 'POST /v1/webhooks', {
    name: 'addWebhook',
    examples: { runs: { name: 'ops', url: 'https://ops.example.org/holdpoint', events: ['run.ended'] } },
    refuses: ['notice_target_refused', 'contact_exists', 'contacts_limit'],
    summary: 'Send events to an endpoint from now on',
    description: 'Signed as Standard Webhooks; the secret is in this response and nowhere else.',
    scopes: ANSWERERS,
    body: AddWebhook,
    reply: NewWebhookView,
    status: 201,
    change: ({ body, actor, key }) => notices.addWebhook(body, actor, key),
  });

  route('webhooks', 'GET /v1/webhooks', {
    name: 'listWebhooks',
    description: 'With those that were lost. Their addresses and secrets are shown to nobody.',
    summary: 'List webhooks',
    scopes: READERS,
    reply: z.array(WebhookView),
    handle: () => notices.listWebhooks(),
  });

  route('webhooks', 'DELETE /v1/webhooks/:webhook_id', {
    name: 'removeWebhook',
    refuses: ['contact_not_found'],
    description: 'What is under way to it fails.',
    isKeyed: true,
    summary: 'Send nothing to an endpoint any more',
    scopes: ANSWERERS,
    reply: WebhookView,
    change: ({ params, actor, key }) => notices.removeWebhook(params.webhook_id, actor, key),
  });

  route('webhooks', 'GET /v1/webhooks/:webhook_id/deliveries', {
    name: 'listDeliveries',
    refuses: ['contact_not_found'],
    description: 'Each with its state, its attempts, and why it failed.',
    summary: 'What was sent to an endpoint, newest first, for 30 days',
    scopes: READERS,
    query: PageQuery,
    reply: z.array(NoticeView),
    async handle({ request, reply, params, query }) {
      const { limit, before } = pageBefore(query);
      return sendList(request, reply, await notices.listDeliveries(params.webhook_id, { limit, after: before }), 'b');
    },
  });

  route('webhooks', 'POST /v1/webhooks/:webhook_id/redeliver', {
    name: 'redeliver',
    refuses: ['contact_not_found'],
    examples: { failed: {} },
    summary: 'Send once more what failed, or what is named',
    description: 'Under the same ids, so that a receiver knows what it has.',
    scopes: ANSWERERS,
    body: Redeliver,
    reply: z.array(NoticeView),
    change: ({ params, body, key }) => notices.redeliver(params.webhook_id, body, key),
  });
};
