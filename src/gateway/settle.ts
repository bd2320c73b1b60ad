// Applies the end of an ask to its run: continue, keep waiting, stop, or hand over to another run. Every answer and
// every cancellation passes here, from every surface, and appends the same events.
import { type EndedAsk, isWithdrawn } from '../core/ask.ts';
import { enforce } from '../core/errors.ts';
import { checkMove, heldStatus, type Run } from '../core/run.ts';
import { truncate } from '../core/text-limit.ts';
import { noteAsksEnded } from './ask-ended.ts';
import { resolveClarification } from './clarify.ts';
import { finish } from './finish.ts';
import { handOver } from './hand-over.ts';
import type { Ledger } from './ledger.ts';

/** Call with asks that ended in this transaction. Returns the run that continues. */
export async function settle(ledger: Ledger, run: Run, ended: readonly EndedAsk[]): Promise<Run> {
  const { tx, session, now } = ledger;
  session.pendingCount -= ended.length;
  noteAsksEnded(ledger, ended);
  const [first] = ended;
  if (run.clarification && first) return resolveClarification(ledger, run, first);
  const stopper = ended.find(stopsTheRun);
  if (stopper)
    return finish(ledger, run, 'cancelled', {
      error: stopText(stopper),
      why: stopWords(stopper),
      author: authorOf(stopper),
    });
  const status = heldStatus(session.pendingCount > 0 ? await tx.pendingHeads(run.id) : []);
  if (status === 'running') {
    const handed = await askToHandOver(ledger, run, ended);
    if (handed) {
      // No ask holds the run any more, of either kind.
      run.status = 'running';
      return handOver(ledger, run, handed);
    }
  }
  enforce(checkMove(run.status, status));
  run.status = status;
  run.updatedAt = now;
  if (status === 'running') run.kind = first?.kind === 'approval' ? 'approval_resume' : 'user_question_resume';
  await tx.update('run', run);
  return run;
}

/** A cancelled or expired question ends its run, unless its agent withdrew it; a cancelled form goes to the next run. */
const stopsTheRun = (ask: EndedAsk): boolean =>
  ask.kind === 'question' &&
  (ask.status === 'expired' || (ask.status === 'cancelled' && ask.mode !== 'form' && !isWithdrawn(ask.answer)));

async function askToHandOver(ledger: Ledger, run: Run, ended: readonly EndedAsk[]): Promise<EndedAsk | undefined> {
  const carriedOn = (ask: EndedAsk) => ask.mode === 'form' || ask.mode === 'restart';
  return ended.find(carriedOn) ?? (await ledger.tx.toHandOver(run.id));
}

const MOST_QUOTED = 120;

function stopText(ask: EndedAsk): string {
  const asked = ask.kind === 'question' ? truncate(ask.content.questions[0]?.question ?? '', MOST_QUOTED) : '';
  const why = ask.answer.justification ? `: ${ask.answer.justification}` : '';
  return `the question “${asked}” ${ask.status === 'expired' ? 'expired before anyone answered' : `was cancelled${why}`}`;
}

/** The same reason for people who wait for another ask of the run. */
function stopWords({ status, answer: { justification } }: EndedAsk): string {
  const why = justification ? `: ${justification}` : '';
  return `another question of the run ${status === 'expired' ? 'expired' : 'was cancelled'}${why}`;
}

const authorOf = (ask: EndedAsk) => ({ answeredBy: ask.answer.answered_by, surface: ask.answer.surface });
