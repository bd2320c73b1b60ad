// Reads the current prompt of a thread by folding its log, inside the transaction that answers it.
import type { Ask } from '../core/ask.ts';
import type { Tx } from '../core/ports.ts';
import { createThread } from '../core/thread.ts';
import { eventPage } from './event-page.ts';
import type { Ledger } from './ledger.ts';

const BATCH = 500;
const STARTS = 10;

/** The ask that the thread shows as its prompt; an ended one until the agent has the answer. */
export async function promptOf({ tx, session }: Ledger): Promise<Ask | undefined> {
  if (session.pendingCount === 0 && !(await hasDue(tx, session.id))) return undefined;
  const thread = createThread(session);
  for (let seq = await lastFreshStart(tx, session.id); ; ) {
    const { events, hasMore } = await eventPage(tx, { sessionId: session.id }, seq, BATCH);
    for (const event of events) if (event.type !== 'output' && event.type !== 'item.posted') thread.take(event);
    if (!hasMore) break;
    seq = events.at(-1)?.seq ?? seq;
  }
  return thread.prompt && tx.get('ask', thread.prompt.id);
}

const hasDue = async (tx: Tx, sessionId: string): Promise<boolean> =>
  (await tx.asks({ sessionId, delivery: 'due' }, { limit: 1 })).length > 0;

/** Where a run began that carries no answer: every earlier ask has been resolved. */
async function lastFreshStart(tx: Tx, sessionId: string): Promise<number> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const starts = await tx.latest(sessionId, 'started', before, STARTS);
    for (const start of starts) {
      const run = await tx.get('run', start.runId ?? '');
      if (run && run.carriesAskId === undefined && run.startedAt === start.at) return start.seq;
      before = start.seq;
    }
    if (starts.length < STARTS) return 0;
  }
}
