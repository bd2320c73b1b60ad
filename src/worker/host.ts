// Hosts one claimed run: gives the agent its context, renews the lease, stops the agent when the lease is lost, and reports
// the outcome to the server. A worker that shuts down releases the run; if its agent cannot be resumed, the worker fails
// it, which denies its open approvals.
import type { Agent, AgentContext, Ending } from '../agents/agent.ts';
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem, isFinalRefusal } from '../client/http.ts';
import type { Waits } from '../client/waits.ts';
import type { Recovery } from '../core/run.ts';
import { SAID_CHARACTERS, shorten, storable } from '../core/text-limit.ts';
import type { ClaimedRunView } from '../core/views.ts';
import { createContext } from './context.ts';
import { keepLease } from './lease.ts';

/** As much of an agent as hosting it needs. */
export type HostedAgent = Pick<Agent, 'name' | 'recovery' | 'run' | 'runtime'>;

export interface Log {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

export interface Host {
  client: Client;
  waits: Waits;
  workerId: string;
  leaseMs: number;
  startLimitMs: number;
  /** What the agents of this worker bring for headless dispatches. */
  runtimes: AgentContext['runtimes'];
  log: Log;
}

export interface Hosting {
  readonly runId: string;
  readonly recovery: Recovery;
  readonly done: Promise<void>;
  /** Stops the agent because this worker shuts down. */
  leave(): void;
}

/** Why an agent was stopped. `gone`: the run has ended or another worker holds it, so there is nothing to report. */
class Stop extends Error {
  readonly why: 'gone' | 'leaving';

  constructor(why: 'gone' | 'leaving', message: string) {
    super(message);
    this.name = 'Stop';
    this.why = why;
  }
}

/** How long a worker that shuts down waits for its last requests. */
const SHUTDOWN_REQUEST_MS = 3000;
const ERROR_CHARACTERS = 10_000;
const NOT_WAITED_FOR = 'the agent ended its work without waiting for an answer';

export function hostRun(host: Host, agent: HostedAgent, claimed: ClaimedRunView): Hosting {
  const { client, waits, workerId, leaseMs, log } = host;
  const runId = claimed.run.run_id;
  const { epoch } = claimed.lease;
  const stop = new AbortController();
  const over = new AbortController();
  const gone = (message: string) => {
    if (stop.signal.aborted) return;
    log.info({ run_id: runId, why: message }, 'stopped an agent: its run is over, or with another worker');
    stop.abort(new Stop('gone', message));
  };
  const unwatch = waits.watchRun(runId, (event) => gone(`the run is ${event.type}`));
  const beats = keepLease({
    client,
    runId,
    workerId,
    epoch,
    leaseMs,
    signal: over.signal,
    onLost: (problem) => gone(problem.detail),
  });

  async function play(): Promise<Ending> {
    try {
      return await agent.run(createContext(host, claimed, stop.signal));
    } catch (error) {
      if (error instanceof HoldpointProblem && error.code === 'lease_lost') gone(error.detail);
      return { ended: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  async function conclude(ending: Ending): Promise<void> {
    const calls = client.underLease(epoch);
    const reason = stop.signal.reason as Stop | undefined;
    if (ending.ended === 'vanished' || reason?.why === 'gone') return;
    const signal = reason ? AbortSignal.timeout(SHUTDOWN_REQUEST_MS) : undefined;
    const release = { worker_id: workerId, lease_epoch: epoch };
    const { ended, ...told } = ending;
    if (ended === 'completed')
      await orFail(complete({ ...told, text: last(ending.text, SAID_CHARACTERS) }, signal), signal);
    else if (ended === 'held') await calls.workers.release(runId, release, { signal });
    else if (!reason)
      await orFail(calls.runs.fail(runId, { ...told, error: last(ending.error, ERROR_CHARACTERS) }), signal);
    else if (agent.recovery === 'none')
      await calls.runs.fail(runId, { error: reason.message, reason: 'cancelled' }, { signal });
    else await calls.workers.release(runId, release, { signal });
  }

  /** An outcome that the server refuses fails the run: left open, it would be started again and refused again. */
  async function orFail(telling: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    try {
      await telling;
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      const why = `The server did not take the end of the run: ${error.detail}`;
      const failure = { error: last(why, ERROR_CHARACTERS), reason: 'worker-failed' } as const;
      await client.underLease(epoch).runs.fail(runId, failure, { signal });
    }
  }

  /**
   * A finished agent waits for no answer, so its open asks are withdrawn. A form, or an ask that another run continues,
   * stays open: that is how such an agent stops, and its run is held on it.
   */
  async function complete(told: { text?: string | undefined }, signal: AbortSignal | undefined): Promise<void> {
    const calls = client.underLease(epoch);
    try {
      await calls.runs.complete(runId, told, { signal });
    } catch (error) {
      if (!(error instanceof HoldpointProblem) || error.code !== 'run_state_conflict') throw error;
      let isHeld = false;
      for await (const ask of every((page) => client.asks.list({ run_id: runId, status: 'pending', ...page })))
        if (ask.mode === 'form' || ask.mode === 'restart') isHeld = true;
        else await calls.asks.withdraw(ask.ask_id, { justification: NOT_WAITED_FOR }, { signal }).catch(() => {});
      if (isHeld) await calls.workers.release(runId, { worker_id: workerId, lease_epoch: epoch }, { signal });
      else await calls.runs.complete(runId, told, { signal });
    }
  }

  async function untilOver(): Promise<void> {
    const ending = await play();
    unwatch();
    over.abort();
    await beats;
    await conclude(ending).catch((error: unknown) => {
      log.warn({ run_id: runId, ended: ending.ended, err: error }, 'the server did not take the end of a run');
    });
  }

  return {
    runId,
    recovery: agent.recovery,
    done: untilOver(),
    leave: () => stop.abort(new Stop('leaving', 'the worker was shut down')),
  };
}

const last = <T extends string | undefined>(text: T, most: number): T =>
  (text === undefined ? undefined : shorten(storable(text), most)) as T;
