// Words the receipt of an ended request, for a thread: who decided what, on one line. Pure; hidden characters in it are
// marked by what draws it.
import { isQuestion } from '../../../src/client/action-summary.ts';
import { duration } from '../../../src/client/times.ts';
import type { AskView } from '../../../src/core/views.ts';
import { answersGiven, reasonOf } from './answer-text.ts';
import { endSentence, summary, unusedSentence, verbOf } from './ask-text.ts';

export interface Receipt {
  /** `You allowed`, `operator answered`, `Expired before anyone answered:` */
  lead: string;
  /** The action or the first question. */
  what: string;
  /** It is drawn as an action. */
  isCode: boolean;
  /** The answers, or the reason that a person gave. */
  given: string;
  /** What became of an answer that the agent did not take. */
  unused: string;
  /** How long it waited for a person, where that was a second or more. */
  took: string | undefined;
}

/** `me`: the person who reads it. Undefined while the request is open. */
export function receiptOf(ask: AskView, me: string | undefined): Receipt | undefined {
  const { answer, request, created_at_ms } = ask;
  if (!answer) return undefined;
  const isPerson = answer.outcome === 'answered' || answer.outcome === 'declined';
  const verb = answer.outcome === 'declined' ? 'declined' : verbOf(answer, request).toLowerCase();
  const more = request && isQuestion(request) ? request.questions.length - 1 : 0;
  const lead = isPerson
    ? `${answer.answered_by === me ? 'You' : answer.answered_by} ${verb}`
    : `${endSentence(answer)}:`;
  const waited = answer.answered_at_ms - created_at_ms;
  const given = [
    ...answersGiven(ask).map(({ text }) => text),
    ...(answer.updated_input ? ['as edited'] : []),
    reasonOf(answer) ?? '',
  ];
  return {
    lead,
    what: isQuestion(request) ? `“${summary(request)}”${more > 0 ? ` and ${more} more` : ''}` : summary(request),
    isCode: !isQuestion(request),
    given: given.filter((text) => text !== '').join(' · '),
    unused: unusedSentence(ask),
    took: isPerson && answer.surface !== 'system' && waited >= 1000 ? duration(waited) : undefined,
  };
}
