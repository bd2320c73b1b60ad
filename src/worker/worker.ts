// Runs a worker: claims runs for the agents it was given, hosts several at once, and drains them when it is stopped. It
// reaches the server only through the client, so it may run on any machine.
import type { AgentContext } from '../agents/agent.ts';
import { type Client, createClient } from '../client/client.ts';
import { backoffMs, isFinalRefusal, sleep } from '../client/http.ts';
import { Waits } from '../client/waits.ts';
import type { Permissions } from '../core/session.ts';
import { type HostedAgent, type Hosting, hostRun, type Log } from './host.ts';

export interface WorkerOptions {
  url: string;
  token: string;
  workerId: string;
  agents: readonly HostedAgent[];
  /** Runtimes of headless programs beside those of its agents, which they precede. */
  runtimes?: AgentContext['runtimes'] | undefined;
  /** With labels it takes only work that names some of them; without, only work that names none. */
  labels?: string[] | undefined;
  /** Whether its agents ask for approval, where their session does not specify it. */
  permissions?: Permissions | undefined;
  concurrency?: number | undefined;
  leaseMs?: number | undefined;
  /** How long the program of an agent may take until it is ready. */
  startLimitMs?: number | undefined;
  /** How long a stopping worker lets agents finish that cannot be resumed. */
  drainMs?: number | undefined;
  log: Log;
}

export interface Worker {
  readonly hosting: number;
  /** Rejects when the server refuses this worker; resolves when it was stopped. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

const CONCURRENCY = 64;
const LEASE_MS = 15_000;
const DRAIN_MS = 3000;
const START_LIMIT_MS = 60_000;
const CLAIM_WAIT_MS = 25_000;
/** While the server is unreachable an agent's calls are retried, for as long as its lease might still be valid. */
const RETRY_FOR_MS = 600_000;

export function startWorker(options: WorkerOptions): Worker {
  const { workerId, log, leaseMs = LEASE_MS, concurrency = CONCURRENCY, startLimitMs = START_LIMIT_MS } = options;
  const client: Client = createClient({ url: options.url, token: options.token, retryForMs: RETRY_FOR_MS });
  const waits = new Waits(client.http);
  const agents = new Map(options.agents.map((agent) => [agent.name, agent]));
  const { permissions } = options;
  const offer = options.agents.map(({ name, recovery }) => ({ name, recovery, permissions }));
  const hosted = new Set<Hosting>();
  const stopping = new AbortController();
  const told = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));

  /** One run; undefined when there is none or the worker is stopping. */
  async function claim() {
    const body = {
      worker_id: workerId,
      agents: offer,
      labels: options.labels,
      lease_ms: leaseMs,
      wait_ms: CLAIM_WAIT_MS,
    };
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      try {
        return await client.workers.claim(body, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return undefined;
        if (isFinalRefusal(error)) throw error;
        await sleep(backoffMs(failures), stopping.signal).catch(() => {});
      }
    }
    return undefined;
  }

  async function work(): Promise<void> {
    const ofAgents = await Promise.all(options.agents.flatMap(({ runtime }) => (runtime ? [runtime()] : [])));
    const runtimes = [...(options.runtimes ?? []), ...ofAgents];
    while (!stopping.signal.aborted) {
      if (hosted.size >= concurrency) {
        await Promise.race([told, ...[...hosted].map((h) => h.done)]);
        continue;
      }
      const claimed = await claim();
      const agent = claimed && agents.get(claimed.session.agent);
      if (!claimed || !agent) continue;
      log.info({ run_id: claimed.run.run_id, agent: agent.name, resumed: claimed.resumed }, 'took a run');
      const hosting = hostRun({ client, waits, workerId, leaseMs, startLimitMs, runtimes, log }, agent, claimed);
      hosted.add(hosting);
      void hosting.done.finally(() => hosted.delete(hosting));
      if (stopping.signal.aborted) hosting.leave();
    }
  }

  /** Agents that can be resumed stop at once; the others may finish within the limit. */
  async function drain(): Promise<void> {
    for (const hosting of hosted) if (hosting.recovery !== 'none') hosting.leave();
    const limit = new AbortController();
    const all = Promise.all([...hosted].map((h) => h.done));
    await Promise.race([all, sleep(options.drainMs ?? DRAIN_MS, limit.signal).catch(() => {})]);
    for (const hosting of hosted) hosting.leave();
    await Promise.race([Promise.all([...hosted].map((h) => h.done)), sleep(DRAIN_MS, limit.signal).catch(() => {})]);
    limit.abort();
  }

  const working = work();
  const done = working.then(() => {});
  done.catch(() => {});
  let stopped: Promise<void> | undefined;
  return {
    get hosting() {
      return hosted.size;
    },
    done,
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        await working.catch(() => {});
        await drain();
        waits.close();
      })();
      return stopped;
    },
  };
}
