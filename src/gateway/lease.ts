// A worker's hold on a run. Every claim raises the run's epoch; a call that carries an older epoch comes from a worker
// that has lost the run and changes nothing. So does one for a run that went back to the queue when its lease lapsed.
import { fail } from '../core/errors.ts';
import type { Run } from '../core/run.ts';

export function checkLease(run: Run, epoch: number | undefined): void {
  if (epoch === undefined) return;
  if (epoch === run.leaseEpoch && run.status !== 'queued') return;
  if (epoch === run.leaseEpoch)
    throw fail(
      'lease_lost',
      `The lease on run ${run.id} has lapsed; it waits to be claimed again. Stop working on it.`,
    );
  throw fail(
    'lease_lost',
    `Run ${run.id} was claimed again (epoch ${run.leaseEpoch}, yours is ${epoch}). Stop working on it.`,
  );
}
