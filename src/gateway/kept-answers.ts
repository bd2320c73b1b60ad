// Keeps answers that could not be delivered because the run's worker was lost, and reuses them: when the session asks the
// same question again (same digest), the kept answer is given at once, only once, and only for some minutes. An approval is
// never reused: it shows the earlier decision, and a person decides again.
import { type EndedAsk, type PendingAsk, WORKER_RESTART } from '../core/ask.ts';
import type { Run } from '../core/run.ts';
import { answer } from './answer.ts';
import { hold } from './hold.ts';
import type { Ledger } from './ledger.ts';
import { mark } from './mark-delivery.ts';
import { postNote } from './thread-note.ts';

/** For a run whose agent is gone for good. Secret answers are not kept, nor those that were kept before. */
export async function keepAnswers(ledger: Ledger, run: Run): Promise<void> {
  for (const ask of await ledger.tx.dueOfRun(run.id)) {
    if (ask.status !== 'answered' || ask.mode !== 'blocking') continue;
    const isKept = ask.sealed === undefined && ask.answer.kept_from === undefined;
    if (isKept) ledger.session.keptCount += 1;
    await mark(ledger, ask, 'undeliverable', isKept ? WORKER_RESTART : 'the run was interrupted');
  }
}

/** How long after the loss of its worker an answer is given again. */
const KEPT_MS = 15 * 60_000;

/** True where a kept answer was given: the run is then held and answered. */
export async function reuseKeptAnswer(ledger: Ledger, run: Run, ask: PendingAsk): Promise<boolean> {
  const { session, tx } = ledger;
  if (session.keptCount === 0 || (ask.mode !== 'blocking' && ask.mode !== 'deferred')) return false;
  const kept = await tx.keptAnswer(session.id, ask.kind, ask.digest);
  if (!kept) return false;
  const lostAt = (await tx.get('run', kept.runId))?.finishedAt ?? kept.answer.answered_at_ms;
  const isOld = ask.kind === 'question' && ledger.now - lostAt > KEPT_MS;
  session.keptCount -= 1;
  const reason = isOld ? 'it was not asked again in time' : `asked again as ${ask.id}`;
  await tx.update('ask', { ...kept, delivery: { ...kept.delivery, reason } });
  if (isOld) return false;
  if (ask.kind === 'approval') {
    ask.content.earlier = decisionOf(kept);
    return false;
  }
  const { answered_by: name, answers, justification, answered_at_ms } = kept.answer;
  postNote(ledger, `Answered with what ${name} said before the worker was lost.`, { run_id: run.id, ask_id: kept.id });
  await hold(ledger, run, ask);
  const resolution = { request_id: ask.id, answers, justification };
  const actor = { name, surface: 'system' as const };
  await answer(ledger, run, { resolution, actor }, { answered_at_ms, kept_from: kept.id });
  return true;
}

function decisionOf({ id, answer: { behavior = 'deny', answered_by, answered_at_ms, reason } }: EndedAsk) {
  return { ask_id: id, behavior, answered_by, answered_at_ms, ...(reason !== undefined && { reason }) };
}
