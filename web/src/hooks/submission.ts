// Sending what a person has written or decided: one at a time, under a key that stays until its reply was seen (tried.ts),
// so that a repeat after a lost connection, or a reload, does nothing twice. Owns what the person is told when the server
// says no.
import { useState } from 'react';
import { HoldpointProblem } from '../../../src/client/http.ts';
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import { duration } from '../../../src/client/times.ts';
import { endSentence } from '../text/ask-text.ts';
import { failureText } from '../text/failure.ts';
import { triedIn } from './idempotency-keys.ts';

export interface Refused {
  text: string;
  /** Somebody else was first: nothing can be done here any more. */
  isLate: boolean;
  /** The server judged it: had it been carried out before, its reply would have come again. */
  isJudged: boolean;
  /** The question it is about. */
  questionId: string | undefined;
}

export type KeyedCall = (options: { idempotencyKey: string }) => Promise<unknown>;

export interface Sending {
  isSending: boolean;
  /** It takes longer than it should: the server is slow or away, and is tried again. */
  isSlow: boolean;
  refused: Refused | undefined;
  clear(): void;
  /** This was sent before, here, and no reply was seen: sent again, it is the same. */
  isUnsure(content: object): boolean;
  /** What was sent before is not to be sent again: the same content would be said anew. */
  forget(): void;
  /** `content` is all that the call sends. Resolves to why the server did not take it; to nothing when it did. */
  send(content: object, call: KeyedCall): Promise<Refused | undefined>;
}

const SLOW_MS = 1500;

/** `place` says what is sent from here. Without one nothing is kept over a reload: what is sent holds a secret. */
export function useSending(place: string | undefined): Sending {
  const [isSending, setSending] = useState(false);
  const [isSlow, setSlow] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  const [tried] = useState(() => triedIn(place));
  return {
    isSending,
    isSlow,
    refused,
    clear: () => setRefused(undefined),
    isUnsure: (content) => tried.has(JSON.stringify(content)),
    forget: tried.forget,
    async send(content, call) {
      setSending(true);
      setRefused(undefined);
      const slow = setTimeout(() => setSlow(true), SLOW_MS);
      try {
        await call({ idempotencyKey: tried.keyFor(JSON.stringify(content)) });
        tried.forget();
        return undefined;
      } catch (error) {
        const why = refusedOf(error, Date.now());
        if (why.isJudged) tried.forget();
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
  const unknown = { isLate: false, isJudged: false, questionId: undefined };
  if (!(error instanceof HoldpointProblem)) return { ...unknown, text: failureText(error) };
  const isJudged = error.status === 409;
  if (error.winner) {
    const text = `${wonBy(error.winner as Won, nowMs)} Yours came later and changed nothing.`;
    return { text, isLate: true, isJudged, questionId: undefined };
  }
  return { text: TEXTS[error.code] ?? failureText(error), isLate: false, isJudged, questionId: error.questionId };
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
