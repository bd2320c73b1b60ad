// Cancels one question or a run, and interrupts the active run of a session.
import { type Author, authorOf, endAsk, isOverdue, lateRefusal, type PendingAsk } from '../core/ask.ts';
import { HoldpointError } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { RunView, SessionView } from '../core/views.ts';
import { expireNow } from './expire.ts';
import { finish } from './finish.ts';
import { type Ledger, openRun, openSession } from './ledger.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { activeRun, questionOf } from './records.ts';
import { settle } from './settle.ts';
import { runReply, runView, sessionView } from './views.ts';

export interface CancelQuestion {
  runId: string;
  requestId: string;
  justification?: string | undefined;
  actor: Actor;
  key?: Key | undefined;
}

/** A normal question ends its run; a clarification is declined; a cancelled form goes to the next run. */
export function cancelQuestion(ports: Ports, command: CancelQuestion): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    const ask = await questionOf(tx, run, command.requestId);
    if (isOverdue(ask, ledger.now)) return expireNow(ledger, run, ask);
    // A second cancel is no different answer, of a clarification neither.
    const isRepeat = ask.status === 'cancelled';
    if (ask.status !== 'pending')
      throw new HoldpointError(lateRefusal(ask, run.clarification !== undefined && !isRepeat));
    return runReply(ledger, await cancelAsk(ledger, run, ask, authorOf(command.actor), command.justification));
  });
}

export async function cancelAsk(
  ledger: Ledger,
  run: Run,
  ask: PendingAsk,
  author: Author,
  justification?: string,
): Promise<Run> {
  const ended = endAsk(ask, 'cancelled', justification === undefined ? {} : { justification }, author, ledger.now);
  await ledger.tx.endAsk(ended);
  return settle(ledger, run, [ended]);
}

export interface Stop {
  reason?: string | undefined;
  actor: Actor;
  key?: Key | undefined;
}

/** Idempotent: a run that is already cancelled stays as it is and appends no second event. */
export function cancelRun(ports: Ports, command: Stop & { runId: string }): Promise<Reply<RunView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, run } = await openRun(ports, tx, command.runId);
    if (await wasCancelled(tx, run)) return ok(await runView(tx, ledger.session, run));
    const { actor, reason = 'cancelled by operator' } = command;
    return runReply(ledger, await stopRun(ledger, run, 'cancelled', actor, reason));
  });
}

/** A cancelled clarification leaves its run completed. */
async function wasCancelled(tx: Tx, run: Run): Promise<boolean> {
  if (run.status === 'cancelled') return true;
  if (!run.clarification) return false;
  return (await tx.get('ask', run.clarification.requestId))?.status === 'cancelled';
}

export function interruptSession(ports: Ports, command: Stop & { sessionId: string }): Promise<Reply<SessionView>> {
  return mutate(ports, command.key, async (tx) => {
    const ledger = await openSession(ports, tx, command.sessionId);
    const active = await activeRun(tx, ledger.session);
    if (active) {
      await stopRun(ledger, active, 'interrupted', command.actor, command.reason ?? 'interrupted by operator');
      await ledger.close();
    }
    return ok(await sessionView(tx, ledger.session));
  });
}

/** A pending clarification is declined, and its run completes. */
export async function stopRun(
  ledger: Ledger,
  run: Run,
  status: 'cancelled' | 'interrupted',
  actor: Actor,
  reason: string,
): Promise<Run> {
  const author = authorOf(actor);
  const [open] = run.clarification ? await ledger.tx.pendingOfRun(run.id) : [];
  if (open) return cancelAsk(ledger, run, open, author, reason);
  return finish(ledger, run, status, { author, error: reason });
}
