// Tracks the asks that a running agent waits for, one per request of the agent, from before the ask is raised until the
// agent has its answer. When the agent settles a request by itself the ask is withdrawn; if it has no id yet, because the
// call that raises it is still in flight, as soon as that call returns. Knows no agent and sends no answer.
import { HoldpointProblem } from '../../client/http.ts';
import type { AgentContext } from '../agent.ts';

type Withdrawing = Pick<AgentContext, 'withdraw' | 'markUndeliverable'>;

export interface PendingAsk {
  /** For `ask` and `approve` of the context. */
  readonly options: { raised(askId: string): void; signal: AbortSignal };
  /** The agent settled the request by itself. Only the first reason counts. */
  withdraw(reason: string): void;
  /** Withdrawn, or the process is gone: no answer is to be sent to the agent. */
  isOver(): boolean;
  /** Resolves when the server has recorded the withdrawal, if there is one. */
  recorded(): Promise<unknown>;
  /** The agent has its answer or waits no longer. No effect once the process is gone: the ask then stays unanswered. */
  done(): void;
}

export type PendingAsks<Key, Detail extends object> = ReturnType<typeof createPendingAsks<Key, Detail>>;

export function createPendingAsks<Key, Detail extends object = object>(context: Withdrawing) {
  const pending = new Map<Key, { ask: PendingAsk & Detail; stop: AbortController }>();
  return {
    /** `onRaised` is called when the ask is stored, before it is waited for or withdrawn. */
    open(key: Key, detail: Detail, onRaised?: (askId: string) => void): PendingAsk & Detail {
      const stop = new AbortController();
      const remove = () => {
        if (pending.get(key)?.stop === stop) pending.delete(key);
      };
      const ask = Object.assign(createPendingAsk(context, stop, remove, onRaised), detail);
      pending.set(key, { ask, stop });
      return ask;
    },
    get: (key: Key) => pending.get(key)?.ask,
    all: () => [...pending.values()].map(({ ask }) => ask),
    /** The agent's process is gone: stops waiting, and leaves every ask open for the next process. */
    close(): void {
      for (const { stop } of pending.values()) stop.abort(new Error('the agent is gone'));
    },
    /** Whether the agent waits for an answer, or did so when its process ended. */
    hasUnanswered: () => pending.size > 0,
  };
}

function createPendingAsk(
  context: Withdrawing,
  stop: AbortController,
  remove: () => void,
  onRaised?: (askId: string) => void,
): PendingAsk {
  let askId: string | undefined;
  let reason: string | undefined;
  let recording: Promise<unknown> = Promise.resolve();

  function record(id: string, why: string): void {
    stop.abort(new Error(why));
    recording = withdrawAsk(context, id, why);
  }

  return {
    options: {
      signal: stop.signal,
      raised(id) {
        askId = id;
        onRaised?.(id);
        if (reason !== undefined) record(id, reason);
      },
    },
    withdraw(why) {
      if (reason !== undefined) return;
      reason = why;
      if (askId !== undefined) record(askId, why);
    },
    isOver: () => reason !== undefined || stop.signal.aborted,
    recorded: () => recording,
    done() {
      if (reason !== undefined || !stop.signal.aborted) remove();
    },
  };
}

/**
 * Ends an ask that the agent settled by itself. An answer given at the same moment is marked undeliverable, so that no
 * later process uses it. Resolves to whether the server could be reached.
 */
export const withdrawAsk = (context: Withdrawing, askId: string, reason: string): Promise<boolean> =>
  context
    .withdraw(askId, reason)
    .catch(() => context.markUndeliverable(askId, reason))
    .then(
      () => true,
      (error: unknown) => error instanceof HoldpointProblem,
    );
