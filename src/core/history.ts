// Matches asks with a search query: every term must occur in the texts of the ask, which people and agents wrote; names of
// fields, ids and digests are not searched. A whole session id matches too.

import { summarise } from './answer.ts';
import type { EndedAsk } from './ask.ts';
import type { Session } from './session.ts';

const MOST_TERMS = 8;

/** Words, and "phrases in quotes"; case-insensitive. */
export function termsOf(query: string): string[] {
  const found = query.toLowerCase().match(/"[^"]+"|\S+/g) ?? [];
  const terms = found.map((term) => (/^".+"$/.test(term) ? term.slice(1, -1).trim() : term)).filter(Boolean);
  return [...new Set(terms)].slice(0, MOST_TERMS);
}

type Place = Pick<Session, 'id' | 'agent' | 'agentId' | 'title' | 'workFolder' | 'projectIds'>;

export function isFound(ask: EndedAsk, place: Place, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  const text = textOf(ask, place).toLowerCase();
  return terms.every((term) => text.includes(term) || term === place.id.toLowerCase());
}

/** One line per text, so that no phrase matches across two texts. */
function textOf(ask: EndedAsk, place: Place): string {
  const { answer } = ask;
  const answered = ask.kind === 'question' ? summarise(ask.content.questions, answer.answers ?? []) : undefined;
  return [
    ...textsOf(ask),
    answered,
    ...textsIn(answer.updated_input),
    answer.behavior,
    answer.justification,
    answer.reason,
    answer.answered_by,
    ask.status,
    place.title,
    place.agent,
    // Derived from the session's id by default.
    place.agentId.endsWith(place.id) ? undefined : place.agentId,
    place.workFolder,
    ...place.projectIds,
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

function textsOf(ask: EndedAsk): (string | undefined)[] {
  if (ask.kind === 'approval') {
    const { tool_name, input, reason, suggestions, diff, lineage = [] } = ask.content;
    return [tool_name, ...textsIn(input), reason, ...textsIn(suggestions), diff, ...lineage];
  }
  const { questions, context, lineage = [] } = ask.content;
  const options = questions.flatMap((question) => question.options);
  return [
    context,
    ...questions.flatMap(({ header, question, placeholder }) => [header, question, placeholder]),
    ...options.flatMap(({ label, description, preview }) => [label, description, preview]),
    ...lineage,
  ];
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
