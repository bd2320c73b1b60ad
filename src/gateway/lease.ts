// Fences off workers that have lost their lease, and limits a worker token to what it has leased. Every claim of a run
// raises its epoch; a call with an older epoch, for a run that went back to the queue when its lease lapsed, or from a
// worker token that holds no lease there, is refused and changes nothing.
import { fail } from '../core/errors.ts';
import type { Reader } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import { isAttached, type Session } from '../core/session.ts';
import type { Actor } from '../core/token.ts';

/** Who calls, and under which lease. Without an actor the server itself calls. */
export interface Sender {
  actor?: Actor | undefined;
  leaseEpoch?: number | undefined;
}

export const holderOf = (epoch: number, { tokenId }: Actor): string => `${epoch} ${tokenId}`;

/** A ledger is one. */
export interface At {
  tx: Reader;
  now: number;
}

export async function checkLease(at: At & { session: Session }, run: Run, sender: Sender): Promise<void> {
  checkEpoch(run, sender.leaseEpoch);
  if ((await isBound(at, at.session, sender)) && !holds(run, sender)) throw notLeased(at.session, sender);
}

export function checkEpoch(run: Run, epoch: number | undefined): void {
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

/** Whether the caller needs a lease there: a worker token does, except where it serves an attached agent itself. */
export async function isBound(at: At, session: Session, { actor }: Sender): Promise<boolean> {
  if (actor?.scope !== 'worker') return false;
  return !isAttached(session) || (await isOfOtherWorker(at, session, actor));
}

/**
 * An attached conversation belongs to the worker token that created it while that is valid; a later token may take it up.
 * A server's own worker serves the attached agents of every server on the database.
 */
async function isOfOtherWorker({ tx, now }: At, { madeBy }: Session, { tokenId, isBuiltIn }: Actor): Promise<boolean> {
  if (isBuiltIn || madeBy === undefined || madeBy === tokenId) return false;
  const maker = await tx.get('token', madeBy);
  return maker?.scope === 'worker' && maker.revokedAt === undefined && (maker.expiresAt ?? now + 1) > now;
}

/** Whether the caller's token claimed the run under the lease that it names, and no later claim has replaced it. */
export function holds(run: Run | undefined, { actor, leaseEpoch }: Sender): boolean {
  if (!run || !actor || leaseEpoch === undefined) return false;
  if (run.leaseEpoch !== leaseEpoch || run.status === 'queued') return false;
  return isHolder(run, actor);
}

/** A run that an older server claimed has no holder of its epoch: there the epoch alone counts. */
export function isHolder({ leaseEpoch, leaseHolder }: Run, actor: Actor): boolean {
  const isKnown = leaseHolder?.startsWith(`${leaseEpoch} `) === true;
  return !isKnown || leaseHolder === holderOf(leaseEpoch, actor);
}

/** Whether a worker has claimed it, so that its agent's programs have a token beside the worker's. */
export const isHostedRun = ({ leaseEpoch }: Run): boolean => leaseEpoch > 0;

export const notLeased = ({ id }: Session, { leaseEpoch }: Sender) =>
  fail(
    'scope_forbidden',
    leaseEpoch === undefined
      ? `A worker token acts for runs that it has claimed: send Holdpoint-Lease with the epoch of its claim. Session ${id} has no run under your lease.`
      : `This worker token did not claim the run of session ${id} that has lease ${leaseEpoch}.`,
  );
