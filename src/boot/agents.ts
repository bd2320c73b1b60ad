// Tells the command line which agents this build has and which of their programs are on this machine.
import { loadAgents, registry } from '../agents/registry.ts';
import { programVersion } from '../worker/program-version.ts';

export { loadAgent, loadAgents } from '../agents/registry.ts';

export const agentNames = (): string[] => Object.keys(registry);

/** The agents that are programs of their own: the tested version, and the one installed here. */
export async function agentPrograms() {
  const agents = await loadAgents();
  const programs = agents.flatMap(({ name, program }) => (program ? [{ name, ...program }] : []));
  return Promise.all(programs.map(async (one) => ({ ...one, installed: await programVersion(one.command) })));
}
