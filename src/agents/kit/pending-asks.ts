// Tracks the asks that a running agent waits for, one per request of the agent, from before the ask is raised until the
// agent has its answer. When the agent settles a request by itself the ask is withdrawn; if it has no id yet, because the
// call that raises it is still in flight, as soon as that call returns. Knows no agent and sends no answer.
import type { AgentContext } from '../agent.ts';

type Withdrawing = Pick<AgentContext, 'withdraw' | 'markUndeliverable'>;

export interface PendingAsk {
  /** For `ask` and `approve` of the context. */
  readonly manner: { raised(askId: string): void; signal: AbortSignal };
  /** The agent settled the request by itself. Only the first reason counts. */
  withdraw(reason: string): void;
  /** Withdrawn, or the process is gone: no answer is to be sent to the agent. */
  isOver(): boolean;
  /** Resolves when the server has recorded the withdrawal, if there is one. */
  recorded(): Promise<void>;
  /** The agent has its answer or waits no longer. No effect once the process is gone: the ask then stays unanswered. */
  done(): void;
}

export interface PendingAsks<Key, Detail> {
  /** `onRaised` is called when the ask is stored, before it is waited for or withdrawn. */
  open(key: Key, detail: Detail, onRaised?: (askId: string) => void): PendingAsk & Detail;
  get(key: Key): (PendingAsk & Detail) | undefined;
  all(): (PendingAsk & Detail)[];
  /** The agent's process is gone: stops waiting, and leaves every ask open for the next process. */
  close(): void;
  /** Whether the agent waits for an answer, or did so when its process ended. */
  hasUnanswered(): boolean;
}

export function createPendingAsks<Key, Detail extends object = object>(context: Withdrawing): PendingAsks<Key, Detail> {
  const pending = new Map<Key, { ask: PendingAsk & Detail; abandon(): void }>();
  return {
    open(key, detail, onRaised) {
      const stop = new AbortController();
      const entry = {
        ask: Object.assign(createPendingAsk(context, stop, remove, onRaised), detail),
        abandon: () => stop.abort(new Error('the agent is gone')),
      };
      function remove(): void {
        if (pending.get(key) === entry) pending.delete(key);
      }
      pending.set(key, entry);
      return entry.ask;
    },
    get: (key) => pending.get(key)?.ask,
    all: () => [...pending.values()].map(({ ask }) => ask),
    close() {
      for (const { abandon } of pending.values()) abandon();
    },
    hasUnanswered: () => pending.size > 0,
  };
}

function createPendingAsk(
  context: Withdrawing,
  stop: AbortController,
  remove: () => void,
  onRaised: ((askId: string) => void) | undefined,
): PendingAsk {
  let askId: string | undefined;
  let reason: string | undefined;
  let recording: Promise<void> = Promise.resolve();

  function record(id: string, why: string): void {
    stop.abort(new Error(why));
    recording = withdrawAsk(context, id, why);
  }

  return {
    manner: {
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

/** An answer that was given at the same moment is marked undeliverable, so that no later process uses it. */
export const withdrawAsk = (context: Withdrawing, askId: string, reason: string): Promise<void> =>
  context
    .withdraw(askId, reason)
    .catch(() => context.markUndeliverable(askId, reason))
    .catch(() => {});
