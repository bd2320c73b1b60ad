// Defines notices: durable messages that tell a contact of an ask or of the end of a run, and their state machine. A notice
// is sent at least once; its handle makes repeats one message. No transition here touches an ask.
//
//   due ──claim──► sent ──► accepted
//    │              ├─────► due        (failed, lost or timed out: again after a backoff, for a day)
//    │              └─────► failed     (refused for good, contact gone, a day over)
//    └── cancelled  (the ask ended before anything was sent)

export const NOTICE_STATES = ['due', 'sent', 'accepted', 'failed', 'cancelled'] as const;
export type NoticeState = (typeof NOTICE_STATES)[number];

/** What a message says. A `step` is not sent: it waits until the next people of its route are to be told. */
export const NOTICE_EVENTS = ['ask.raised', 'ask.escalated', 'ask.ended', 'run.ended', 'test'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

export interface Notice {
  id: string;
  event: NoticeEvent | 'step';
  askId: string | undefined;
  runId: string | undefined;
  sessionId: string | undefined;
  /** Absent where the people who are meant have no contact, and of a step. */
  contactId: string | undefined;
  channel: string | undefined;
  /** The person or the endpoint, as people call it. */
  who: string;
  /** Messages of one handle are one message at the contact: the later replaces the earlier. */
  handle: string;
  /** Notices of one contact and key are sent one after the other. */
  orderKey: string;
  /** Due notices of one contact and batch are sent as one message. */
  batch: string | undefined;
  detail: NoticeDetail | undefined;
  state: NoticeState;
  reason: string | undefined;
  attempts: number;
  /** When it is to be sent; of a sent one, when it is sent again unless its result is known by then. Absent when settled. */
  dueAt: number | undefined;
  /** From then on it is not tried again. */
  retryUntil: number;
  createdAt: number;
  sentAt: number | undefined;
  settledAt: number | undefined;
}

export interface NoticeDetail {
  isUrgent?: boolean;
  /** Of a step: who is told next, and how long after the ask was raised. */
  step?: { afterMs: number; tell: readonly Tell[]; seenStops: boolean };
  /** Of `ask.escalated`: how long the ask had waited. */
  afterMs?: number;
  /** Of `run.ended`. */
  run?: { status: string; atMs: number };
}

/** Who is told, by which channels; any of their channels where none is named. */
export interface Tell {
  who: string;
  by?: readonly string[] | undefined;
}

/** A person or an endpoint on one channel. */
export interface Contact {
  id: string;
  channel: string;
  /** Whose it is, as the token says. */
  person: string;
  /** The name of that person; of a webhook its own name. */
  name: string;
  /** Which device, or which host. */
  label: string;
  /** What the channel needs to reach it, as sealed JSON: addresses are secrets. */
  address: string;
  /** Keyed hash of the address, to recognise it. */
  addressMac: string;
  /** The token that added it. Of a browser, nothing is sent once that token is not valid any more. */
  tokenId: string;
  mayAnswer: boolean;
  settings: ContactSettings;
  createdAt: number;
  endedAt: number | undefined;
  endedReason: string | undefined;
}

export interface ContactSettings {
  /** Of a webhook: what it is sent, about which asks, and in which format. */
  events?: readonly NoticeEvent[];
  agent?: string;
  project?: string;
  format?: 'standard' | 'slack';
  /** Of a browser: the person wants the button Allow where the risk is low. */
  allowAction?: boolean;
}

export const isSettled = ({ state }: Pick<Notice, 'state'>): boolean => state !== 'due' && state !== 'sent';

export const RETRY_MS = 24 * 60 * 60 * 1000;
/** Longer than a request may take, so that a notice is sent again only when its sender is gone. */
export const SEND_LEASE_MS = 30_000;
/** After so many attempts, or when it is so late, nobody counts on a notice any more, although it is tried for a day. */
export const ATTEMPTS_COUNTED_ON = 3;
export const LATE_MS = 60_000;
const FIRST_BACKOFF_MS = 2000;
const LONGEST_BACKOFF_MS = 60 * 60 * 1000;

export const claimed = (notice: Notice, now: number): Notice => ({
  ...notice,
  state: 'sent',
  attempts: notice.attempts + 1,
  sentAt: now,
  dueAt: now + SEND_LEASE_MS,
});

/** What a channel says about one attempt. Only `accepted` ends it well; `gone` ends the contact too. */
export type SendResult =
  | { result: 'accepted' }
  | { result: 'failed'; reason: string; retryAfterMs?: number | undefined }
  | { result: 'refused'; reason: string }
  | { result: 'gone'; reason: string };

/** `random` spreads retries: 0 to 1. */
export function settled(notice: Notice, result: SendResult, now: number, random: number): Notice {
  if (result.result === 'accepted') return over(notice, 'accepted', undefined, now);
  if (result.result !== 'failed') return over(notice, 'failed', result.reason, now);
  const dueAt =
    now + Math.max(backoffMs(notice.attempts, random), Math.min(result.retryAfterMs ?? 0, LONGEST_BACKOFF_MS));
  if (dueAt >= notice.retryUntil) return over(notice, 'failed', result.reason, now);
  return { ...notice, state: 'due', reason: result.reason, dueAt };
}

const over = (notice: Notice, state: NoticeState, reason: string | undefined, now: number): Notice => ({
  ...notice,
  state,
  reason,
  dueAt: undefined,
  settledAt: now,
});

/** 2 s, 8 s, 32 s, 2 min, 8 min, 34 min, then every hour, each 20 % shorter at most. */
export const backoffMs = (attempts: number, random: number): number =>
  Math.round(Math.min(FIRST_BACKOFF_MS * 4 ** Math.max(0, attempts - 1), LONGEST_BACKOFF_MS) * (1 - 0.2 * random));

/** Sent once more, because a person wants it. */
export const revived = (notice: Notice, now: number): Notice => ({
  ...notice,
  state: 'due',
  reason: undefined,
  attempts: 0,
  dueAt: now,
  retryUntil: now + RETRY_MS,
  settledAt: undefined,
});
