// Expires asks whose deadline has passed. The first caller that touches the ask compares it with the stored instant: a late
// answer, a reader, or the sweep. Never an in-process timer alone.
import {
  type EndedAsk,
  endAsk,
  isOverdue,
  lateRefusal,
  type PendingAsk,
  SYSTEM,
  withoutDecision,
} from '../core/ask.ts';
import { HoldpointError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import { finish } from './finish.ts';
import { type Ledger, openAsk, openRun } from './ledger.ts';
import type { Refused } from './mutate.ts';
import { settle } from './settle.ts';

const BATCH = 200;

/** In a late caller's transaction: the expiry commits, the caller is refused. */
export async function expireNow(ledger: Ledger, run: Run, ask: PendingAsk): Promise<Refused> {
  const ended = await expireOne(ledger, run, ask);
  await ledger.close();
  return { refused: lateRefusal(ended, run.clarification !== undefined) };
}

/** In the transaction of a caller that continues and closes the ledger. */
export async function expireOne(ledger: Ledger, run: Run, ask: PendingAsk): Promise<EndedAsk> {
  const ended = endAsk(ask, 'expired', withoutDecision(ask, 'expired'), SYSTEM, ledger.now);
  await ledger.tx.endAsk(ended);
  await settle(ledger, run, [ended]);
  return ended;
}

/**
 * Expires everything that is overdue. Cheap when nothing is: one look-up in the index of deadlines. A damaged record does
 * not prevent the others; the next caller tries it again.
 */
export async function expireOverdue(ports: Ports): Promise<void> {
  for (;;) {
    const now = ports.clock.now();
    const due = await ports.store.read(async (r) => ({
      asks: await r.overdueAsks(now, BATCH),
      runs: await r.overdueRuns(now, BATCH),
    }));
    if (due.asks.length === 0 && due.runs.length === 0) return;
    const overdue = [
      ...due.asks.map(({ id, sessionId }) => ({ sessionId, expire: () => expireAsk(ports, id) })),
      ...due.runs.map(({ id, sessionId }) => ({ sessionId, expire: () => expireQueued(ports, id) })),
    ];
    const sessions = [...Map.groupBy(overdue, ({ sessionId }) => sessionId).values()];
    const results = (await Promise.all(sessions.map(inOrder))).flat();
    const failed = results.filter((result) => result.status === 'rejected');
    if (failed.some(({ reason }) => !isDamaged(reason))) throw failed.find(({ reason }) => !isDamaged(reason))?.reason;
    if (failed.length > 0) return;
  }
}

/** What expires in one session expires in the order of its deadlines. */
async function inOrder(overdue: readonly { expire(): Promise<void> }[]): Promise<PromiseSettledResult<void>[]> {
  const results: PromiseSettledResult<void>[] = [];
  for (const { expire } of overdue) results.push(...(await Promise.allSettled([expire()])));
  return results;
}

const isDamaged = (error: unknown): boolean => error instanceof HoldpointError && error.code === 'record_unreadable';

/** For callers that can do without a damaged record. */
export function undefinedIfDamaged(error: unknown): undefined {
  if (!isDamaged(error)) throw error;
}

const expireAsk = (ports: Ports, id: string): Promise<void> =>
  ports.store.write(async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, id);
    const run = await tx.get('run', ask.runId);
    if (run && isOverdue(ask, ledger.now)) await expireNow(ledger, run, ask);
  });

/** A clarification whose deadline passed while its run was still queued. */
const expireQueued = (ports: Ports, id: string): Promise<void> =>
  ports.store.write(async (tx) => {
    const { ledger, run } = await openRun(ports, tx, id);
    if (run.status !== 'queued') return;
    await finish(ledger, run, 'cancelled', { author: SYSTEM, error: 'the clarification expired before it was asked' });
    await ledger.close();
  });
