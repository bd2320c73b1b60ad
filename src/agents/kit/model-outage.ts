// Reports that an agent cannot reach its model, as one status output per outage and one when the model responds again. An
// agent retries for minutes without another word. Knows no agent; reports only, and ends nothing.
import type { OutputOptions } from '../agent.ts';

export function createModelOutage(output: (text: string, options: OutputOptions) => unknown) {
  let isOut = false;
  return {
    /** A request to the model failed and is retried. `reason`: what the agent says about it, if anything. */
    retried(reason: string): void {
      if (isOut) return;
      isOut = true;
      const why = reason.trim() === '' ? '' : ` (${reason.trim()})`;
      output(`The model cannot be reached${why}. The agent tries again by itself.`, { type: 'status' });
    },
    /** The model has responded. */
    responded(): void {
      if (!isOut) return;
      isOut = false;
      output('The model responds again.', { type: 'status' });
    },
  };
}
