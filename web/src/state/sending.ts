// Sending an answer from a card: one at a time, under a key of its own, so that a repeat after a lost connection is the
// same answer. Owns what the person is told when the server says no.
import { useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import { duration } from '../../../src/client/times.ts';
import { failureText } from '../failure.ts';
import { endSentence } from '../text/ask-text.ts';

export interface Refused {
  text: string;
  /** Somebody else was first: nothing can be done here any more. */
  isLate: boolean;
  /** The question it is about. */
  questionId: string | undefined;
}

export interface Sending {
  isSending: boolean;
  /** It takes longer than it should: the server is slow or away, and is tried again. */
  isSlow: boolean;
  refused: Refused | undefined;
  clear(): void;
  /** Resolves to why the server did not take it; to nothing when it did. */
  send(call: (options: { idempotencyKey: string }) => Promise<unknown>): Promise<Refused | undefined>;
}

const SLOW_MS = 1500;

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [isSlow, setSlow] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  return {
    isSending,
    isSlow,
    refused,
    clear: () => setRefused(undefined),
    async send(call) {
      setSending(true);
      setRefused(undefined);
      const slow = setTimeout(() => setSlow(true), SLOW_MS);
      try {
        await call({ idempotencyKey: crypto.randomUUID() });
        return undefined;
      } catch (error) {
        const why = refusedOf(error, Date.now());
        setRefused(why);
        return why;
      } finally {
        clearTimeout(slow);
        setSlow(false);
        setSending(false);
      }
    },
  };
}

export function refusedOf(error: unknown, nowMs: number): Refused {
  if (!(error instanceof HoldpointProblem)) return { text: failureText(error), isLate: false, questionId: undefined };
  if (error.winner) {
    const text = `${wonBy(error.winner as Won, nowMs)} Yours came later and changed nothing.`;
    return { text, isLate: true, questionId: undefined };
  }
  return { text: TEXTS[error.code] ?? error.detail, isLate: false, questionId: error.questionId };
}

/** What the server says with ids, in words for who looks at the page. */
const TEXTS: Record<string, string> = {
  thread_prompt_mismatch:
    'Not sent: what is asked here has just changed. Read what your text would answer now, then send it again.',
};

type Won = Parameters<typeof endSentence>[0] & Pick<AnswerView, 'answered_at_ms'>;

/** Who was first, with what, when. */
export function wonBy(answer: Won, nowMs: number): string {
  const at = new Date(answer.answered_at_ms).toLocaleTimeString();
  const ago = duration(Math.max(0, nowMs - answer.answered_at_ms));
  return `${endSentence(answer)} at ${at}, ${ago} ago.`;
}
