// Form and restart asks: the held run is completed and another run carries the answer on, in the same transaction,
// so that exactly one run follows. It inherits the place of the run it carries on.
import { summarise } from '../core/answer.ts';
import type { EndedAsk } from '../core/ask.ts';
import type { Run } from '../core/run.ts';
import { finish } from './finish.ts';
import type { Ledger } from './ledger.ts';
import { enqueue } from './slot.ts';

export async function handOver(ledger: Ledger, run: Run, ask: EndedAsk): Promise<Run> {
  const { answered_by, surface } = ask.answer;
  const author = { answeredBy: answered_by, surface };
  await finish(ledger, run, 'completed', {
    author,
    handover: true,
    keepSlot: true,
    ...(ask.mode === 'restart' && { outcome: 'needs_input' }),
  });
  return enqueue(ledger, {
    kind: ask.mode === 'restart' ? 'dispatch' : 'user_question_resume',
    input: ask.mode === 'restart' ? restartInput(run, ask) : formInput(ask),
    source: run.source,
    actor: answered_by,
    resumesRunId: run.id,
    carriesAskId: ask.id,
    subtaskId: run.subtaskId,
    queueOrder: run.queueOrder,
  });
}

function formInput(ask: EndedAsk): Record<string, unknown> {
  const { outcome, answers, justification, reason } = ask.answer;
  return {
    text: summaryOf(ask),
    answer: { ask_id: ask.id, tool_call_id: ask.toolCallId, outcome, answers: answers ?? [], justification, reason },
  };
}

function restartInput(run: Run, ask: EndedAsk): Record<string, unknown> {
  return { ...run.input, answer: summaryOf(ask), declined: ask.status === 'declined' };
}

function summaryOf(ask: EndedAsk): string {
  if (ask.kind !== 'question' || ask.status !== 'answered') return ask.answer.justification ?? ask.status;
  return summarise(ask.content.questions, ask.answer.answers ?? []);
}
