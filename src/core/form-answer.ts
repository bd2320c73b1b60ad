// Defines the answer to a form: what a person sends, and what the next run gets as the result of the tool call that
// displayed it. answer.ts validates the values.
import { z } from 'zod';
import type { QuestionAnswer } from './answer.ts';
import type { EndedAsk } from './ask.ts';
import { type Refusal, refuse } from './errors.ts';
import { ownId } from './fields.ts';
import type { FormOwner } from './form.ts';
import { FORM_TOOL } from './form-input.ts';
import type { Question } from './question.ts';

/** A person's answer. Its type and tool are checked with codes of their own, so any value is accepted here. */
export const InteractiveFormAnswer = z
  .strictObject({
    type: z.unknown().optional().meta({ type: 'string', const: FORM_TOOL }),
    tool_use_id: z.unknown().optional().meta({ type: 'string', description: 'The tool_use_id of the pending form' }),
    answers: z.record(z.string(), z.unknown()).optional(),
    status: z.enum(['answered', 'cancelled']),
    message: z.string().max(20_000).optional(),
    success: z.boolean().optional(),
    task_id: ownId.optional(),
    subtask_id: ownId.optional(),
  })
  .meta({ required: ['type', 'tool_use_id', 'status'] });
export type InteractiveFormAnswer = z.infer<typeof InteractiveFormAnswer>;

/** Checks that an answer is for this form; its values are validated like every other answer. */
export function checkFormAnswer(
  answer: InteractiveFormAnswer,
  toolUseId: string,
  owner: FormOwner | undefined,
): Refusal | undefined {
  if (answer.type !== FORM_TOOL)
    return refuse('invalid_interactive_form_answer', `The answer's type must be "${FORM_TOOL}".`);
  if (typeof answer.tool_use_id !== 'string' || answer.tool_use_id === '')
    return refuse('interactive_form_tool_required', `The answer must name the form's tool_use_id, "${toolUseId}".`);
  if (answer.tool_use_id !== toolUseId)
    return refuse(
      'interactive_form_tool_mismatch',
      `The pending form is "${toolUseId}"; the answer is for "${answer.tool_use_id.slice(0, 256)}".`,
    );
  for (const field of ['task_id', 'subtask_id'] as const)
    if (answer[field] !== undefined && owner && String(answer[field]) !== String(owner[field]))
      return refuse(
        'interactive_form_tool_mismatch',
        `The ${field} of the pending form is "${owner[field]}"; the answer names "${answer[field]}".`,
      );
  if (answer.status === 'cancelled' && Object.keys(answer.answers ?? {}).length > 0)
    return refuse(
      'invalid_interactive_form_answer',
      'A cancelled form takes no answers: leave `answers` empty, or send `status: "answered"`.',
    );
  if (answer.success !== undefined && answer.success !== (answer.status === 'answered'))
    return refuse('invalid_interactive_form_answer', '`success` contradicts `status`; leave it out.');
  return undefined;
}

/** Values as a form sends them, by question: an option's value or label, else free text; several in a list. */
export function readAnswers(
  questions: readonly Question[],
  answers: Record<string, unknown>,
): QuestionAnswer[] | Refusal {
  const read: QuestionAnswer[] = [];
  for (const [id, given] of Object.entries(answers)) {
    const list: unknown[] = Array.isArray(given) ? given : [given];
    if (!list.every((entry) => typeof entry === 'string'))
      return refuse('invalid_interactive_form_answer', `The answer to "${id}" must be a text or a list of texts.`);
    const question = questions.find((q) => q.id === id);
    if (question && !question.required && list.every((entry) => entry.trim() === '')) continue;
    read.push(readAnswer(id, question?.options ?? [], list));
  }
  return read;
}

function readAnswer(question_id: string, options: Question['options'], given: readonly string[]): QuestionAnswer {
  const selected: string[] = [];
  const typed: string[] = [];
  for (const entry of given) {
    const option = options.find((o) => o.value === entry) ?? options.find((o) => o.label === entry);
    if (option) selected.push(option.id);
    else typed.push(entry);
  }
  return {
    question_id,
    ...(selected.length > 0 && { selected_option_ids: selected }),
    ...(typed.length > 0 && { freeform_answer: typed.join('\n') }),
  };
}

/** The input of the next run: the result of the tool call that displayed the form. */
export function formAnswer(ask: EndedAsk, place: FormOwner) {
  const { outcome, answers = [], justification } = ask.answer;
  const questions = ask.kind === 'question' ? ask.content.questions : [];
  const isAnswered = outcome === 'answered';
  return {
    type: FORM_TOOL,
    tool_use_id: ask.toolCallId,
    task_id: place.task_id,
    subtask_id: place.subtask_id,
    answers: Object.fromEntries(answers.flatMap((given) => formValue(questions, given))),
    success: isAnswered,
    status: isAnswered ? ('answered' as const) : ('cancelled' as const),
    ...(justification !== undefined && { message: justification }),
  };
}

function formValue(questions: readonly Question[], given: QuestionAnswer): [string, string | string[]][] {
  const question = questions.find((q) => q.id === given.question_id);
  if (!question || question.secret) return [];
  const chosen = (given.selected_option_ids ?? []).map((id) => question.options.find((o) => o.id === id)?.value ?? id);
  const all = given.freeform_answer?.trim() ? [...chosen, given.freeform_answer] : chosen;
  return [[question.id, question.multi_select ? all : all.join('\n')]];
}
