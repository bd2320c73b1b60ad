// Sends events to an endpoint as Standard Webhooks: a signed POST with an id that stays the same when it is repeated. The
// format `slack` sends a text in the shape of incoming webhooks instead, in which nothing becomes markup or a mention.
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { SendResult } from '../../core/notice.ts';
import type { Channel, ChannelContext, Message, Target } from '../channel.ts';
import { sentence } from '../message-text.ts';
import { resultOf } from '../send-result.ts';

export const WebhookAddress = z.object({ url: z.string(), secret: z.string() });

export function createWebhookChannel({ post, pageUrl }: ChannelContext): Channel {
  const send = (target: Target, message: Message): Promise<SendResult> =>
    resultOf(async () => {
      const { url, secret } = WebhookAddress.parse(target.address);
      const isSlack = target.contact.settings.format === 'slack';
      const body = JSON.stringify(isSlack ? slackBody(message, pageUrl()) : standardBody(message, pageUrl()));
      // Receivers compare it with their own clock, not with the database's.
      const at = Math.floor(Date.now() / 1000);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Holdpoint',
        'webhook-id': message.id,
        'webhook-timestamp': String(at),
        'webhook-signature': new Webhook(secret).sign(message.id, new Date(at * 1000), body),
      };
      const reply = await post(url, { headers, body });
      if (reply.status >= 200 && reply.status < 300) return { result: 'accepted' };
      if (reply.status === 410) return { result: 'gone', reason: 'the endpoint replied 410 Gone' };
      return { result: 'failed', reason: `the endpoint replied ${reply.status}`, retryAfterMs: reply.retryAfterMs };
    });
  return { name: 'webhook', shows: 'events', send, update: send, close: send };
}

function standardBody(message: Message, pageUrl: string | undefined) {
  const { ask, ended, run, waitedMs } = message;
  return {
    type: message.event,
    timestamp: new Date(message.atMs).toISOString(),
    data: {
      text: sentence(message),
      ...(pageUrl !== undefined && { url: pageUrl + message.path }),
      session_id: message.sessionId,
      run_id: message.runId,
      agent: message.agent,
      title: message.title,
      ...(ask && {
        ask_id: ask.id,
        kind: ask.kind,
        heading: ask.heading,
        summary: ask.text,
        is_whole: ask.isWhole,
        expires_at_ms: ask.expiresAtMs,
      }),
      ...(waitedMs !== undefined && { waited_ms: waitedMs }),
      ...(ended && { ended }),
      ...(run && { status: run.status }),
    },
  };
}

/**
 * Slack reads `<…>` as a link or a mention and `&` as an escape; its like read `@all` and `[text](address)`, and all of them
 * make links of addresses. A word joiner, which is not shown, keeps these apart.
 */
const slackText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=\w)|:(?=\/\/)|\](?=\()/g, '$&\u2060');

function slackBody(message: Message, pageUrl: string | undefined) {
  const link = pageUrl === undefined ? '' : `\n${pageUrl}${message.path}`;
  return { text: slackText(sentence(message)) + link, unfurl_links: false, mrkdwn: false };
}
