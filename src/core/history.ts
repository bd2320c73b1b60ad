// What a search in the history finds: asks in whose own words every term occurs. Owns how a query is read and what the
// words of an ask are: texts people and agents wrote, never names of fields, ids or digests. A session is also found by
// its id, as a whole.

import { summarise } from './answer.ts';
import type { EndedAsk } from './ask.ts';
import type { Session } from './session.ts';

const MOST_TERMS = 8;

/** Words, and "phrases in quotes"; case does not count. */
export function termsOf(query: string): string[] {
  const found = query.toLowerCase().match(/"[^"]+"|\S+/g) ?? [];
  const terms = found.map((term) => (/^".+"$/.test(term) ? term.slice(1, -1).trim() : term)).filter(Boolean);
  return [...new Set(terms)].slice(0, MOST_TERMS);
}

type Place = Pick<Session, 'id' | 'agent' | 'agentId' | 'title' | 'workFolder' | 'projectIds'>;

export function isFound(ask: EndedAsk, place: Place, terms: readonly string[]): boolean {
  if (terms.length === 0) return true;
  const words = wordsOf(ask, place).toLowerCase();
  return terms.every((term) => words.includes(term) || term === place.id.toLowerCase());
}

/** On lines of their own, so that no phrase reaches from one text into the next. */
function wordsOf(ask: EndedAsk, place: Place): string {
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
    // Made from the session's id where nobody gave it one.
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
