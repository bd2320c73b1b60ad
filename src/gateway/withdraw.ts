// The agent takes an ask back: a person settled it at the agent's own prompt, or the agent does not need it any more. It
// ends as cancelled, an approval thereby as a denial: whatever happens next was decided elsewhere, not here. The run
// goes on. There is nothing to deliver, because the agent knows.
import { checkAnswers, type QuestionAnswer } from '../core/answer.ts';
import { decide, endAsk, isWithdrawn, lateRefusal, type PendingAsk, WITHDRAWN, withoutDecision } from '../core/ask.ts';
import { fail, HoldpointError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { expireNow } from './expire.ts';
import { checkLease } from './lease.ts';
import { openAsk } from './ledger.ts';
import { mark } from './mark-delivery.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { runOfAsk } from './records.ts';
import { settle } from './settle.ts';
import { askView } from './views.ts';

export interface WithdrawCommand {
  askId: string;
  justification?: string | undefined;
  /** What was said at the agent's own prompt, for the record. */
  answers?: QuestionAnswer[] | undefined;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function withdraw(ports: Ports, command: WithdrawCommand): Promise<Reply<AskView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, command.askId);
    const run = await runOfAsk(tx, ask);
    checkLease(run, command.leaseEpoch);
    if (run.clarification)
      throw fail('ask_state_conflict', 'A clarification is cancelled by a person, not taken back.');
    const move = decide(ask, 'cancel', ledger.now);
    if (move === 'expire_first') return expireNow(ledger, run, ask as PendingAsk);
    if (ask.status !== 'pending') {
      if (isWithdrawn(ask.answer)) return ok(askView(ask));
      throw new HoldpointError({ ...lateRefusal(ask, false), code: 'ask_state_conflict' });
    }
    if (ask.mode === 'form' || ask.mode === 'restart')
      throw fail('ask_state_conflict', 'The next run carries this ask on: it is answered or cancelled by a person.');
    const { name: answeredBy, surface } = command.actor;
    const decision = { ...withoutDecision(ask, WITHDRAWN, command.justification), ...saidThere(ask, command.answers) };
    const ended = endAsk(ask, 'cancelled', decision, { answeredBy, surface }, ledger.now);
    if (!(await tx.endAsk(ended))) throw fail('ask_state_conflict', 'Somebody answered at the same moment.');
    await settle(ledger, run, [ended]);
    await mark(ledger, ended, 'delivered');
    await ledger.close();
    return ok(askView(ended));
  });
}

/** Judged like every other answer. What is secret stays where it was said. */
function saidThere(ask: PendingAsk, answers: QuestionAnswer[] | undefined): { answers?: QuestionAnswer[] } {
  if (answers === undefined) return {};
  if (ask.kind === 'approval') throw fail('invalid_request', 'body.answers: an approval has none.');
  if (ask.content.questions.some((question) => question.secret))
    throw fail('invalid_request', 'body.answers: leave them out where a question is secret.');
  const refusal = checkAnswers(ask.content.questions, { answers });
  if (refusal) throw new HoldpointError(refusal);
  return { answers };
}
