// Renews the lease on one run while its agent works. Only a response of the server can end the lease; while the server is
// unreachable the agent keeps running.
import type { Client } from '../client/client.ts';
import { HoldpointProblem, sleep } from '../client/http.ts';

export interface LeaseHold {
  client: Client;
  runId: string;
  workerId: string;
  epoch: number;
  leaseMs: number;
  /** Heartbeats stop when it is aborted. */
  signal: AbortSignal;
  onLost(problem: HoldpointProblem): void;
}

const BEATS_A_LEASE = 3;

export async function keepLease(hold: LeaseHold): Promise<void> {
  const { client, runId, workerId, epoch, leaseMs, signal } = hold;
  const body = { worker_id: workerId, lease_epoch: epoch, lease_ms: leaseMs };
  while (!signal.aborted) {
    try {
      await sleep(leaseMs / BEATS_A_LEASE, signal);
      await client.workers.heartbeat(runId, body, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof HoldpointProblem && error.status < 500) return hold.onLost(error);
    }
  }
}
