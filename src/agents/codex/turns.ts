// Which turns of Codex are under way: those of the conversation, and those of its sub-agents, which have threads of their
// own. Owns waiting for their ends; knows nothing of what happens in them.
import type { z } from 'zod';
import type { TurnNotice } from './protocol.ts';

type TurnEnd = z.infer<typeof TurnNotice>['turn'];

export interface Turns {
  started(threadId: string, turnId: string): void;
  completed(turn: TurnEnd): void;
  /** A thread is gone, and will not say that its turns have ended. */
  closed(threadId: string): void;
  endOf(turnId: string): Promise<TurnEnd>;
  /** Resolves when none is under way, those of sub-agents included. */
  allOver(): Promise<void>;
  /** Codex is gone: whoever waits hears why. */
  fail(error: Error): void;
}

export function createTurns(): Turns {
  /** A turn may be over before whoever started it has heard its name. */
  const ends = new Map<string, PromiseWithResolvers<TurnEnd>>();
  const active = new Map<string, string>();
  const ended = (id: string) => {
    const known = ends.get(id) ?? Promise.withResolvers<TurnEnd>();
    known.promise.catch(() => {});
    ends.set(id, known);
    return known;
  };
  const complete = (turn: TurnEnd) => {
    active.delete(turn.id);
    ended(turn.id).resolve(turn);
  };

  return {
    started: (threadId, turnId) => void active.set(turnId, threadId),
    completed: complete,
    closed(threadId) {
      for (const [id, of] of active) if (of === threadId) complete({ id, status: 'interrupted', items: [] });
    },
    endOf: (turnId) => ended(turnId).promise,
    async allOver() {
      while (active.size > 0) await Promise.all([...active.keys()].map((id) => ended(id).promise));
    },
    fail(error) {
      for (const { reject } of ends.values()) reject(error);
    },
  };
}
