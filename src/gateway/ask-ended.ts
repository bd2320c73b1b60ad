// Appends the events of an ask that has ended, the same for every surface and every kind of end. The wire calls the
// first of them `ask.claimed`. settle.ts applies the end to the run.
import type { EndedAsk } from '../core/ask.ts';
import type { Ledger } from './ledger.ts';

/** One `ask.claimed` for each ask, and the run's own event for what a person decided. */
export function noteAsksEnded(ledger: Ledger, ended: readonly EndedAsk[]): void {
  for (const { answer, kind, endedBy: token_id, runId, id } of ended)
    ledger.note('ask.claimed', { answer, kind, ...(token_id !== undefined && { token_id }) }, runId, id);
  const approvals = ended.filter((a) => a.kind === 'approval' && a.status === 'answered');
  if (approvals[0])
    ledger.note('approval_resolved', { resolutions: approvals.map(approvalResolution) }, approvals[0].runId);
  for (const ask of ended) {
    if (ask.kind !== 'question' || (ask.status !== 'answered' && ask.status !== 'declined')) continue;
    ledger.note(
      'user_question_resolved',
      { request_id: ask.id, resolution: questionResolution(ask) },
      ask.runId,
      ask.id,
    );
  }
}

function approvalResolution(ask: EndedAsk) {
  const { behavior, updated_input, suggestion_ids, justification, reason } = ask.answer;
  return { request_id: ask.id, behavior, updated_input, suggestion_ids, justification, reason };
}

export function questionResolution(ask: EndedAsk) {
  const { answers, justification } = ask.answer;
  return { answers: answers ?? [], declined: ask.status !== 'answered', justification, request_id: ask.id };
}
