// Turns an error of a request into what the page says about it, and what it means for sending it again. Pure.
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import { duration } from '../../../src/client/times.ts';
import { endSentence } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';

export interface Refusal {
  text: string;
  /** Another person answered first: nothing can be done here any more. */
  isLate: boolean;
  /** The server decided against it: if it had been carried out before, the stored reply would have been returned. */
  isFinal: boolean;
  /** The question it is about. */
  questionId: string | undefined;
}

export function refusalOf(error: unknown, nowMs: number): Refusal {
  if (!(error instanceof HoldpointProblem))
    return { text: failureText(error), isLate: false, isFinal: false, questionId: undefined };
  const isFinal = error.status === 409;
  if (error.winner) {
    const text = `${winnerSentence(error.winner as Winner, nowMs)} You were second, so your decision was not applied.`;
    return { text, isLate: true, isFinal, questionId: undefined };
  }
  return { text: TEXTS[error.code] ?? failureText(error), isLate: false, isFinal, questionId: error.questionId };
}

/** Where the server's own text names ids that the page does not show. */
const TEXTS: Record<string, string> = {
  thread_prompt_mismatch:
    'Not sent: the question here just changed. Check what your text would answer now, then send it again.',
};

type Winner = Parameters<typeof endSentence>[0] & Pick<AnswerView, 'answered_at_ms'>;

/** Who answered first, with what, when. */
export function winnerSentence(answer: Winner, nowMs: number): string {
  const at = new Date(answer.answered_at_ms).toLocaleTimeString();
  const ago = duration(Math.max(0, nowMs - answer.answered_at_ms));
  return `${endSentence(answer)} at ${at}, ${ago} ago.`;
}
