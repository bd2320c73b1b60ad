// Fetches the agents that workers host now, with what each takes and which settings it offers.
import type { AgentView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from './queries.ts';

/** Fetched anew by each component that asks; undefined until then. */
export function useAgents(): { agents: readonly AgentView[] | undefined; error: Error | null } {
  const { data, error } = useFetched({ queryKey: ['agents'], queryFn: api.insights.agents, staleTime: 0 });
  return { agents: data, error };
}
