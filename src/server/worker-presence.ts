// Records which agents can be given work now, and with which labels, from the latest claim of each worker. Kept in
// memory only: a running worker claims again within a minute, and one that has stopped is forgotten soon after.
import type { AgentDescription } from '../core/agent-description.ts';
import type { ClaimRun } from '../core/bodies.ts';
import { inOrder, labelKey } from '../core/label.ts';
import type { AgentView } from '../core/views.ts';

/** Longer than any worker waits for work. */
const GONE_AFTER_MS = 90_000;
/** Of one token, so that none crowds out the workers of others. */
const MOST_WORKERS = 500;

export type KnownAgent = AgentDescription & Pick<AgentView, 'is_connectable'>;

interface Seen {
  agents: string[];
  labels: string[];
  at: number;
}

export class WorkerPresence {
  /** By token and worker: what it said when it was last there, the latest last. */
  readonly #seen = new Map<string, Map<string, Seen>>();
  readonly #described: ReadonlyMap<string, KnownAgent>;

  /** `known`: the agents that this build can describe; a worker may offer others. */
  constructor(known: readonly KnownAgent[]) {
    this.#described = new Map(known.map((agent) => [agent.name, agent]));
  }

  /** A worker asks for work. */
  note(
    tokenId: string,
    { worker_id, agents, labels = [] }: Pick<ClaimRun, 'worker_id' | 'agents' | 'labels'>,
    now: number,
  ): void {
    const own = this.#seen.get(tokenId) ?? new Map<string, Seen>();
    this.#seen.set(tokenId, own);
    own.delete(worker_id);
    own.set(worker_id, { agents: agents.map(({ name }) => name), labels: inOrder(labels), at: now });
    const [oldest = worker_id] = own.keys();
    if (own.size > MOST_WORKERS) own.delete(oldest);
  }

  /** A worker that has its hands full asks for nothing, and is still there. */
  noteBusy(tokenId: string, workerId: string, now: number): void {
    const seen = this.#seen.get(tokenId)?.get(workerId);
    if (seen) seen.at = now;
  }

  agents(now: number): AgentView[] {
    for (const [tokenId, own] of this.#seen) {
      for (const [id, { at }] of own) if (now - at > GONE_AFTER_MS) own.delete(id);
      if (own.size === 0) this.#seen.delete(tokenId);
    }
    const workers = [...this.#seen.values()].flatMap((own) => [...own.values()]);
    const hosted = new Set(workers.flatMap(({ agents }) => agents));
    const described = [...this.#described.keys()].filter((name) => hosted.has(name));
    // Those of this build in its own order, the others by name.
    return [...new Set([...described, ...[...hosted].sort()])].map((name) => {
      const hosts = workers.filter(({ agents }) => agents.includes(name));
      const labels = [...new Map(hosts.map((host) => [labelKey(host.labels), host.labels])).values()];
      const known = this.#described.get(name);
      const { title = name, takes = 'text' as const, demo, settings = [], is_connectable = false } = known ?? {};
      const view = { name, title, takes, ...(demo && { demo }), settings, is_connectable };
      return { ...view, workers: hosts.length, labels, seen_at_ms: Math.max(...hosts.map(({ at }) => at)) };
    });
  }
}
