// One ask that an agent waits for, from before it is raised until its end. It can be taken back at any moment. While the
// call that raises it is under way there is no id yet, so then it is taken back as soon as that call returns. An answer that
// was given at the same moment is given up: nobody is left to take it.
import type { AgentContext } from '../agent.ts';

export interface OpenAsk {
  /** How it is asked. */
  readonly manner: { raised(askId: string): void; signal: AbortSignal };
  /** The agent waits no longer: nobody can be answered through it. */
  takeBack(why: string): void;
  isTakenBack(): boolean;
  /** Resolves when the server knows what was taken back. */
  told(): Promise<void>;
  /** The process is gone: whoever comes next finds the ask as it is. */
  leave(): void;
}

/** `onRaised`: the ask is stored, before it is waited for or taken back. */
export function createOpenAsk(
  context: Pick<AgentContext, 'withdraw' | 'markUndeliverable'>,
  onRaised?: (askId: string) => void,
): OpenAsk {
  const stop = new AbortController();
  let askId: string | undefined;
  let takenBack: string | undefined;
  let telling: Promise<void> = Promise.resolve();

  function withdraw(id: string, why: string): void {
    stop.abort(new Error(why));
    telling = takeBack(context, id, why);
  }

  return {
    manner: {
      signal: stop.signal,
      raised(id) {
        askId = id;
        onRaised?.(id);
        if (takenBack !== undefined) withdraw(id, takenBack);
      },
    },
    takeBack(why) {
      if (takenBack !== undefined) return;
      takenBack = why;
      if (askId !== undefined) withdraw(askId, why);
    },
    isTakenBack: () => takenBack !== undefined,
    told: () => telling,
    leave: () => stop.abort(new Error('the agent is gone')),
  };
}

/** An answer that was given in that very moment is for nobody: it must not be found later, and used. */
export const takeBack = (
  context: Pick<AgentContext, 'withdraw' | 'markUndeliverable'>,
  askId: string,
  why: string,
): Promise<void> =>
  context
    .withdraw(askId, why)
    .catch(() => context.markUndeliverable(askId, why))
    .catch(() => {});
