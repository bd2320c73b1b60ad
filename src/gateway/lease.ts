// Fences off workers that have lost their lease. Every claim of a run raises its epoch; a call with an older epoch, or for
// a run that went back to the queue when its lease lapsed, is refused and changes nothing.
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
