// Limits the restarts of an agent whose process died with an ask unanswered, or its answer unconfirmed: at most three per
// run, counted by the outputs that record them.
import type { AgentContext } from '../agent.ts';

const MAX_RESTARTS = 3;

/** Records the restart as an output if it is allowed. */
export async function mayRestart(context: AgentContext, agent: string, error: string): Promise<boolean> {
  const prefix = `${agent}-died-`;
  const restarts = context.run.outputs.filter(({ output_id }) => output_id.startsWith(prefix)).length;
  if (restarts >= MAX_RESTARTS) return false;
  const id = `${prefix}${restarts + 1}`;
  await context.output(`${error} It is started again with the answer.`, { id, type: 'status' });
  return true;
}
