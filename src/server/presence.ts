// Which agents can be given work now: what workers said they host when they last asked this server for a run. Kept in
// memory only; a worker that is there asks again within a minute, and one that is gone is forgotten soon after.
import type { AgentView } from '../core/views.ts';

/** Longer than any worker waits for work. */
const GONE_AFTER_MS = 90_000;

export class Presence {
  /** By agent and worker: when it was last there. */
  readonly #seen = new Map<string, Map<string, number>>();

  /** A worker asks for work. */
  note(workerId: string, agents: readonly { name: string }[], now: number): void {
    for (const { name } of agents) {
      const workers = this.#seen.get(name) ?? new Map<string, number>();
      workers.set(workerId, now);
      this.#seen.set(name, workers);
    }
  }

  /** A worker that has its hands full asks for nothing, and is still there. */
  noteBusy(workerId: string, now: number): void {
    for (const workers of this.#seen.values()) if (workers.has(workerId)) workers.set(workerId, now);
  }

  agents(now: number): AgentView[] {
    for (const [name, workers] of this.#seen) {
      for (const [id, at] of workers) if (now - at > GONE_AFTER_MS) workers.delete(id);
      if (workers.size === 0) this.#seen.delete(name);
    }
    return [...this.#seen]
      .map(([name, workers]) => ({ name, workers: workers.size, seen_at_ms: Math.max(...workers.values()) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
