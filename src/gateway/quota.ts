// Limits what a session may store in one day and what it may have pending, so that no agent can fill the disk or make the
// end of its run cost seconds. Answers, acknowledgements and ends are never refused.
import { fail } from '../core/errors.ts';
import { bytesToday } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import type { Ledger } from './ledger.ts';

const MIB = 1024 * 1024;
/** An ask has at most about 1 MiB: fewer pending ones need no sum. */
const FEW_ASKS = 32;
const PENDING_BYTES = 32 * MIB;
const MOST_QUEUED = 1000;

/** Call before an ask or an output is stored. */
export function checkQuota({ ports, session, now }: Ledger): void {
  const { sessionBytesPerDay: most = 0 } = ports;
  if (most === 0 || bytesToday(session, now) < most) return;
  throw fail(
    'session_bytes_limit',
    `Session "${session.id}" has stored ${Math.ceil(most / MIB)} MiB today. It takes more after midnight UTC: use another session until then, store less, or have the limit raised (HOLDPOINT_LIMIT_SESSION_BYTES_PER_DAY).`,
  );
}

/** Call before an ask becomes pending. */
export async function checkPending({ session, tx }: Ledger, most: number): Promise<void> {
  if (most > 0 && session.pendingCount >= most)
    throw fail('pending_asks_limit', `This session already has ${most} pending asks; answer some first.`);
  if (session.pendingCount < FEW_ASKS || (await tx.pendingBytes(session.id)) < PENDING_BYTES) return;
  throw fail(
    'pending_asks_limit',
    `The pending asks of this session have ${PENDING_BYTES / MIB} MiB together; answer some first, or ask with less text.`,
  );
}

/** Call before a run is queued. People are not limited. */
export function checkQueue({ session }: Ledger, { scope }: Actor): void {
  if (scope === 'operator' || session.queuedCount < MOST_QUEUED) return;
  throw fail('queued_runs_limit', `This session has ${MOST_QUEUED} queued runs; cancel some, or let them finish.`);
}
