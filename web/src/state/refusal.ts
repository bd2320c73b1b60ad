// Turns an error of a request into what the page says about it, and what it means for sending it again. Pure.
import type { AskRequest } from '../../../src/client/action-summary.ts';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import { endSentence } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';

export interface Refusal {
  text: string;
  /** It had ended before, most often because another person answered first: nothing can be done here any more. */
  isLate: boolean;
  /** The server decided against it: if it had been carried out before, the stored reply would have been returned. */
  isFinal: boolean;
  /** The question it is about. */
  questionId: string | undefined;
}

/** `request`: what was decided, where it is known. */
export function refusalOf(error: unknown, request?: AskRequest): Refusal {
  if (!(error instanceof HoldpointProblem))
    return { text: failureText(error), isLate: false, isFinal: false, questionId: undefined };
  const isFinal = error.status === 409;
  if (error.winner)
    return { text: lateSentence(error.winner as Winner, request), isLate: true, isFinal, questionId: undefined };
  return { text: TEXTS[error.code] ?? failureText(error), isLate: false, isFinal, questionId: error.questionId };
}

/** Where the server's own text names ids that the page does not show. */
const TEXTS: Record<string, string> = {
  thread_prompt_mismatch:
    'Not sent: the question here just changed. Check what your text would answer now, then send it again.',
};

type Winner = Parameters<typeof endSentence>[0] & Pick<AnswerView, 'answered_at_ms'>;

/** Who answered first, with what and when, or how it ended; and that this person's decision was not applied. */
export function lateSentence(answer: Winner, request?: AskRequest): string {
  const at = new Date(answer.answered_at_ms).toLocaleTimeString();
  if (['answered', 'declined'].includes(answer.outcome))
    return `${endSentence(answer, undefined, request)} at ${at}. You were second, so your decision was not applied.`;
  const ended = answer.outcome === 'expired' ? 'Expired' : endSentence(answer);
  return `${ended} at ${at}. Your decision came too late and was not applied.`;
}
