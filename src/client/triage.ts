// Puts the asks of an inbox in an order to work through: sorted, grouped, with snoozed ones apart. Pure, and shared by the
// terminal and the page. Nothing here decides, hides or expires an ask: what is snoozed is still listed and counted.
import type { AskView, SessionView } from '../core/views.ts';
import type { InboxEntry } from './inbox-model.ts';
import { riskRank } from './risk-text.ts';

export const SORTS = ['oldest', 'newest', 'deadline', 'risk'] as const;
export type Sort = (typeof SORTS)[number];
export const GROUPINGS = ['none', 'session', 'project', 'agent'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Arrangement {
  sort: Sort;
  group: Grouping;
}

export interface Section {
  /** Empty where there is only one. */
  title: string;
  entries: readonly InboxEntry[];
}

/** So long before its deadline an ask stands before all others, however they are sorted. */
const URGENT_MS = 2 * 60_000;

/** Also once it has ended, so that its row stays where it is. */
export const isUrgent = ({ expires_at_ms }: AskView, nowMs: number): boolean =>
  expires_at_ms !== undefined && expires_at_ms - nowMs < URGENT_MS;

/** So long before its deadline a snoozed ask is back. */
const DEADLINE_NEAR_MS = 15 * 60_000;

/** Snoozed, and nothing has happened that someone should see: no near deadline, and no reply of the agent since. */
export function isAsleep({ snoozed, expires_at_ms, comments = [], status }: AskView, nowMs: number): boolean {
  if (snoozed === undefined || status !== 'pending' || snoozed.until_ms <= nowMs) return false;
  if (expires_at_ms !== undefined && expires_at_ms - nowMs < DEADLINE_NEAR_MS) return false;
  return !comments.some(({ role, at_ms }) => role === 'agent' && at_ms > snoozed.at_ms);
}

/** The sections in their order; what expires next first, the snoozed ones last. Given oldest first. */
export function arranged(
  entries: readonly InboxEntry[],
  sessions: ReadonlyMap<string, SessionView>,
  { sort, group }: Arrangement,
  nowMs: number,
): Section[] {
  const awake = entries.filter(({ ask }) => !isAsleep(ask, nowMs));
  const asleep = entries.filter(({ ask }) => isAsleep(ask, nowMs));
  const sections = new Map<string, InboxEntry[]>();
  const urgent = awake.filter(({ ask }) => isUrgent(ask, nowMs));
  const others = awake.filter(({ ask }) => !isUrgent(ask, nowMs));
  for (const entry of [...sorted(urgent, 'deadline'), ...sorted(others, sort)]) {
    const title = isUrgent(entry.ask, nowMs)
      ? 'Expiring'
      : titleOf(entry.ask, sessions.get(entry.ask.session_id), group) || (urgent.length > 0 ? 'Others' : '');
    const section = sections.get(title);
    if (section) section.push(entry);
    else sections.set(title, [entry]);
  }
  const shown = [...sections].map(([title, members]): Section => ({ title, entries: members }));
  return asleep.length === 0 ? shown : [...shown, { title: 'Snoozed', entries: sorted(asleep, 'oldest') }];
}

function sorted(entries: readonly InboxEntry[], sort: Sort): InboxEntry[] {
  const list = [...entries];
  // Sorting is stable: what is equal stays oldest first.
  if (sort === 'newest') return list.reverse();
  if (sort === 'deadline') return list.sort((a, b) => deadlineOf(a) - deadlineOf(b));
  if (sort === 'risk') return list.sort((a, b) => riskRank(b.ask) - riskRank(a.ask) || deadlineOf(a) - deadlineOf(b));
  return list;
}

const FAR = Number.MAX_SAFE_INTEGER;
const deadlineOf = ({ ask }: InboxEntry): number => ask.expires_at_ms ?? FAR;

function titleOf(ask: AskView, session: SessionView | undefined, group: Grouping): string {
  const from = session ?? ask.asked_from;
  if (group === 'session') return from?.title ?? ask.session_id;
  if (group === 'project') return from?.project_ids.join(', ') || 'No project';
  return group === 'agent' ? (from?.agent ?? 'Unknown agent') : '';
}
