// Sends Web Push messages to browsers, encrypted for each. The service worker shows them under their handle; the handle is
// also the topic, so that a push service keeps only the newest message for a device that is offline.
import { createHash } from 'node:crypto';
import webPush from 'web-push';
import { z } from 'zod';
import type { SendResult } from '../../core/notice.ts';
import { truncate } from '../../core/text-limit.ts';
import type { Channel, ChannelContext, Message, Target } from '../channel.ts';
import { headline, sentence } from '../message-text.ts';
import { resultOf } from '../send-result.ts';

export const PushAddress = z.object({
  endpoint: z.string().max(2000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});

const DAY_S = 24 * 60 * 60;
const LONGEST_BODY = 300;

/** What the service worker is sent. It decides nothing by itself: `web/public/sw.js`. */
export interface PushPayload {
  event: Message['event'];
  tag: string;
  title: string;
  body: string;
  path: string;
  urgent: boolean;
  /** What the person may press besides opening it; the press names exactly what was shown. */
  actions: ('allow' | 'deny')[];
  ask?: { ask_id: string; run_id: string; digest: string };
}

export function createPushChannel({ post, vapidKeys, pushContact, now }: ChannelContext): Channel {
  const send = (target: Target, message: Message): Promise<SendResult> =>
    resultOf(async () => {
      const subscription = PushAddress.parse(target.address);
      const { publicKey, privateKey } = await vapidKeys();
      const { endpoint, headers, body } = webPush.generateRequestDetails(
        subscription,
        JSON.stringify(payloadOf(target, message)),
        {
          vapidDetails: { subject: pushContact, publicKey, privateKey },
          TTL: lifetimeS(message, now()),
          urgency: message.isUrgent ? 'high' : 'normal',
          topic: topicOf(message.handle),
          contentEncoding: 'aes128gcm',
        },
      );
      const reply = await post(endpoint, { headers: headers as Record<string, string>, body: body as Buffer });
      if (reply.status >= 200 && reply.status < 300) return { result: 'accepted' };
      if (reply.status === 404 || reply.status === 410)
        return { result: 'gone', reason: 'the browser ended its subscription' };
      const reason = `the push service replied ${reply.status}`;
      if (reply.status === 429 || reply.status >= 500)
        return { result: 'failed', reason, retryAfterMs: reply.retryAfterMs };
      return { result: 'refused', reason };
    });
  return { name: 'push', shows: 'asks', send, update: send, close: send };
}

export function payloadOf({ contact }: Target, message: Message): PushPayload {
  const { ask, runId } = message;
  const isOpen = ask?.kind === 'approval' && !message.ended && message.count === undefined && contact.mayAnswer;
  const mayAllow = isOpen && ask.isWhole && ask.isLowRisk && contact.settings.allowAction === true;
  return {
    event: message.event,
    tag: message.handle,
    title: headline(message),
    body: truncate(sentence(message), LONGEST_BODY),
    path: message.path,
    urgent: message.isUrgent,
    actions: isOpen
      ? [...(mayAllow && sentence(message).length <= LONGEST_BODY ? ['allow' as const] : []), 'deny']
      : [],
    ...(isOpen && runId !== undefined && { ask: { ask_id: ask.id, run_id: runId, digest: ask.digest } }),
  };
}

const lifetimeS = ({ ask }: Message, now: number): number =>
  ask?.expiresAtMs === undefined ? DAY_S : Math.max(60, Math.min(DAY_S, Math.ceil((ask.expiresAtMs - now) / 1000)));

/** At most 32 characters of base64url. */
const topicOf = (handle: string): string => createHash('sha256').update(handle).digest('base64url').slice(0, 32);
