// Sending an answer from a card: one at a time, under a key of its own, so that a repeat after a lost connection is the
// same answer. Owns what the person is told when the server says no.
import { useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
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
  /** Resolves to whether the server took it. */
  send(call: (options: { idempotencyKey: string }) => Promise<unknown>): Promise<boolean>;
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
        return true;
      } catch (error) {
        setRefused(refusedOf(error, Date.now()));
        return false;
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
    const { outcome, answered_at_ms } = error.winner;
    const how = endSentence({
      ...error.winner,
      outcome: outcome as 'answered',
      surface: error.winner.surface as 'web',
    });
    const ago = duration(Math.max(0, nowMs - answered_at_ms));
    return { text: `${how}, ${ago} ago. Yours came later and changed nothing.`, isLate: true, questionId: undefined };
  }
  return { text: error.detail, isLate: false, questionId: error.questionId };
}
