// What a tool call returns of an ask: JSON in a text, for a model to read. Nothing but a person's allow is ever told as
// one; what has not ended is told as pending, an approval then as a denial.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type QuestionAnswer, summarise } from '../core/answer.ts';
import type { Question } from '../core/question.ts';
import type { ApprovalAskView, AskView, QuestionAskView } from '../core/views.ts';
import { answerAtPrompt } from './own-prompt.ts';

export const jsonResult = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});

export const errorResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

const AT_SCREEN = "a person at the agent's own screen";
const HOW_TO_LOOK = 'Nobody has answered yet. Call check_answer with this ask_id to look again.';

export function askResult(ask: AskView): CallToolResult {
  return jsonResult(ask.kind === 'approval' ? approvalOf(ask) : questionOf(ask));
}

/** What was said at the agent's own screen is told as it was said there, however the agent comes to ask for it. */
function questionOf(ask: QuestionAskView): object {
  const { ask_id, answer } = ask;
  const { questions } = ask.request;
  if (!answer) return { ask_id, status: 'pending', message: HOW_TO_LOOK };
  const said = answerAtPrompt(ask);
  if (said === 'declined') return { ask_id, status: 'declined', answered_by: AT_SCREEN };
  if (said) return { ask_id, status: 'answered', ...answersOf(questions, said.answers), answered_by: AT_SCREEN };
  const { outcome, answers = [], justification, reason, answered_by } = answer;
  const told = { ...(justification !== undefined && { justification }), answered_by };
  if (outcome !== 'answered') return { ask_id, status: outcome, ...(reason !== undefined && { reason }), ...told };
  return { ask_id, status: outcome, ...answersOf(questions, answers), ...told };
}

/** In the shape that `--permission-prompt-tool` reads, too. */
function approvalOf({ ask_id, answer, request: { input } }: ApprovalAskView): object {
  if (!answer) return { ask_id, status: 'pending', behavior: 'deny', message: HOW_TO_LOOK };
  const { outcome, behavior, updated_input, reason, answered_by } = answer;
  if (outcome === 'answered' && behavior === 'allow')
    return { ask_id, status: outcome, behavior, updatedInput: updated_input ?? input, answered_by };
  return { ask_id, status: outcome, behavior: 'deny', message: reason ?? `The approval was ${outcome}.`, answered_by };
}

/** What was answered, in words and in values. */
function answersOf(questions: readonly Question[], answers: readonly QuestionAnswer[]) {
  return {
    summary: summarise(questions, answers),
    answers: answers.map(({ question_id, selected_option_ids = [], freeform_answer }) => {
      const asked = questions.find((q) => q.id === question_id);
      const chosen = selected_option_ids.map((id) => asked?.options.find((o) => o.id === id));
      return {
        question_id,
        question: asked?.question ?? '',
        labels: chosen.map((option, i) => option?.label ?? selected_option_ids[i]),
        values: chosen.map((option, i) => option?.value ?? selected_option_ids[i]),
        ...(freeform_answer !== undefined && { text: freeform_answer }),
      };
    }),
  };
}
