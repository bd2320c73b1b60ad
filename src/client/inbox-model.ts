// Models the inbox as a value: which asks are open, in which order, and how the value changes when an ask is raised,
// seen or settled. Pure, and shared by the terminal and the page. Selection, drawing and sending belong to each
// surface.
import { type Act, type ActivityEvent, acted } from '../core/activity.ts';
import type { AskView, SessionView, SightingView } from '../core/views.ts';
import type { AnswerView } from './inbox-feed.ts';

export interface InboxEntry {
  readonly ask: AskView;
  /** When it settled, by the clock of this surface. A settled ask stays listed for a moment. */
  readonly settledAtMs?: number;
}

export interface Inbox {
  /** Oldest first. */
  readonly entries: readonly InboxEntry[];
  readonly sessions: ReadonlyMap<string, SessionView>;
  readonly link: 'connecting' | 'live' | 'lost';
  /** Everything that was pending when the feed was opened has been listed. */
  readonly isLoaded: boolean;
}

export const EMPTY_INBOX: Inbox = { entries: [], sessions: new Map(), link: 'connecting', isLoaded: false };

/** How long a settled ask stays listed, so that everyone sees how it ended. */
export const SETTLED_SHOWN_MS = 6000;

export const isOpen = (entry: InboxEntry): boolean => entry.settledAtMs === undefined;

export const openCount = (inbox: Inbox): number =>
  inbox.entries.reduce((count, entry) => (isOpen(entry) ? count + 1 : count), 0);

/** Idempotent: an ask that is already listed is not added again. */
export function raised(inbox: Inbox, asks: readonly AskView[]): Inbox {
  const known = new Set(inbox.entries.map((entry) => entry.ask.ask_id));
  const added = asks
    .filter((ask) => !known.has(ask.ask_id))
    .map((ask): InboxEntry => ({ ask }))
    .sort(byAge);
  const [first] = added;
  if (!first) return inbox;
  const last = inbox.entries.at(-1);
  const entries = [...inbox.entries, ...added];
  if (last && byAge(last, first) > 0) entries.sort(byAge);
  return { ...inbox, entries };
}

const byAge = (a: InboxEntry, b: InboxEntry): number =>
  a.ask.created_at_ms - b.ask.created_at_ms || (a.ask.ask_id < b.ask.ask_id ? -1 : 1);

/** The first end counts; a repeat changes nothing. */
export function settled(inbox: Inbox, askId: string, answer: AnswerView, nowMs: number): Inbox {
  return changed(inbox, askId, (entry) =>
    isOpen(entry) ? { ask: { ...entry.ask, status: answer.outcome, answer }, settledAtMs: nowMs } : entry,
  );
}

/** The agent did not take the answer, and never will. */
export const undelivered = (inbox: Inbox, askId: string, reason: unknown): Inbox =>
  changed(inbox, askId, ({ ask, ...entry }) => {
    const { reason: _, ...delivery } = ask.delivery;
    const why = typeof reason === 'string' && { reason };
    return { ...entry, ask: { ...ask, delivery: { ...delivery, state: 'undeliverable', ...why } } };
  });

/** Adds what an event does not say: where it comes from, and its risk. */
export function completed(inbox: Inbox, { ask_id, asked_from, risk, takes_comments }: AskView): Inbox {
  const more = {
    ...(asked_from && { asked_from }),
    ...(risk && { risk }),
    ...(takes_comments && { takes_comments }),
  };
  return changed(inbox, ask_id, (entry) => ({ ...entry, ask: { ...entry.ask, ...more } }));
}

/** A comment that is already listed is not added again. */
export function actedOn(inbox: Inbox, askId: string, type: ActivityEvent, act: Act, atMs: number): Inbox {
  return changed(inbox, askId, (entry) => {
    const { taken_by, snoozed, comments, ...rest } = entry.ask;
    if (comments?.some(({ comment_id }) => comment_id === act.comment_id)) return entry;
    const before = { ...(taken_by && { taken_by }), ...(snoozed && { snoozed }), ...(comments && { comments }) };
    const { takes_comments: _, ...after } = acted(before, type, act, atMs);
    return { ...entry, ask: { ...rest, ...after } };
  });
}

/** The first sighting of each person on each surface counts, as on the server. */
export function sighted(inbox: Inbox, askId: string, sighting: SightingView): Inbox {
  return changed(inbox, askId, (entry) => {
    const { seen_by = [] } = entry.ask;
    const isKnown = seen_by.some(({ by, surface }) => by === sighting.by && surface === sighting.surface);
    return isKnown ? entry : { ...entry, ask: { ...entry.ask, seen_by: [...seen_by, sighting] } };
  });
}

function changed(inbox: Inbox, askId: string, change: (entry: InboxEntry) => InboxEntry): Inbox {
  const at = inbox.entries.findIndex((entry) => entry.ask.ask_id === askId);
  const entry = inbox.entries[at];
  const after = entry && change(entry);
  return after === undefined || after === entry ? inbox : { ...inbox, entries: inbox.entries.with(at, after) };
}

export const sessionSeen = (inbox: Inbox, session: SessionView): Inbox => ({
  ...inbox,
  sessions: new Map(inbox.sessions).set(session.session_id, session),
});

/** Removes asks that settled a while ago, except those that the person is looking at. */
export function swept(inbox: Inbox, nowMs: number, isInSight: (askId: string) => boolean): Inbox {
  const isOver = ({ ask, settledAtMs }: InboxEntry) =>
    settledAtMs !== undefined && nowMs - settledAtMs > SETTLED_SHOWN_MS && !isInSight(ask.ask_id);
  if (!inbox.entries.some(isOver)) return inbox;
  return { ...inbox, entries: inbox.entries.filter((entry) => !isOver(entry)) };
}

/** The open ask after this one, else the one before it. */
export function neighbour(entries: readonly InboxEntry[], askId: string | undefined): string | undefined {
  const at = entries.findIndex((entry) => entry.ask.ask_id === askId);
  const isOther = (entry: InboxEntry) => isOpen(entry) && entry.ask.ask_id !== askId;
  const next = entries.slice(at + 1).find(isOther) ?? entries.slice(0, Math.max(0, at)).findLast(isOther);
  return next?.ask.ask_id;
}

/** The sessions from the outermost parent to this one, as far as they are known. */
export function lineage(sessions: ReadonlyMap<string, SessionView>, sessionId: string): SessionView[] {
  const line = new Set<SessionView>();
  let session = sessions.get(sessionId);
  while (session && !line.has(session)) {
    line.add(session);
    session = session.parent_session_id === undefined ? undefined : sessions.get(session.parent_session_id);
  }
  return [...line].reverse();
}
