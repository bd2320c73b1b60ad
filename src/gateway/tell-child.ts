// How the end of a clarification reaches the child that asked. Anything but an answer is a declined clarification.
import { summarise } from '../core/answer.ts';
import { type Answer, endAsk } from '../core/ask.ts';
import type { Clarification, Run } from '../core/run.ts';
import { claimedEvents } from './claimed.ts';
import { clarificationAsk } from './hold.ts';
import type { Ledger } from './ledger.ts';
import { postMessage } from './mailbox.ts';

export async function tellChild(ledger: Ledger, wanted: Clarification, answer: Answer): Promise<void> {
  const answered = answer.outcome === 'answered';
  const answers = answered ? (answer.answers ?? []) : [];
  await postMessage(ledger, wanted, {
    type: 'parent_clarification_answer',
    request_id: wanted.requestId,
    declined: !answered,
    summary: answered ? summarise(wanted.questions, answers) : '',
    answers,
    justification: answer.justification ?? (answered ? null : answer.outcome),
  });
}

/** A clarification whose run never got the slot: nobody saw it, it is on the record, and the child is told. */
export async function declineUnasked(ledger: Ledger, run: Run, wanted: Clarification, why?: string): Promise<void> {
  const { tx, now } = ledger;
  const ask = clarificationAsk(ledger, run, wanted);
  const status = wanted.expiresAt !== undefined && wanted.expiresAt <= now ? 'expired' : 'cancelled';
  const decision = { justification: why ?? 'cancelled before it was asked' };
  const ended = endAsk(ask, status, decision, { answeredBy: 'system', surface: 'system' }, now);
  await tx.insertAsk(ask);
  await tx.endAsk(ended);
  claimedEvents(ledger, [ended]);
  await tellChild(ledger, wanted, ended.answer);
}
