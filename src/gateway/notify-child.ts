// Sends the end of a clarification to the child that asked. Any end but an answer is a declined clarification.
import { summarise } from '../core/answer.ts';
import { type Answer, type Author, type EndedAsk, endAsk } from '../core/ask.ts';
import type { Clarification, Run } from '../core/run.ts';
import { noteAsksEnded, questionResolution } from './ask-ended.ts';
import { clarificationAsk } from './hold.ts';
import type { Ledger } from './ledger.ts';
import { postMessage } from './mailbox.ts';

export async function notifyChild(ledger: Ledger, wanted: Clarification, answer: Answer): Promise<void> {
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

/** Declines a clarification whose run never got the slot: it is logged, and the child is notified. */
export async function declineUnasked(
  ledger: Ledger,
  run: Run,
  wanted: Clarification,
  { author, error }: { author: Author; error?: string | undefined },
): Promise<void> {
  const { tx, now } = ledger;
  const ask = clarificationAsk(run, wanted, ledger.ports.hash, ledger.now);
  const status = wanted.expiresAt !== undefined && wanted.expiresAt <= now ? 'expired' : 'cancelled';
  const decision = { justification: error ?? 'cancelled before it was asked' };
  const ended = endAsk(ask, status, decision, author, now);
  await tx.insert('ask', ask);
  await tx.endAsk(ended);
  noteAsksEnded(ledger, [ended]);
  await notifyChild(ledger, wanted, ended.answer);
  resolvedEvent(ledger, wanted, ended);
}

export function resolvedEvent(ledger: Ledger, wanted: Clarification, ask: EndedAsk): void {
  ledger.note(
    'parent_clarification_resolved',
    {
      requester_agent_id: wanted.requesterAgentId,
      requester_session_id: wanted.requesterSessionId,
      request_id: ask.id,
      declined: ask.status !== 'answered',
      resolution: questionResolution(ask),
    },
    ask.runId,
    ask.id,
  );
}
