// The end of a run: its pending asks end with it, its lease is gone, the slot goes to the next.
import { type Author, type EndedAsk, endAsk, WITHDRAWN, withoutDecision } from '../core/ask.ts';
import { HoldpointError } from '../core/errors.ts';
import { checkMove, isHosted, type Run } from '../core/run.ts';
import { EXTERNAL_AGENT } from '../core/session.ts';
import { noteAsksEnded } from './ask-ended.ts';
import { endCarried } from './carried-answer.ts';
import { noteDispatchEnd } from './dispatch-events.ts';
import type { Ledger } from './ledger.ts';
import { mark, markDelivery } from './mark-delivery.ts';
import { declineUnasked } from './notify-child.ts';
import { fillSlot } from './slot.ts';

type Ending = 'completed' | 'failed' | 'interrupted' | 'cancelled';

export interface FinishDetails {
  author: Author;
  error?: string | undefined;
  /** The same in words for people, where the error names records. */
  why?: string | undefined;
  /** What its open asks say of their end, where that is neither. */
  askReason?: string | undefined;
  outcome?: string | undefined;
  exitCode?: number | undefined;
  /** The held run's answer is carried on by another run, so a question may end in `completed`. */
  handover?: boolean;
  data?: Record<string, unknown>;
  /** The caller puts a run of its own in front of the queue before the slot is given away. */
  keepSlot?: boolean;
}

export async function finish(ledger: Ledger, run: Run, status: Ending, details: FinishDetails): Promise<Run> {
  const { tx, session, now } = ledger;
  const refusal = checkMove(run.status, status, details.handover ? 'handover' : undefined);
  if (refusal) throw new HoldpointError(refusal);
  const wasQueued = run.status === 'queued';
  const hadWorker = isHosted(run);
  await endPending(ledger, run, status, details);
  if (!details.handover && !wasQueued) await giveUpUnreachable(ledger, run, status);
  await endCarried(ledger, run, status, details.why ?? details.error);
  run.status = status;
  run.updatedAt = now;
  run.finishedAt = now;
  run.error = details.error;
  run.outcome = details.outcome;
  run.lease = undefined;
  await tx.updateRun(run);
  const { error, why } = details;
  const told = { ...details.data, ...(error !== undefined && { error }), ...(why !== undefined && { why }) };
  ledger.note(status, details.outcome === undefined ? told : { ...told, outcome: details.outcome }, run.id);
  if (hadWorker && status !== 'completed') await giveUpAnswers(ledger, run, status);
  noteDispatchEnd(ledger, run, details.exitCode);
  if (wasQueued) session.queuedCount -= 1;
  if (wasQueued && run.clarification) await declineUnasked(ledger, run, run.clarification, details);
  if (session.activeRunId === run.id) session.activeRunId = undefined;
  if (!details.keepSlot) await fillSlot(ledger);
  return run;
}

/** Nobody will take what only another run could have carried, or what no process is left to take. */
async function giveUpUnreachable(ledger: Ledger, run: Run, status: Ending): Promise<void> {
  const hasAgent = run.agent === EXTERNAL_AGENT || isHosted(run);
  for (const ask of await ledger.tx.dueOfRun(run.id)) {
    const isCarried = ask.mode === 'form' || ask.mode === 'restart';
    if (isCarried || !hasAgent) await markDelivery(ledger, ask.id, 'undeliverable', `the run was ${status}`);
  }
}

/** Its worker is refused from now on, so that nobody will say any more that the agent has what a person answered. */
async function giveUpAnswers(ledger: Ledger, run: Run, status: Ending): Promise<void> {
  for (const ask of await ledger.tx.dueOfRun(run.id)) {
    if (ask.status !== 'answered' && ask.status !== 'declined') continue;
    const perhaps = ask.delivery.attempts > 0 ? '; the agent may have had it' : '';
    await mark(ledger, ask, 'undeliverable', `the run was ${status}${perhaps}`);
  }
}

/** What was still open ends with a typed reason: `failed` when the agent broke, `cancelled` when it was stopped. */
async function endPending(ledger: Ledger, run: Run, status: Ending, details: FinishDetails): Promise<void> {
  const { tx, session, now } = ledger;
  if (session.pendingCount === 0) return;
  const askStatus = status === 'failed' && details.outcome !== 'cancelled' ? 'failed' : 'cancelled';
  const said = details.askReason ?? details.why ?? details.error ?? `the run was ${status}`;
  // Whoever stops the run may use any word, but nobody has taken these asks back.
  const reason = said === WITHDRAWN ? `the run was ${status}: ${said}` : said;
  const ended: EndedAsk[] = [];
  for (const ask of await tx.pendingOfRun(run.id)) {
    const end = endAsk(ask, askStatus, withoutDecision(ask, reason), details.author, now);
    if (await tx.endAsk(end)) ended.push(end);
  }
  session.pendingCount -= ended.length;
  noteAsksEnded(ledger, ended);
}
