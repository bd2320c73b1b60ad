// Sends what a person wrote or decided: one request at a time, under an idempotency key that is reused until a reply was
// received, so that a retry after a lost connection or a reload is carried out once.
import { useState } from 'react';
import type { AskRequest } from '../../../src/client/action-summary.ts';
import { type Refusal, refusalOf } from '../state/refusal.ts';
import { accident } from './gesture.ts';
import { idempotencyKeys } from './idempotency-keys.ts';

export type KeyedCall = (options: { idempotencyKey: string }) => Promise<unknown>;

export interface Submission {
  isSending: boolean;
  /** No reply came for a while; the client keeps retrying. */
  isSlow: boolean;
  refusal: Refusal | undefined;
  clearRefusal(): void;
  /** This content was sent before and no reply was received: sent again, it is the same operation. */
  isUnsure(content: object): boolean;
  /** Makes the same content a new operation from now on. */
  forget(): void;
  /**
   * `content` is all that the call sends. Resolves to the refusal, or to nothing when the server accepted it. What may be
   * an accident is refused here and not sent. `isWanted` is asked after that and before anything leaves: `UNDONE` where
   * the person took it back.
   */
  send(content: object, call: KeyedCall, isWanted?: () => Promise<boolean>): Promise<Refusal | undefined>;
}

/** Nothing was sent, because the person took it back. */
export const UNDONE: Refusal = { text: '', isLate: false, isFinal: false, questionId: undefined };

const SLOW_MS = 1500;

/** `scope` names what is sent from here, `request` is what it decides. Without one the keys do not survive a reload: for content with a secret. */
export function useSubmission(scope: string | undefined, request?: AskRequest): Submission {
  const [isSending, setSending] = useState(false);
  const [isSlow, setSlow] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const [keys] = useState(() => idempotencyKeys(scope));
  return {
    isSending,
    isSlow,
    refusal,
    clearRefusal: () => setRefusal(undefined),
    isUnsure: (content) => keys.has(JSON.stringify(content)),
    forget: keys.clear,
    async send(content, call, isWanted) {
      const why = accident();
      if (why !== undefined) {
        const unsent = { text: why, isLate: false, isFinal: false, questionId: undefined };
        setRefusal(unsent);
        return unsent;
      }
      setSending(true);
      setRefusal(undefined);
      if (isWanted && !(await isWanted())) {
        setSending(false);
        return UNDONE;
      }
      const slow = setTimeout(() => setSlow(true), SLOW_MS);
      try {
        await call({ idempotencyKey: keys.keyFor(JSON.stringify(content)) });
        keys.clear();
        return undefined;
      } catch (error) {
        const why = refusalOf(error, request);
        if (why.isFinal) keys.clear();
        setRefusal(why);
        return why;
      } finally {
        clearTimeout(slow);
        setSlow(false);
        setSending(false);
      }
    },
  };
}
