// Which agents there are: in this build, and on this machine.
import { agents } from '../agents/registry.ts';
import { TESTED } from '../agents/tested-versions.ts';
import { programVersion } from '../worker/program-version.ts';

/** The agents a worker of this build can host. */
export const agentNames: readonly string[] = agents.map((agent) => agent.name);

/** The agents that are programs of their own: what was tested, and what is on this machine. */
export const agentPrograms = () =>
  Promise.all(TESTED.map(async (tested) => ({ ...tested, installed: await programVersion(tested.program) })));
