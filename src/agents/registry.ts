// Lists the agents of this build. Each is loaded when it is asked for, because `holdpoint hook` starts for every tool call
// and must not load them all. Adding an agent is a folder and a line here. Lists show them in this order: what most people
// use first.
import type { Agent } from './agent.ts';

export const registry: Record<string, () => Promise<Agent>> = {
  claude: async () => (await import('./claude/agent.ts')).claude,
  codex: async () => (await import('./codex/agent.ts')).codex,
  opencode: async () => (await import('./opencode/agent.ts')).opencode,
  amp: async () => (await import('./amp/agent.ts')).amp,
  acp: async () => (await import('./acp/agent.ts')).acp,
  exec: async () => (await import('./exec/agent.ts')).exec,
  mock: async () => (await import('./mock/agent.ts')).mock,
};

export const loadAgents = (): Promise<Agent[]> => Promise.all(Object.values(registry).map((load) => load()));

export const loadAgent = async (name: string): Promise<Agent | undefined> =>
  Object.hasOwn(registry, name) ? registry[name]?.() : undefined;
