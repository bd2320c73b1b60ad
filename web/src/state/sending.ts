// Sending what a person has written or decided: one at a time, under a key that stays until the server has taken it or
// something else is sent, so that a repeat after a lost connection does nothing twice. Owns what the person is told when
// the server says no.
import { useRef, useState } from 'react';
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

export type KeyedCall = (options: { idempotencyKey: string }) => Promise<unknown>;

export interface Sending {
  isSending: boolean;
  /** It takes longer than it should: the server is slow or away, and is tried again. */
  isSlow: boolean;
  refused: Refused | undefined;
  clear(): void;
  /** `content` is all that the call sends. Resolves to why the server did not take it; to nothing when it did. */
  send(content: object, call: KeyedCall): Promise<Refused | undefined>;
}

const SLOW_MS = 1500;

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [isSlow, setSlow] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  /** Whether it was carried out is unknown until the server has said so. */
  const tried = useRef<{ content: string; key: string }>(undefined);
  const keyFor = (content: string): string => {
    if (tried.current?.content !== content) tried.current = { content, key: crypto.randomUUID() };
    return tried.current.key;
  };
  return {
    isSending,
    isSlow,
    refused,
    clear: () => setRefused(undefined),
    async send(content, call) {
      setSending(true);
      setRefused(undefined);
      const slow = setTimeout(() => setSlow(true), SLOW_MS);
      try {
        await call({ idempotencyKey: keyFor(JSON.stringify(content)) });
        tried.current = undefined;
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
