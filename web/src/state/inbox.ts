// What the inbox knows, and how it changes when asks come and settle: pure. Entries are in the order in which they were
// asked; a settled one stays for a moment, so that everyone sees how it ended. Which one is looked at is the page's.
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { AskView, SessionView, SightingView } from '../../../src/core/views.ts';

export interface Entry {
  readonly ask: AskView;
  /** Since when it is shown as settled, by the clock of this browser. */
  readonly settledAtMs?: number;
}

export interface Inbox {
  readonly entries: readonly Entry[];
  readonly sessions: ReadonlyMap<string, SessionView>;
  readonly link: 'connecting' | 'live' | 'lost';
  /** Everything that was pending when the page was opened is here. */
  readonly isLoaded: boolean;
}

export const EMPTY_INBOX: Inbox = { entries: [], sessions: new Map(), link: 'connecting', isLoaded: false };

/** A settled ask stays in the list for so long, and for as long as it is looked at. */
const SETTLED_SHOWN_MS = 6000;

export function raised(inbox: Inbox, asks: readonly AskView[]): Inbox {
  const known = new Set(inbox.entries.map((entry) => entry.ask.ask_id));
  const fresh = asks.filter((ask) => !known.has(ask.ask_id));
  if (fresh.length === 0) return inbox;
  const added = fresh.map((ask): Entry => ({ ask })).sort(byAge);
  const last = inbox.entries.at(-1);
  const [first] = added;
  const entries = [...inbox.entries, ...added];
  if (last && first && byAge(last, first) > 0) entries.sort(byAge);
  return { ...inbox, entries };
}

export function settled(inbox: Inbox, askId: string, answer: AnswerView, nowMs: number): Inbox {
  const at = inbox.entries.findIndex((entry) => entry.ask.ask_id === askId);
  const entry = inbox.entries[at];
  if (!entry || entry.settledAtMs !== undefined) return inbox;
  const ask: AskView = { ...entry.ask, status: answer.outcome, answer };
  return { ...inbox, entries: inbox.entries.with(at, { ask, settledAtMs: nowMs }) };
}

/** The first time of each person and surface counts, as on the server. */
export function sighted(inbox: Inbox, askId: string, sighting: SightingView): Inbox {
  const at = inbox.entries.findIndex((entry) => entry.ask.ask_id === askId);
  const entry = inbox.entries[at];
  const { seen_by = [] } = entry?.ask ?? {};
  if (!entry || seen_by.some(({ by, surface }) => by === sighting.by && surface === sighting.surface)) return inbox;
  const ask: AskView = { ...entry.ask, seen_by: [...seen_by, sighting] };
  return { ...inbox, entries: inbox.entries.with(at, { ...entry, ask }) };
}

export const sessionSeen = (inbox: Inbox, session: SessionView): Inbox => ({
  ...inbox,
  sessions: new Map(inbox.sessions).set(session.session_id, session),
});

/** Settled ones leave, except those that are to stay in sight. */
export function swept(inbox: Inbox, nowMs: number, isInSight: (askId: string) => boolean): Inbox {
  const isOver = ({ ask, settledAtMs }: Entry) =>
    settledAtMs !== undefined && nowMs - settledAtMs > SETTLED_SHOWN_MS && !isInSight(ask.ask_id);
  if (!inbox.entries.some(isOver)) return inbox;
  return { ...inbox, entries: inbox.entries.filter((entry) => !isOver(entry)) };
}

export const waitingCount = (inbox: Inbox): number =>
  inbox.entries.reduce((count, entry) => (entry.settledAtMs === undefined ? count + 1 : count), 0);

/** The open ask after this one, else the one before it. */
export function neighbour(entries: readonly Entry[], askId: string | undefined): string | undefined {
  const at = entries.findIndex((entry) => entry.ask.ask_id === askId);
  const isOpen = (entry: Entry) => entry.settledAtMs === undefined && entry.ask.ask_id !== askId;
  const after = entries.slice(at + 1).find(isOpen) ?? entries.slice(0, Math.max(0, at)).findLast(isOpen);
  return after?.ask.ask_id;
}

const byAge = (a: Entry, b: Entry): number =>
  a.ask.created_at_ms - b.ask.created_at_ms || (a.ask.ask_id < b.ask.ask_id ? -1 : 1);

/** From the outermost session to the one that asks. */
export function lineage(sessions: ReadonlyMap<string, SessionView>, sessionId: string): SessionView[] {
  const line: SessionView[] = [];
  const seen = new Set<string>();
  for (let id: string | undefined = sessionId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const session = sessions.get(id);
    if (!session) break;
    line.unshift(session);
    id = session.parent_session_id;
  }
  return line;
}
