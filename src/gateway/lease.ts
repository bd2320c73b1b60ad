// A worker's hold on a run. Every claim raises the run's epoch; a call that carries an older epoch comes from a worker
// that has lost the run and changes nothing.
import { fail } from '../core/errors.ts';
import type { Run } from '../core/run.ts';

export function checkLease(run: Run, epoch: number | undefined): void {
  if (epoch === undefined || epoch === run.leaseEpoch) return;
  throw fail(
    'lease_lost',
    `Run ${run.id} was claimed again (epoch ${run.leaseEpoch}, yours is ${epoch}). Stop working on it.`,
  );
}
