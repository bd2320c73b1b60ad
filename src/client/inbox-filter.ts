// Filters the asks of an inbox by a query: words, quoted phrases, and `agent:`, `tool:`, `project:`, `session:` and `is:`
// for one field. Pure, and the same at the terminal and on the page. Every term must match; a word with an unknown
// prefix is a plain word.
import type { AskView, SessionView } from '../core/views.ts';
import { actionSummary, isQuestion } from './action-summary.ts';
import { type InboxEntry, isOpen } from './inbox-model.ts';

const FIELDS = ['agent', 'tool', 'project', 'session', 'is'] as const;
type Field = (typeof FIELDS)[number];

interface Term {
  field: Field | 'any';
  text: string;
}

const TERM = /([a-z]+):("[^"]*"?|\S*)|"([^"]*)"?|\S+/g;
/** What lists show of an id; a shorter ending would match by chance. */
const SHORTEST_ID_ENDING = 6;

export function filtered(
  entries: readonly InboxEntry[],
  sessions: ReadonlyMap<string, SessionView>,
  query: string,
): readonly InboxEntry[] {
  const terms = termsOf(query);
  if (terms.length === 0) return entries;
  return entries.filter((entry) => terms.every((term) => matches(term, entry, sessions.get(entry.ask.session_id))));
}

export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  for (const [whole, prefix, value, quoted] of query.toLowerCase().matchAll(TERM)) {
    const isField = (FIELDS as readonly (string | undefined)[]).includes(prefix);
    const text = isField ? (value ?? '').replaceAll('"', '') : (quoted ?? whole);
    // A prefix without a value is still being typed.
    if (text !== '') terms.push({ field: isField ? (prefix as Field) : 'any', text });
  }
  return terms;
}

function matches({ field, text }: Term, entry: InboxEntry, session: SessionView | undefined): boolean {
  const { ask } = entry;
  const { request } = ask;
  switch (field) {
    case 'agent':
      return [session?.agent, session?.agent_id].some((name) => name?.toLowerCase().includes(text));
    case 'tool':
      return !isQuestion(request) && request.tool_name.toLowerCase().includes(text);
    case 'project':
      return session?.project_ids.some((id) => id.toLowerCase().includes(text)) ?? false;
    case 'session':
      return isSession(ask, session, text);
    case 'is':
      return statesOf(entry).some((state) => state.startsWith(text));
    case 'any':
      return isId(ask.ask_id, text) || isSession(ask, session, text) || searchable(ask, session).includes(text);
  }
}

const isId = (id: string, text: string): boolean =>
  id.toLowerCase() === text || (text.length >= SHORTEST_ID_ENDING && id.toLowerCase().endsWith(text));

const isSession = ({ session_id }: AskView, session: SessionView | undefined, text: string): boolean =>
  session_id.toLowerCase().startsWith(text) || (session?.title ?? '').toLowerCase().includes(text);

const statesOf = (entry: InboxEntry): string[] => [
  entry.ask.kind,
  isOpen(entry) ? 'open' : 'settled',
  ...(entry.ask.expires_at_ms === undefined ? [] : ['expiring']),
];

function searchable({ kind, request }: AskView, session: SessionView | undefined): string {
  const { heading, text } = actionSummary(request);
  const reason = isQuestion(request) ? '' : request.reason.slice(0, 2000);
  const origin = [session?.agent, session?.work_folder, ...(session?.project_ids ?? [])];
  return [kind, `${heading}: ${text}`, reason, ...origin].join(' ').toLowerCase();
}
