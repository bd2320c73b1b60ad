// How often the process of an agent may die on a run that somebody has yet to answer, or whose answer it may not have had:
// it is started again with the answer, but may not go on dying. The count is kept among the run's outputs.
import type { AgentContext } from '../agent.ts';

const DEATHS_AT_MOST = 3;

/** Whether it is to be started again; then the run says so. */
export async function canBeTakenUp(context: AgentContext, agent: string, error: string): Promise<boolean> {
  const death = `${agent}-died-`;
  const deaths = context.run.outputs.filter(({ output_id }) => output_id.startsWith(death)).length;
  if (deaths >= DEATHS_AT_MOST) return false;
  await context.output(`${error} It is started again with the answer.`, {
    id: `${death}${deaths + 1}`,
    type: 'status',
  });
  return true;
}
