// Recovers runs whose worker is lost. A held run is never restarted by a watchdog: it keeps waiting if its agent can take
// the answer later. If not, people may answer until a worker comes that could host it; then its open asks end with the
// reason `worker_restart`. A running run returns to the queue where its agent allows it; otherwise it is interrupted and
// its undelivered answers are kept. Nothing here ever allows an action.
import { type EndedAsk, endAsk, SYSTEM, WORKER_RESTART, withoutDecision } from '../core/ask.ts';
import { enforce } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { checkMove, heldStatus, isTerminal, isWaiting, LOST, LOST_ERROR, type Run } from '../core/run.ts';
import { noteAsksEnded } from './ask-ended.ts';
import { finish } from './finish.ts';
import { handOver } from './hand-over.ts';
import { keepAnswers } from './kept-answers.ts';
import type { LeaseGrace } from './lease-grace.ts';
import { type Ledger, openRun } from './ledger.ts';

const BATCH = 200;

export async function recoverLapsed(ports: Ports, grace: LeaseGrace): Promise<void> {
  const now = ports.clock.now();
  grace.tick(now);
  const lapsed = await ports.store.reader.lapsedLeases(now, BATCH);
  for (const run of lapsed) await recover(ports, run.id, isSilent(grace, now), true);
}

/** A worker has come: asks held inside the tool calls of a lost worker end. */
export async function recoverLost(
  ports: Ports,
  grace: LeaseGrace,
  agents: readonly string[],
  labels: readonly string[],
): Promise<void> {
  const now = ports.clock.now();
  const lost = await ports.store.reader.lostHolds(agents, labels, now, BATCH);
  for (const run of lost) await recover(ports, run.id, isSilent(grace, now));
}

const isSilent =
  (grace: LeaseGrace, now: number) =>
  (run: Run): boolean =>
    (run.lease?.until ?? now + 1) <= now && grace.mayExpire(run, now);

/** At start: the built-in worker ended with the previous process, even where its leases are still valid. */
export async function recoverWorker(ports: Ports, workerId: string): Promise<void> {
  const held = await ports.store.reader.leasedBy(workerId);
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
    if (isWaiting(run.status)) await tx.update('run', run);
    else if (carried) await handOver(ledger, run, carried);
    else if (run.recovery === 'none') await finish(ledger, run, 'interrupted', { author: SYSTEM, error: LOST_ERROR });
    else await requeue(ledger, run);
    if (!isTerminal(run.status)) ledger.note('run.recovered', { as: run.status, why: LOST_ERROR }, run.id);
    await ledger.close();
  });

/** Only lost tool calls hold the run, and its agent cannot take an answer later. */
async function isHeldInside(tx: Tx, run: Run): Promise<boolean> {
  if (!isWaiting(run.status) || run.recovery === 'resume') return false;
  return (await tx.pendingHeads(run.id)).every((ask) => ask.mode === 'blocking');
}

async function leaveOpen(ledger: Ledger, run: Run): Promise<void> {
  if (run.lease?.until === LOST.until) return;
  run.lease = LOST;
  await ledger.tx.update('run', run);
  ledger.note('run.recovered', { as: run.status, why: LOST_ERROR }, run.id);
  await ledger.close();
}

/** Ends asks of the lost process, an approval as a denial; asks that can still be delivered hold the run. */
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
  run.status = heldStatus(await tx.pendingHeads(run.id));
}

async function requeue(ledger: Ledger, run: Run): Promise<void> {
  const { tx, session, now } = ledger;
  enforce(checkMove(run.status, 'queued', 'recover'));
  run.status = 'queued';
  run.updatedAt = now;
  session.queuedCount += 1;
  if (session.activeRunId === run.id) session.activeRunId = undefined;
  await tx.update('run', run);
}
