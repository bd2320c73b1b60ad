// Filters the asks of an inbox by a query (core/ask-query.ts). Pure, and the same at the terminal and on the page.
import { askedTexts, isFound, parseQuery, type Searched, searchText } from '../core/ask-query.ts';
import type { AskView, SessionView } from '../core/views.ts';
import { actionSummary } from './action-summary.ts';
import { type InboxEntry, isOpen } from './inbox-model.ts';
import { isAsleep } from './triage.ts';

/** For surfaces, which say what of a query is left out. */
export { unreadParts } from '../core/ask-query.ts';

export function filtered(
  entries: readonly InboxEntry[],
  sessions: ReadonlyMap<string, SessionView>,
  query: string,
  nowMs: number = Date.now(),
): readonly InboxEntry[] {
  const terms = parseQuery(query);
  if (terms.length === 0) return entries;
  return entries.filter((entry) => isFound(terms, searchedEntry(entry, sessions.get(entry.ask.session_id), nowMs)));
}

function searchedEntry(entry: InboxEntry, session: SessionView | undefined, nowMs: number): Searched {
  const { ask } = entry;
  const from = session ?? ask.asked_from;
  const places = [from?.agent, from?.title, from?.work_folder, ...(from?.project_ids ?? [])];
  return {
    askId: ask.ask_id,
    sessionId: ask.session_id,
    title: from?.title,
    agents: [from?.agent, from?.agent_id],
    tool: ask.kind === 'approval' ? ask.request.tool_name : undefined,
    projects: from?.project_ids ?? [],
    people: [ask.taken_by?.by ?? '', ask.answer?.answered_by ?? ''].filter(Boolean),
    risks: () => (ask.risk ?? []).map(({ risk }) => risk),
    states: statesOf(entry, nowMs),
    createdAt: ask.created_at_ms,
    text: () => `${textOf(ask.request)}\n${searchText(places)}`,
  };
}

const statesOf = (entry: InboxEntry, nowMs: number): string[] => [
  entry.ask.kind,
  isOpen(entry) ? 'open' : 'settled',
  ...(entry.ask.expires_at_ms === undefined ? [] : ['expiring']),
  ...(isAsleep(entry.ask, nowMs) ? ['snoozed'] : []),
  ...(entry.ask.taken_by ? ['taken'] : []),
  ...(entry.ask.comments ? ['commented'] : []),
];

/** A request does not change, and a key press filters all of them. */
const texts = new WeakMap<AskView['request'], string>();

function textOf(request: AskView['request']): string {
  const known = texts.get(request);
  if (known !== undefined) return known;
  const { heading, text } = actionSummary(request);
  const made = searchText([`${heading}: ${text}`, ...askedTexts(request)]);
  texts.set(request, made);
  return made;
}
