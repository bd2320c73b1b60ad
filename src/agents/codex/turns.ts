// Tracks the running turns of the conversation and of its sub-agents, which have threads of their own, and lets callers
// wait for their ends. Knows nothing of what happens in a turn.
import type { z } from 'zod';
import type { TurnNotice } from './protocol.ts';

type TurnEnd = z.infer<typeof TurnNotice>['turn'];

export function createTurns() {
  /** By turn id. A turn may end before the reply to `turn/start` arrives. */
  const ends = new Map<string, PromiseWithResolvers<TurnEnd>>();
  const running = new Map<string, string>();

  function endingOf(id: string): PromiseWithResolvers<TurnEnd> {
    const ending = ends.get(id) ?? Promise.withResolvers<TurnEnd>();
    ending.promise.catch(() => {});
    ends.set(id, ending);
    return ending;
  }

  function completed(turn: TurnEnd): void {
    running.delete(turn.id);
    endingOf(turn.id).resolve(turn);
  }

  return {
    started: (threadId: string, turnId: string) => void running.set(turnId, threadId),
    completed,
    /** The thread is gone; Codex reports no end of its turns. */
    threadClosed(threadId: string): void {
      for (const [id, thread] of running) if (thread === threadId) completed({ id, status: 'interrupted', items: [] });
    },
    endOf: (turnId: string): Promise<TurnEnd> => endingOf(turnId).promise,
    /** Resolves when no turn is running, those of sub-agents included. */
    async allEnded(): Promise<void> {
      while (running.size > 0) await Promise.all([...running.keys()].map((id) => endingOf(id).promise));
    },
    /** Codex is gone: rejects every wait. */
    fail(error: Error): void {
      for (const { reject } of ends.values()) reject(error);
    },
  };
}
