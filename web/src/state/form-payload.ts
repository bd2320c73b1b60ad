// Reads the payload of a form that the server prepared, and builds the reply to it. Pure. Only a payload of the right type
// with questions is a form, whatever the agent sent.
import type { QuestionAnswer } from '../../../src/core/answer.ts';
import type { RenderPayload } from '../../../src/core/form.ts';
import type { Question } from '../../../src/core/question.ts';

const FORM = 'interactive_form_question';

export function questionsOfPayload(payload: unknown): Question[] | undefined {
  const { type, questions } = Object(payload) as { type?: unknown; questions?: unknown };
  if (type !== FORM || !Array.isArray(questions) || questions.length === 0) return undefined;
  return (questions as RenderPayload['questions']).map((asked, i) => ({
    id: asked.id,
    header: asked.header ?? `Question ${i + 1}`,
    question: asked.question,
    // The reply to a form names options by value.
    options: (asked.options ?? []).map((option) => ({ ...option, id: option.value })),
    multi_select: asked.multi_select,
    required: asked.required,
    allow_other: asked.allow_other ?? true,
    ...(asked.secret && { secret: true }),
    ...(asked.placeholder !== null && { placeholder: asked.placeholder }),
    ...(asked.default !== null && { default: asked.default }),
  }));
}

/** Values by question: one, or a list where several may be chosen. */
export function formAnswer(toolUseId: string, questions: readonly Question[], answers: readonly QuestionAnswer[]) {
  const values = answers.map(({ question_id, selected_option_ids = [], freeform_answer }) => {
    const all = [...selected_option_ids, ...(freeform_answer === undefined ? [] : [freeform_answer])];
    const isList = questions.find(({ id }) => id === question_id)?.multi_select;
    return [question_id, isList || all.length !== 1 ? all : all[0]] as const;
  });
  return { type: FORM, tool_use_id: toolUseId, answers: Object.fromEntries(values), status: 'answered' as const };
}

export const cancelledForm = (toolUseId: string, message: string) => ({
  type: FORM,
  tool_use_id: toolUseId,
  status: 'cancelled' as const,
  ...(message !== '' && { message }),
});
