// Ends a run: its pending asks end with it, its lease is removed, the slot goes to the next run.
import { type Author, type EndedAsk, endAsk, WITHDRAWN, withoutDecision } from '../core/ask.ts';
import { enforce } from '../core/errors.ts';
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
  /** The same for people, where the error names records. */
  why?: string | undefined;
  /** The reason of its open asks, where that is neither. */
  askReason?: string | undefined;
  outcome?: string | undefined;
  /** Why its agent stopped, where that is no outcome; stored in its place. */
  stopReason?: string | undefined;
  exitCode?: number | undefined;
  /** Another run carries the answer, so a held run may become `completed`. */
  handover?: boolean;
  data?: Record<string, unknown>;
  /** The caller queues a run of its own before the slot is given away. */
  keepSlot?: boolean;
}

export async function finish(ledger: Ledger, run: Run, status: Ending, details: FinishDetails): Promise<Run> {
  const { tx, session, now } = ledger;
  enforce(checkMove(run.status, status, details.handover ? 'handover' : undefined));
  const wasQueued = run.status === 'queued';
  const hadWorker = isHosted(run);
  await endPending(ledger, run, status, details);
  if (!details.handover && !wasQueued) await giveUpUnreachable(ledger, run, status);
  await endCarried(ledger, run, status, details.why ?? details.error);
  run.status = status;
  run.updatedAt = now;
  run.finishedAt = now;
  run.error = details.error;
  run.outcome = details.outcome ?? details.stopReason;
  run.lease = undefined;
  await tx.update('run', run);
  const { error, why, outcome, stopReason: stop_reason } = details;
  const said = Object.entries({ error, why, outcome, stop_reason }).filter(([, value]) => value !== undefined);
  ledger.note(status, { ...details.data, ...Object.fromEntries(said) }, run.id);
  if (hadWorker && status !== 'completed') await giveUpAnswers(ledger, run, status);
  noteDispatchEnd(ledger, run, details.exitCode);
  if (wasQueued) session.queuedCount -= 1;
  if (wasQueued && run.clarification) await declineUnasked(ledger, run, run.clarification, details);
  if (session.activeRunId === run.id) session.activeRunId = undefined;
  if (!details.keepSlot) await fillSlot(ledger);
  return run;
}

/** Marks answers undeliverable that only another run could have carried, or for which no process is left. */
async function giveUpUnreachable(ledger: Ledger, run: Run, status: Ending): Promise<void> {
  const hasAgent = run.agent === EXTERNAL_AGENT || isHosted(run);
  for (const ask of await ledger.tx.dueOfRun(run.id)) {
    const isCarried = ask.mode === 'form' || ask.mode === 'restart';
    if (isCarried || !hasAgent) await markDelivery(ledger, ask.id, 'undeliverable', `the run was ${status}`);
  }
}

/** The worker is refused from now on, so no acknowledgement can arrive any more. */
async function giveUpAnswers(ledger: Ledger, run: Run, status: Ending): Promise<void> {
  for (const ask of await ledger.tx.dueOfRun(run.id)) {
    if (ask.status !== 'answered' && ask.status !== 'declined') continue;
    const perhaps = ask.delivery.attempts > 0 ? '; the agent may have had it' : '';
    await mark(ledger, ask, 'undeliverable', `the run was ${status}${perhaps}`);
  }
}

/** Ends open asks with a typed reason: `failed` when the agent failed, `cancelled` when it was stopped. */
async function endPending(ledger: Ledger, run: Run, status: Ending, details: FinishDetails): Promise<void> {
  const { tx, session, now } = ledger;
  if (session.pendingCount === 0) return;
  const askStatus = status === 'failed' && details.outcome !== 'cancelled' ? 'failed' : 'cancelled';
  const said = details.askReason ?? details.why ?? details.error ?? `the run was ${status}`;
  // The reason of a stopped run is free text; these asks were not withdrawn.
  const reason = said === WITHDRAWN ? `the run was ${status}: ${said}` : said;
  const ended: EndedAsk[] = [];
  for (const ask of await tx.pendingOfRun(run.id)) {
    const end = endAsk(ask, askStatus, withoutDecision(ask, reason), details.author, now);
    if (await tx.endAsk(end)) ended.push(end);
  }
  session.pendingCount -= ended.length;
  noteAsksEnded(ledger, ended);
}
