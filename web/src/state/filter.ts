// Which asks the list shows: words, and `agent:`, `tool:`, `project:`, `session:`, `is:` for where they are looked for.
// Pure. Every term must match; an unknown prefix is a word like any other.
import type { SessionView } from '../../../src/core/views.ts';
import { heading, isQuestion, summary } from '../text/ask-text.ts';
import type { Entry } from './inbox.ts';

interface Term {
  field: Field | 'any';
  text: string;
}
const FIELDS = ['agent', 'tool', 'project', 'session', 'is'] as const;
type Field = (typeof FIELDS)[number];

export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  for (const [whole, prefix, inField, quoted] of query.toLowerCase().matchAll(TERM)) {
    const isField = (FIELDS as readonly (string | undefined)[]).includes(prefix);
    const text = isField ? (inField ?? '').replaceAll('"', '') : (quoted ?? whole);
    // A prefix without a word is half typed.
    if (text !== '') terms.push({ field: isField ? (prefix as Field) : 'any', text });
  }
  return terms;
}
const TERM = /([a-z]+):("[^"]*"?|\S*)|"([^"]*)"?|\S+/g;

export function filtered(
  entries: readonly Entry[],
  sessions: ReadonlyMap<string, SessionView>,
  query: string,
): readonly Entry[] {
  const terms = termsOf(query);
  if (terms.length === 0) return entries;
  return entries.filter((entry) => terms.every((term) => matches(term, entry, sessions.get(entry.ask.session_id))));
}

function matches({ field, text }: Term, { ask, settledAtMs }: Entry, session: SessionView | undefined): boolean {
  const { request } = ask;
  switch (field) {
    case 'agent':
      return [session?.agent, session?.agent_id].some((name) => name?.toLowerCase().includes(text));
    case 'tool':
      return !isQuestion(request) && request.tool_name.toLowerCase().includes(text);
    case 'project':
      return session?.project_ids.some((id) => id.toLowerCase().includes(text)) ?? false;
    case 'session':
      return ask.session_id.toLowerCase().startsWith(text) || (session?.title ?? '').toLowerCase().includes(text);
    case 'is':
      return states(ask.kind, settledAtMs !== undefined, ask.expires_at_ms !== undefined).some((s) =>
        s.startsWith(text),
      );
    case 'any':
      return ask.ask_id.toLowerCase() === text || searchable(ask, session).includes(text);
  }
}

const states = (kind: string, isSettled: boolean, expires: boolean): string[] => [
  kind,
  isSettled ? 'settled' : 'open',
  ...(expires ? ['expiring'] : []),
];

function searchable(ask: Entry['ask'], session: SessionView | undefined): string {
  const { request } = ask;
  return [
    ask.kind,
    heading(request),
    summary(request),
    isQuestion(request) ? '' : request.reason.slice(0, 2000),
    session?.title ?? '',
    session?.agent ?? '',
    session?.work_folder ?? '',
    ...(session?.project_ids ?? []),
  ]
    .join(' ')
    .toLowerCase();
}
