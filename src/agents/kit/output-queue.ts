// Stores the outputs of a run one after the other, in the order in which they were reported. A caller need not wait: what
// fails is given to `onFailure` once, and what was queued behind it is still tried.
import type { AgentContext, OutputOptions } from '../agent.ts';

export function createOutputQueue(context: Pick<AgentContext, 'output'>, onFailure: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve();
  /** Runs `work` after everything that was queued before. The returned promise never rejects. */
  const push = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(onFailure);
    return last;
  };
  return {
    push,
    output: (text: string | undefined, options: OutputOptions) => push(() => context.output(text, options)),
    /** Resolves when everything that was queued until now is stored or has failed. */
    flush: () => last,
  };
}
