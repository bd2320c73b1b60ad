// Defines a form: a question set that stops its run and continues with the next message. Owns what a page may render of it.
// form-input.ts reads a model's arguments, form-answer.ts a person's answer.
import { z } from 'zod';
import type { AskStatus, PendingAsk, QuestionContent } from './ask.ts';
import { ownId } from './fields.ts';
import { FORM_TOOL, type FormQuestion } from './form-input.ts';
import { defaultHeader, type Question, type QuestionInput } from './question.ts';

/** The owner of a form: task and subtask as the caller named them, otherwise session and run. */
export interface FormOwner {
  task_id: string | number;
  subtask_id: string | number;
}

const RenderOption = z.object({
  label: z.string(),
  value: z.string(),
  recommended: z.boolean(),
  description: z.string().optional(),
  preview: z.string().optional(),
});
const RenderQuestion = z.object({
  id: z.string(),
  question: z.string(),
  input_type: z.enum(['choice', 'text']),
  options: z.array(RenderOption).nullable(),
  multi_select: z.boolean(),
  required: z.boolean(),
  default: z.array(z.string()).nullable(),
  placeholder: z.string().nullable(),
  secret: z.boolean().optional(),
  /** False where only the options count. */
  allow_other: z.boolean().optional(),
  /** Where the agent gave one. */
  header: z.string().optional(),
});
/** The only thing a page may draw a form from. */
export const RenderPayload = z.object({
  type: z.literal(FORM_TOOL),
  ask_id: z.string(),
  task_id: ownId,
  subtask_id: ownId,
  questions: z.array(RenderQuestion).min(1),
});
export type RenderPayload = z.infer<typeof RenderPayload>;

export function renderPayload(askId: string, { questions }: QuestionContent, place: FormOwner): RenderPayload {
  const { task_id, subtask_id } = place;
  return { type: FORM_TOOL, ask_id: askId, task_id, subtask_id, questions: questions.map(renderQuestion) };
}

function renderQuestion(q: Question, i: number): RenderPayload['questions'][number] {
  const isChoice = q.options.length > 0;
  const given = typeof q.default === 'string' ? [q.default] : q.default;
  return {
    id: q.id,
    question: q.question,
    input_type: isChoice ? 'choice' : 'text',
    options: isChoice
      ? q.options.map(({ label, value, recommended = false, description, preview }) => ({
          label,
          value,
          recommended,
          ...(description !== undefined && { description }),
          ...(preview !== undefined && { preview }),
        }))
      : null,
    multi_select: q.multi_select,
    required: q.required,
    default: given ?? null,
    placeholder: q.placeholder ?? null,
    ...(q.secret && { secret: true }),
    ...(!q.allow_other && { allow_other: false }),
    ...(q.header !== defaultHeader(i) && { header: q.header }),
  };
}

/** What a model's normalised form asks, as the body of an ask takes it. */
export const formQuestions = (form: readonly FormQuestion[]): QuestionInput[] =>
  form.map((q) => ({
    id: q.id,
    question: q.question,
    multi_select: q.multi_select,
    required: q.required,
    ...(q.options && { options: q.options }),
    ...(q.default && { default: q.default }),
    ...(q.placeholder !== null && { placeholder: q.placeholder }),
    ...(q.header !== undefined && { header: q.header }),
    ...(q.secret && { secret: true }),
    ...(q.allow_other === false && { allow_other: false }),
  }));

/** The thread's block of a form, without the model's arguments. Its status is the ask's. */
export interface FormBlock {
  id: string;
  type: 'tool';
  tool_name: typeof FORM_TOOL;
  tool_use_id: string;
  status: AskStatus;
  render_payload: RenderPayload;
}

export const formBlock = (ask: PendingAsk, payload: RenderPayload): FormBlock => ({
  id: ask.id,
  type: 'tool',
  tool_name: FORM_TOOL,
  tool_use_id: ask.toolCallId,
  status: 'pending',
  render_payload: payload,
});

/** The block in the metadata of a thread item. Only the server posts one: outputs have no such field, posts no type. */
export const blockOf = (metadata: Record<string, unknown> | undefined): FormBlock | undefined =>
  metadata?.type === 'tool_call' ? (metadata.block as FormBlock | undefined) : undefined;
