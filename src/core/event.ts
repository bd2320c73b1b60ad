// Defines the event log: append-only, gapless and hash-linked within a session. Owns the event types and the link from one
// event to the next; a session's log can be verified offline from what the API returns.
import { canonical, type Hash } from './digest.ts';

export const EVENT_TYPES = [
  'accepted',
  'queued',
  'started',
  'waiting_for_approval',
  'approval_resolved',
  'waiting_for_user_question',
  'user_question_resolved',
  'parent_clarification_resolved',
  'output',
  'completed',
  'failed',
  'interrupted',
  'cancelled',
  'ask.raised',
  'ask.seen',
  'ask.commented',
  'ask.taken',
  'ask.released',
  'ask.snoozed',
  'ask.claimed',
  'ask.delivered',
  'ask.undeliverable',
  'item.posted',
  'session.created',
  'session.ended',
  'dispatch.accepted',
  'dispatch.started',
  'dispatch.finished',
  'dispatch.needs_input',
  'dispatch.failed',
  'dispatch.cancelled',
  'run.released',
  'run.recovered',
  'mailbox.posted',
  'mailbox.acknowledged',
  'mailbox.dead',
  'token.offered',
  'token.created',
  'token.recorded',
  'token.revoked',
  'rule.delegated',
  'contact.added',
  'contact.removed',
  'grant.given',
  'grant.used',
  'grant.revoked',
  'skill.published',
  'skill.replaced',
  'skill.deleted',
  'audit.checkpoint',
  'audit.key',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const LOOKING: ReadonlySet<EventType> = new Set(['ask.seen', 'ask.taken', 'ask.released', 'ask.snoozed']);

/** Whether it is between people only: nothing changed that a waiter looks for, and the session did no work. */
export const isOnlyLooking = (type: EventType): boolean => LOOKING.has(type);

export interface EventDraft {
  type: EventType;
  runId?: string | undefined;
  askId?: string | undefined;
  data: Record<string, unknown>;
}

export interface Event {
  seq: number;
  sessionSeq: number;
  id: string;
  at: number;
  sessionId: string;
  runId: string | undefined;
  askId: string | undefined;
  type: EventType;
  /** Canonical JSON text, exactly as it was hashed. */
  data: string;
  prevHash: string;
  hash: string;
}

export const FIRST_PREV_HASH = '0'.repeat(64);

interface Head {
  id: string;
  headSeq: number;
  headHash: string;
}

export function linkEvent(head: Head, draft: EventDraft, at: number, hash: Hash): Omit<Event, 'seq'> {
  const sessionSeq = head.headSeq + 1;
  const event = {
    sessionSeq,
    id: `evt_${head.id}_${sessionSeq}`,
    at,
    sessionId: head.id,
    runId: draft.runId,
    askId: draft.askId,
    type: draft.type,
    data: canonical(draft.data),
    prevHash: head.headHash,
  };
  return { ...event, hash: hash(hashInput(event)) };
}

/** A JSON array, so that no two different events share a text. The data goes in as its canonical text. */
export const hashInput = (event: Omit<Event, 'seq' | 'hash'>): string =>
  JSON.stringify([
    event.prevHash,
    event.sessionId,
    event.sessionSeq,
    event.id,
    event.at,
    event.type,
    event.runId ?? null,
    event.askId ?? null,
    event.data,
  ]);

export const NO_HEAD = { seq: 0, hash: FIRST_PREV_HASH };

/** What is wrong with an event after the one before it in its session; undefined when nothing is. */
export function linkFault(head: typeof NO_HEAD, event: Event, hash: Hash): string | undefined {
  if (event.sessionSeq !== head.seq + 1) return `event ${event.sessionSeq} follows ${head.seq}`;
  if (event.prevHash !== head.hash) return `event ${event.sessionSeq} does not link to the one before it`;
  if (event.hash !== hash(hashInput(event))) return `event ${event.sessionSeq} was altered`;
  return undefined;
}

/** What is wrong with a session's log, from its first event on; undefined when nothing is. */
export function logFault(events: readonly Event[], hash: Hash): string | undefined {
  let head = NO_HEAD;
  for (const event of events) {
    const fault = linkFault(head, event, hash);
    if (fault !== undefined) return fault;
    head = { seq: event.sessionSeq, hash: event.hash };
  }
  return undefined;
}
