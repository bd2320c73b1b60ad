// Displays the form of `interactive_form_question`. A call that is made again returns its answer: to a runtime, which names
// the call, as the payload that the next run was started with; to any other client as ask_user returns answers.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { deferredResult } from '../core/deferred.ts';
import { completeQuestions, type QuestionInput } from '../core/question.ts';
import type { AskView } from '../core/views.ts';
import type { Backed, Call } from './calls.ts';
import { handOver } from './handover.ts';
import { raiseOrJoin, repeated, wantedQuestions } from './repeat.ts';
import { jsonResult } from './result.ts';

interface Form {
  questions: QuestionInput[];
  expires_at_ms?: number | undefined;
  expires_after_ms?: number | undefined;
}

interface FormCall {
  call: Call;
  /** The runtime's own name for the call. */
  callId: string | undefined;
  /** Asks that a repeated call may mean. */
  open: readonly AskView[];
}

export async function displayForm(
  backed: Backed,
  form: Form,
  { call, callId, open }: FormCall,
): Promise<CallToolResult> {
  const { backend } = backed;
  const runId = await backend.runId();
  const carried = callId === undefined ? undefined : await carriedAnswer(backed, runId, callId);
  if (carried) return handOver(backed, carried.ask, call, () => jsonResult(carried.payload));
  const raise = (tool_call_id: string) =>
    backend.raise(runId, { kind: 'question', mode: 'form', tool_call_id, ...form });
  // A runtime's second call is a second form, which its subtask may not display.
  if (callId !== undefined) return jsonResult(deferredResult((await raise(callId)).ask_id));
  const wanted = wantedQuestions('form', completeQuestions(form.questions));
  const ask = (await repeated(backed, open, wanted, call)) ?? (await raiseOrJoin(backed, wanted, call, raise));
  return ask.answer ? handOver(backed, ask, call) : jsonResult(deferredResult(ask.ask_id));
}

/** A runtime that takes a deferred call up again, in the run that carries the answer on. */
async function carriedAnswer({ backend }: Backed, runId: string, callId: string) {
  const input = (await backend.input(runId)) as {
    interactive_form_answer?: Record<string, unknown>;
    answer?: { ask_id: string };
  };
  const { interactive_form_answer: payload, answer } = input;
  if (payload?.tool_use_id !== callId || !answer) return undefined;
  return { payload, ask: await backend.look(answer.ask_id, 0) };
}
