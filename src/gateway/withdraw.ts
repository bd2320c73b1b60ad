// Withdraws an ask for its agent: a person answered at the agent's own prompt, or the agent does not need it any more. It
// ends as cancelled, without a decision: the agent alone knows whether the action ran, and `justification` records what it
// said about that. The run continues. There is nothing to deliver.
import { checkAnswers, type QuestionAnswer } from '../core/answer.ts';
import { authorOf, endAsk, isOverdue, isWithdrawn, lateRefusal, type PendingAsk, WITHDRAWN } from '../core/ask.ts';
import { enforce, fail, HoldpointError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { expireNow } from './expire.ts';
import { openAsk } from './ledger.ts';
import { mark } from './mark-delivery.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { runOfAsk } from './records.ts';
import { settle } from './settle.ts';
import { askView } from './views.ts';
import { checkAskLease } from './worker-rights.ts';

export interface WithdrawCommand {
  askId: string;
  justification?: string | undefined;
  /** The answers given at the agent's own prompt, for the log. */
  answers?: QuestionAnswer[] | undefined;
  actor: Actor;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function withdraw(ports: Ports, command: WithdrawCommand): Promise<Reply<AskView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, command.askId);
    const run = await runOfAsk(tx, ask);
    await checkAskLease(ledger, ask, command);
    if (run.clarification) throw fail('ask_state_conflict', 'A clarification is cancelled by a person, not withdrawn.');
    if (isOverdue(ask, ledger.now)) return expireNow(ledger, run, ask);
    if (ask.status !== 'pending') {
      if (isWithdrawn(ask.answer)) return ok(askView(ask));
      throw new HoldpointError({ ...lateRefusal(ask, false), code: 'ask_state_conflict' });
    }
    if (ask.mode === 'form' || ask.mode === 'restart')
      throw fail('ask_state_conflict', 'The next run carries this ask on: it is answered or cancelled by a person.');
    const decision = {
      reason: WITHDRAWN,
      ...(command.justification !== undefined && { justification: command.justification }),
      ...promptAnswers(ask, command.answers),
    };
    const ended = endAsk(ask, 'cancelled', decision, authorOf(command.actor), ledger.now);
    if (!(await tx.endAsk(ended))) throw fail('ask_state_conflict', 'A person answered at the same moment.');
    await settle(ledger, run, [ended]);
    await mark(ledger, ended, 'delivered');
    await ledger.close();
    return ok(askView(ended));
  });
}

/** Validated like every other answer. Secret ones are not recorded. */
function promptAnswers(ask: PendingAsk, answers: QuestionAnswer[] | undefined): { answers?: QuestionAnswer[] } {
  if (answers === undefined) return {};
  if (ask.kind === 'approval') throw fail('invalid_request', 'body.answers: an approval has none.');
  if (ask.content.questions.some((question) => question.secret))
    throw fail('invalid_request', 'body.answers: leave them out where a question is secret.');
  enforce(checkAnswers(ask.content.questions, { answers }));
  return { answers };
}
