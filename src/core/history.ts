// What a search in the history finds: asks in whose own words every term occurs. Owns how a query is read and what the
// words of an ask are: texts people and agents wrote, never names of fields, ids or digests.

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
  return terms.every((term) => words.includes(term));
}

/** On lines of their own, so that no phrase reaches from one text into the next. */
function wordsOf(ask: EndedAsk, place: Place): string {
  const { answer } = ask;
  const answered = ask.kind === 'question' ? summarise(ask.content.questions, answer.answers ?? []) : undefined;
  return [
    ...textsIn(ask.content),
    answered,
    ...textsIn(answer.updated_input),
    answer.behavior,
    answer.justification,
    answer.reason,
    answer.answered_by,
    ask.status,
    place.title,
    place.agent,
    place.agentId,
    place.workFolder,
    ...place.projectIds,
    place.id,
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
