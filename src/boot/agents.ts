// Tells the command line which agents this build has and which of their programs are on this machine.
import { loadAgent, loadAgents, registry } from '../agents/registry.ts';
import { programVersion } from '../worker/program-version.ts';

export { loadAgent, loadAgents } from '../agents/registry.ts';

export const agentNames = (): string[] => Object.keys(registry);

/** The agents that are programs of their own: the tested version, and the one installed here. */
export async function agentPrograms() {
  const agents = await loadAgents();
  const programs = agents.flatMap(({ name, program }) => (program ? [{ name, ...program }] : []));
  return Promise.all(programs.map(async (one) => ({ ...one, installed: await programVersion(one.command) })));
}

/** Why the program of an agent may not work here: it is missing, or of a version that was not tested. */
export async function programProblem(agent: string): Promise<string | undefined> {
  const program = (await loadAgent(agent))?.program;
  if (!program) return undefined;
  const { command, tested, install } = program;
  const installed = await programVersion(command);
  if (installed === undefined) return `${command} is not in the PATH of this terminal. To install it: ${install}`;
  if (installed === tested) return undefined;
  return `${command} ${installed} is installed here; ${tested} is tested. To install that: ${install}@${tested}`;
}
