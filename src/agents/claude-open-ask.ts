// One ask that Claude Code waits for, from before it is raised until its end. Owns that it is taken back at any moment: one
// whose raising is under way is taken back as soon as it is known what it is called, for nothing can be by no name.
import type { Manner } from '../client/asking.ts';
import type { AgentContext } from './agent.ts';

export interface OpenAsk {
  /** How it is asked. */
  readonly manner: Required<Pick<Manner, 'raised'>> & { signal: AbortSignal };
  /** Claude Code waits no longer: nobody can be answered through it. */
  takeBack(why: string): void;
  isTakenBack(): boolean;
  /** The process is gone: whoever comes next finds the ask as it is. */
  leave(): void;
}

export function createOpenAsk(context: Pick<AgentContext, 'withdraw'>): OpenAsk {
  const stop = new AbortController();
  let askId: string | undefined;
  let takenBack: string | undefined;

  function withdraw(): void {
    if (askId === undefined || takenBack === undefined) return;
    stop.abort(new Error(takenBack));
    void context.withdraw(askId, takenBack).catch(() => {});
  }

  return {
    manner: {
      signal: stop.signal,
      raised(id) {
        askId = id;
        withdraw();
      },
    },
    takeBack(why) {
      takenBack ??= why;
      withdraw();
    },
    isTakenBack: () => takenBack !== undefined,
    leave: () => stop.abort(new Error('Claude Code is gone')),
  };
}
