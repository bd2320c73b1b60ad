// Defines the bodies and views of notices, devices and webhooks on the wire. No view shows an address or a secret again.
import { z } from 'zod';
import { IdempotencyKey } from './bodies.ts';
import { instant } from './fields.ts';
import { LONGEST_PATTERN } from './glob.ts';
import { NOTICE_EVENTS, NOTICE_STATES } from './notice.ts';
import { QuietHours } from './quiet-hours.ts';

const idempotency_key = IdempotencyKey.optional();
const name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._:@-]*$/u, 'must be letters, digits, blanks and . _ : @ -');

export const AddDevice = z.strictObject({
  subscription: z
    .strictObject({
      endpoint: z.string().min(1).max(2000),
      expirationTime: z.number().nullish(),
      keys: z.strictObject({
        p256dh: z.string().regex(/^[\w-]{87}=?$/, 'must be a P-256 public key in base64url'),
        auth: z.string().regex(/^[\w-]{22}(?:==)?$/, 'must be 16 bytes in base64url'),
      }),
    })
    .describe('PushSubscription.toJSON() of the browser'),
  label: z.string().trim().min(1).max(80).describe('Which device it is, for people'),
  allow_action: z.boolean().optional().describe('Offer Allow on notifications too, where no risk is found'),
  idempotency_key,
});
export type AddDevice = z.infer<typeof AddDevice>;

const EVENTS = NOTICE_EVENTS.filter((event) => event !== 'test');
export const AddWebhook = z.strictObject({
  url: z.string().min(1).max(2000),
  name: name.describe('How routes and the log call it'),
  events: z.array(z.enum(EVENTS)).min(1).max(EVENTS.length).optional().describe('All by default'),
  agent: z.string().min(1).max(LONGEST_PATTERN).optional().describe('Glob: only sessions of these agents'),
  project: z.string().min(1).max(LONGEST_PATTERN).optional().describe('Glob: only sessions of these projects'),
  format: z.enum(['standard', 'slack']).optional().describe('`slack`: a text, as Slack and its like take it'),
  idempotency_key,
});
export type AddWebhook = z.infer<typeof AddWebhook>;

export const Redeliver = z.strictObject({
  notice_ids: z.array(z.string().max(64)).min(1).max(500).optional(),
  since_ms: instant
    .optional()
    .describe('Everything since then, whatever became of it. Without either: what failed, or waits to be retried'),
  idempotency_key,
});
export type Redeliver = z.infer<typeof Redeliver>;

export const TestNotices = z.strictObject({
  who: name.optional().describe('A person or a webhook; yourself by default'),
  idempotency_key,
});

export const SetQuietHours = z.strictObject({ quiet_hours: QuietHours.optional(), idempotency_key });

export const NoticeView = z.object({
  notice_id: z.string(),
  event: z.enum([...NOTICE_EVENTS, 'step']),
  ask_id: z.string().optional(),
  session_id: z.string().optional(),
  who: z.string().describe('The person or the webhook; of a step, who is told next'),
  channel: z.string().optional().describe('Absent where there was nobody to tell, and of a step'),
  device: z.string().optional(),
  state: z.enum(NOTICE_STATES),
  reason: z.string().optional(),
  attempts: z.int().nonnegative(),
  created_at_ms: instant,
  due_at_ms: instant.optional(),
  sent_at_ms: instant.optional(),
  settled_at_ms: instant.optional(),
});
export type NoticeView = z.infer<typeof NoticeView>;

export const DeviceView = z.object({
  device_id: z.string(),
  label: z.string(),
  name: z.string().describe('Whose it is'),
  is_own: z.boolean(),
  allow_action: z.boolean(),
  created_at_ms: instant,
  lost: z.string().optional().describe('Why nothing is sent to it any more'),
});
export type DeviceView = z.infer<typeof DeviceView>;

export const WebhookView = z.object({
  webhook_id: z.string(),
  name: z.string(),
  host: z.string(),
  events: z.array(z.enum(NOTICE_EVENTS)).optional(),
  agent: z.string().optional(),
  project: z.string().optional(),
  format: z.enum(['standard', 'slack']),
  created_at_ms: instant,
  lost: z.string().optional().describe('Why nothing is sent to it any more'),
});
export type WebhookView = z.infer<typeof WebhookView>;
export const NewWebhookView = WebhookView.extend({ secret: z.string().describe('Verifies signatures; shown once') });
export type NewWebhookView = z.infer<typeof NewWebhookView>;

export const PushKeyView = z.object({ public_key: z.string().describe('VAPID, base64url') });
export type PushKeyView = z.infer<typeof PushKeyView>;

export const NoticeSettingsView = z.object({
  is_active: z.boolean().describe('Whether anybody is notified of anything'),
  quiet_hours: QuietHours.optional().describe('Of the caller'),
  routes: z.int().nonnegative(),
  routes_fault: z
    .string()
    .optional()
    .describe('What is wrong with the routes file; the routes read before it apply, at the start none'),
  unknown_names: z.array(z.string()).describe('Named in routes, without a device or webhook'),
  unreached: z.array(z.string()).describe('Pending asks of which nobody could be notified'),
});
export type NoticeSettingsView = z.infer<typeof NoticeSettingsView>;

export const TestResultView = z.object({
  who: z.string(),
  results: z.array(NoticeView),
  problem: z.string().optional().describe('Why nothing was sent'),
});
export type TestResultView = z.infer<typeof TestResultView>;
