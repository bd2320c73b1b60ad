// Runs whose worker is gone. A run that is held is never restarted by a watchdog: if its agent can take the answer
// later it goes on waiting. If not, people may answer until a worker comes back that could host it; then its open asks
// end with the reason `worker_restart`. A run that was at work goes back to the queue where its agent allows it, else it
// is interrupted, and what was answered to it is kept. Nothing here ever allows an action.
import { type EndedAsk, endAsk, WORKER_RESTART, withoutDecision } from '../core/ask.ts';
import { HoldpointError } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { checkMove, heldStatus, isTerminal, isWaiting, LOST, LOST_WORDS, type Run } from '../core/run.ts';
import { noteAsksEnded } from './ask-ended.ts';
import { finish } from './finish.ts';
import { handOver } from './hand-over.ts';
import { keepAnswers } from './kept-answers.ts';
import type { LeaseGrace } from './lease-grace.ts';
import { type Ledger, openRun } from './ledger.ts';

const BATCH = 200;
const SYSTEM = { answeredBy: 'system', surface: 'system' } as const;

export async function recoverLapsed(ports: Ports, grace: LeaseGrace): Promise<void> {
  const now = ports.clock.now();
  grace.tick(now);
  const lapsed = await ports.store.read((r) => r.lapsedLeases(now, BATCH));
  for (const run of lapsed) await recover(ports, run.id, isSilent(grace, now), true);
}

/** A worker has come: what was held inside the tool calls of another one, which is gone, is over. */
export async function recoverLost(
  ports: Ports,
  grace: LeaseGrace,
  agents: readonly string[],
  labels: readonly string[],
): Promise<void> {
  const now = ports.clock.now();
  const lost = await ports.store.read((r) => r.lostHolds(agents, labels, now, BATCH));
  for (const run of lost) await recover(ports, run.id, isSilent(grace, now));
}

const isSilent =
  (grace: LeaseGrace, now: number) =>
  (run: Run): boolean =>
    (run.lease?.until ?? now + 1) <= now && grace.mayExpire(run, now);

/** At start: the worker inside this server died with the last process, whatever its leases still say. */
export async function recoverWorker(ports: Ports, workerId: string): Promise<void> {
  const held = await ports.store.read((r) => r.leasedBy(workerId));
  for (const run of held) await recover(ports, run.id, (current) => current.lease?.workerId === workerId);
}

const recover = (ports: Ports, runId: string, isLost: (run: Run) => boolean, mayBeAnswered = false): Promise<void> =>
  ports.store.write(async (tx) => {
    const { ledger, run } = await openRun(ports, tx, runId);
    if (isTerminal(run.status) || !isLost(run)) return;
    if (mayBeAnswered && (await isHeldInside(tx, run))) return leaveOpen(ledger, run);
    run.lease = undefined;
    await endLost(ledger, run);
    if (run.recovery === 'none' && !isWaiting(run.status)) await keepAnswers(ledger, run);
    const carried = isWaiting(run.status) ? undefined : await tx.toHandOver(run.id);
    if (isWaiting(run.status)) await tx.updateRun(run);
    else if (carried) await handOver(ledger, run, carried);
    else if (run.recovery === 'none') await finish(ledger, run, 'interrupted', { author: SYSTEM, error: LOST_WORDS });
    else await requeue(ledger, run);
    if (!isTerminal(run.status)) ledger.note('run.recovered', { as: run.status, why: LOST_WORDS }, run.id);
    await ledger.close();
  });

/** Nothing but tool calls that are gone holds it, and its agent cannot be told later. */
async function isHeldInside(tx: Tx, run: Run): Promise<boolean> {
  if (!isWaiting(run.status) || run.recovery === 'resume') return false;
  return (await tx.pendingOfRun(run.id)).every((ask) => ask.mode === 'blocking');
}

async function leaveOpen(ledger: Ledger, run: Run): Promise<void> {
  if (run.lease?.until === LOST.until) return;
  run.lease = LOST;
  await ledger.tx.updateRun(run);
  ledger.note('run.recovered', { as: run.status, why: LOST_WORDS }, run.id);
  await ledger.close();
}

/** Asks that died with the process that held them end, an approval as a denial; what can still be told holds the run. */
async function endLost(ledger: Ledger, run: Run): Promise<void> {
  const { tx, session, now } = ledger;
  if (!isWaiting(run.status) || run.recovery === 'resume') return;
  const ended: EndedAsk[] = [];
  for (const ask of await tx.pendingOfRun(run.id)) {
    if (ask.mode !== 'blocking') continue;
    const end = endAsk(ask, 'cancelled', withoutDecision(ask, WORKER_RESTART), SYSTEM, now);
    if (await tx.endAsk(end)) ended.push(end);
  }
  session.pendingCount -= ended.length;
  noteAsksEnded(ledger, ended);
  const { approvals, questions } = await tx.pendingKinds(run.id);
  run.status = heldStatus(approvals, questions);
}

async function requeue(ledger: Ledger, run: Run): Promise<void> {
  const { tx, session, now } = ledger;
  const refusal = checkMove(run.status, 'queued', 'recover');
  if (refusal) throw new HoldpointError(refusal);
  run.status = 'queued';
  run.updatedAt = now;
  session.queuedCount += 1;
  if (session.activeRunId === run.id) session.activeRunId = undefined;
  await tx.updateRun(run);
}
