// Writes the result of a tool call from an ask: the same JSON as text and as structured content, nothing in it twice. Only
// a person's allow is written as one; an ask that has not ended is pending, an approval then also a denial.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { QuestionAnswer } from '../core/answer.ts';
import type { Question } from '../core/question.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../core/views.ts';
import { unreplied } from './comments.ts';
import { handleOf } from './handle.ts';
import { answerAtPrompt } from './own-prompt.ts';

export const jsonResult = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value as Record<string, unknown>,
});

export const errorResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

const AGAIN_SOON: ReadonlySet<string> = new Set(['rate_limited', 'too_many_streams']);

/** Says when to call again, where that is all there is to do. */
export const refusalResult = (code: string, message: string): CallToolResult =>
  errorResult(AGAIN_SOON.has(code) ? `${message} Call again in 1 second.` : message);

const AT_SCREEN = "a person at the agent's own screen";
const NOT_YET =
  'No answer yet. Call check_answer with this ask_id, which waits for it, or end your turn: the answer is kept.';
const COMMENTED =
  'The person has commented and not decided: this is no answer. Call check_answer with this ask_id and your reply in a few sentences; it goes on waiting.';
const STOP_HERE = 'The form is displayed. End your turn: the answer arrives with the next message.';

export function askResult(ask: AskView): CallToolResult {
  return jsonResult(ask.kind === 'approval' ? approvalOf(ask) : questionOf(ask));
}

/** A form in a run that a worker hosts: the agent is started again with the answer, so it must not wait for it. */
export const heldResult = (ask: AskView): CallToolResult =>
  jsonResult({ ask_id: handleOf(ask), status: 'pending', message: STOP_HERE });

/** An answer at the agent's own screen is returned as it was given there, however the agent comes to ask for it. */
function questionOf(ask: QuestionAskView): object {
  const { answer } = ask;
  const { questions } = ask.request;
  const ask_id = handleOf(ask);
  if (!answer) return { ask_id, status: 'pending', ...notYet(ask) };
  const said = answerAtPrompt(ask);
  if (said === 'declined') return { ask_id, status: 'declined', answered_by: AT_SCREEN };
  if (said) return { ask_id, status: 'answered', ...answersOf(questions, said.answers), answered_by: AT_SCREEN };
  const { outcome, answers = [], justification, reason, answered_by } = answer;
  const note = { ...(justification !== undefined && { justification }), answered_by };
  if (outcome !== 'answered') return { ask_id, status: outcome, ...(reason !== undefined && { reason }), ...note };
  return { ask_id, status: outcome, ...answersOf(questions, answers), ...note };
}

function notYet(ask: AskView): object {
  const comments = unreplied(ask);
  return comments.length > 0 ? { comments, message: COMMENTED } : { message: NOT_YET };
}

/** In the shape that `--permission-prompt-tool` reads, too. */
function approvalOf(ask: ApprovalAskView): object {
  const { answer, request } = ask;
  const ask_id = handleOf(ask);
  if (!answer) return { ask_id, status: 'pending', behavior: 'deny', ...notYet(ask) };
  const { outcome, behavior, updated_input, reason, answered_by } = answer;
  if (outcome === 'answered' && behavior === 'allow')
    return {
      ask_id,
      status: outcome,
      behavior,
      updatedInput: updated_input ?? request.input,
      ...(updated_input && { edited: true }),
      answered_by,
    };
  return { ask_id, status: outcome, behavior: 'deny', message: reason ?? `The approval was ${outcome}.`, answered_by };
}

/** The chosen values and what was typed, by question; which questions were left out. */
function answersOf(questions: readonly Question[], answers: readonly QuestionAnswer[]) {
  const skipped = questions.filter(({ id }) => !answers.some((a) => a.question_id === id)).map(({ id }) => id);
  return {
    answers: answers.map(({ question_id, selected_option_ids = [], freeform_answer }) => {
      const options = questions.find((q) => q.id === question_id)?.options ?? [];
      const values = selected_option_ids.map((id) => options.find((option) => option.id === id)?.value ?? id);
      return {
        question_id,
        ...(values.length > 0 && { values }),
        ...(freeform_answer !== undefined && { text: freeform_answer }),
      };
    }),
    ...(skipped.length > 0 && { skipped }),
  };
}
