// Decides approvals: one atomic batch for each run, each under its own key, so that a repeat of the whole command does
// nothing twice. A batch that is refused does not keep the others from being sent.
import { hash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ApprovalResolution } from '../core/answer.ts';
import type { AskView, RunView } from '../core/views.ts';
import { waitUntilSettled } from './run-wait.ts';
import { type MutationFlags, once } from './server-connection.ts';

export interface Batch {
  runId: string;
  asks: AskView[];
  resolutions: ApprovalResolution[];
}
export type BatchResult = Batch & ({ run: RunView; error?: undefined } | { run?: undefined; error: unknown });

const LONGEST_KEY_BYTES = 256;

export function batchesOf(asks: readonly AskView[], resolve: (ask: AskView) => ApprovalResolution): Batch[] {
  const byRun = Map.groupBy(asks, (ask) => ask.run_id);
  return [...byRun].map(([runId, group]) => ({ runId, asks: group, resolutions: group.map(resolve) }));
}

export async function decideBatches(
  client: Client,
  batches: readonly Batch[],
  flags: MutationFlags & { wait?: boolean },
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (const batch of batches) results.push({ ...batch, ...(await decide(client, batch, flags)) });
  return results;
}

async function decide(client: Client, batch: Batch, flags: MutationFlags & { wait?: boolean }) {
  const { runId, resolutions } = batch;
  const key = flags.idempotencyKey;
  const own = key === undefined ? flags : { ...flags, idempotencyKey: keyOfRun(key, runId) };
  try {
    const run = await once(own, (options) => client.approvals.decideRun(runId, { resolutions }, options));
    return { run: flags.wait ? await waitUntilSettled(client, run, flags) : run };
  } catch (error) {
    return { error };
  }
}

/** The same for the same run every time; one that would be too long is kept short by its hash. */
export function keyOfRun(key: string, runId: string): string {
  const whole = `${key}:${runId}`;
  if (Buffer.byteLength(whole) <= LONGEST_KEY_BYTES) return whole;
  return `${hash('sha256', key, 'hex')}:${runId}`;
}
