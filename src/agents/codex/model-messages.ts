// What the model is told in words, beside what Codex itself can say to it: at once while a turn goes on, otherwise with
// the next turn. Owns what could not be said yet, and to which asks it is the answer: those have reached the model when
// it was said. Knows no request.
import type { Peer } from '../wire/json-rpc.ts';

/** The turn a request belongs to: of the main thread, or of a sub-agent's. */
export interface Place {
  threadId: string;
  turnId?: string | undefined;
}

export interface Unsaid {
  text: string;
  /** It was said. */
  said(): Promise<void>;
}

export interface Words {
  /** `answers`: the ask whose answer these words are, where there is no other way to it. */
  tell(text: string, place: Place | undefined, answers?: string): Promise<void>;
  /** What is to be said with the next turn. */
  unsaid(): Unsaid | undefined;
  /** Whether an answer waits to be said. */
  owes(): boolean;
}

export function createWords(peer: Pick<Peer, 'request'>, reached: (askId: string) => Promise<void>): Words {
  const waiting = new Set<{ text: string; answers?: string | undefined }>();
  return {
    async tell(text, place, answers) {
      const { threadId, turnId } = place ?? {};
      try {
        if (turnId === undefined) throw new Error('no turn to tell it in');
        await peer.request('turn/steer', { threadId, expectedTurnId: turnId, input: [{ type: 'text', text }] });
      } catch {
        return void waiting.add({ text, answers });
      }
      if (answers !== undefined) await reached(answers);
    },
    unsaid() {
      if (waiting.size === 0) return undefined;
      const words = [...waiting];
      return {
        text: words.map(({ text }) => text).join('\n\n'),
        async said() {
          for (const one of words) {
            if (one.answers !== undefined) await reached(one.answers);
            waiting.delete(one);
          }
        },
      };
    },
    owes: () => [...waiting].some(({ answers }) => answers !== undefined),
  };
}
