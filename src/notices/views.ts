// Builds the views of notices, devices and webhooks. Addresses and secrets are in none of them.
import type { Contact, Notice } from '../core/notice.ts';
import type { DeviceView, NoticeView, WebhookView } from '../core/notice-views.ts';
import type { Actor } from '../core/token.ts';

export const noticeView = (notice: Notice, contact?: Contact): NoticeView => ({
  notice_id: notice.id,
  event: notice.event,
  ...(notice.askId !== undefined && { ask_id: notice.askId }),
  ...(notice.sessionId !== undefined && { session_id: notice.sessionId }),
  who: notice.who,
  ...(notice.channel !== undefined && { channel: notice.channel }),
  ...(contact?.channel === 'push' && { device: contact.label }),
  state: notice.state,
  ...(notice.reason !== undefined && { reason: notice.reason }),
  attempts: notice.attempts,
  created_at_ms: notice.createdAt,
  ...(notice.dueAt !== undefined && { due_at_ms: notice.dueAt }),
  ...(notice.sentAt !== undefined && { sent_at_ms: notice.sentAt }),
  ...(notice.settledAt !== undefined && { settled_at_ms: notice.settledAt }),
});

const lostOf = ({ endedReason }: Contact) => (endedReason === undefined ? {} : { lost: endedReason });

export const deviceView = (contact: Contact, actor: Actor): DeviceView => ({
  device_id: contact.id,
  label: contact.label,
  name: contact.name,
  is_own: contact.person === actor.person,
  allow_action: contact.settings.allowAction ?? false,
  created_at_ms: contact.createdAt,
  ...lostOf(contact),
});

export const webhookView = (contact: Contact): WebhookView => {
  const { events, agent, project, format = 'standard' } = contact.settings;
  return {
    webhook_id: contact.id,
    name: contact.name,
    host: contact.label,
    ...(events && { events: [...events] }),
    ...(agent !== undefined && { agent }),
    ...(project !== undefined && { project }),
    format,
    created_at_ms: contact.createdAt,
    ...lostOf(contact),
  };
};
