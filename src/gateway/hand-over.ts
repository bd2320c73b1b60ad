// Hands the answer of a form or restart ask to a new run: the held run completes and its successor is queued in the same
// transaction, so that exactly one run follows. It inherits the place in the queue.
import { answerOnly, summarise } from '../core/answer.ts';
import type { EndedAsk } from '../core/ask.ts';
import { TOOL_DEFERRED } from '../core/deferred.ts';
import { formAnswer } from '../core/form-answer.ts';
import { previewOf, type Run } from '../core/run.ts';
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
    ...(ask.mode === 'restart' ? { outcome: 'needs_input' } : { stopReason: TOOL_DEFERRED }),
  });
  return enqueue(ledger, {
    kind: ask.mode === 'restart' ? 'dispatch' : 'user_question_resume',
    input: ask.mode === 'restart' ? restartInput(run, ask) : formInput(ask),
    source: run.source,
    actor: answered_by,
    resumesRunId: run.id,
    carriesAskId: ask.id,
    // A form ends its subtask: the run that carries the answer is the next subtask.
    subtaskId: ask.mode === 'restart' ? run.subtaskId : undefined,
    ...(ask.mode === 'form' && { textPreview: previewOf(summaryOf(ask)) }),
    queueOrder: run.queueOrder,
  });
}

/** The answer is the result of a tool call; only the person's justification is text. */
function formInput(ask: EndedAsk): Record<string, unknown> {
  const { outcome, answers, justification, reason } = ask.answer;
  const place = ask.kind === 'question' ? ask.content.form : undefined;
  return {
    ...(justification !== undefined && { text: justification }),
    ...(place && { interactive_form_answer: formAnswer(ask, place) }),
    answer: { ask_id: ask.id, tool_call_id: ask.toolCallId, outcome, answers: answers ?? [], justification, reason },
  };
}

/** The same spec with the answer. The partial state is added when the run is claimed. */
function restartInput(run: Run, ask: EndedAsk): Record<string, unknown> {
  const { answer: _, declined: __, justification: ___, ...spec } = run.input;
  if (ask.kind === 'question' && ask.status === 'answered')
    return { ...spec, answer: answerOnly(ask.content.questions, ask.answer.answers ?? []), declined: false };
  const { justification } = ask.answer;
  return { ...spec, answer: null, declined: true, ...(justification !== undefined && { justification }) };
}

function summaryOf(ask: EndedAsk): string {
  if (ask.kind !== 'question' || ask.status !== 'answered') return ask.answer.justification ?? ask.status;
  return summarise(ask.content.questions, ask.answer.answers ?? []);
}
