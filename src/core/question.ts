// Defines the question set of an agent, and completes a loosely written one. Owns shapes, defaults and uniqueness rules;
// answer.ts validates answers.
import { z } from 'zod';
import { type Refusal, refuse } from './errors.ts';

const text = (max: number) => z.string().max(max);
const id = z.string().trim().min(1).max(128);

export const OptionInput = z.strictObject({
  description: text(4000).optional(),
  id: id.optional(),
  label: z.string().trim().min(1).max(4000),
  preview: text(20_000).optional(),
  recommended: z.boolean().optional(),
  value: text(4000).optional(),
});

export const QuestionInput = z.strictObject({
  id: id.optional(),
  header: text(200).optional(),
  question: z.string().trim().min(1).max(20_000),
  options: z.array(OptionInput).max(50).optional(),
  multi_select: z.boolean().optional(),
  required: z.boolean().optional(),
  allow_other: z.boolean().optional(),
  placeholder: text(4000).optional(),
  default: z.union([text(4000), z.array(text(4000)).max(50)]).optional(),
  secret: z.boolean().optional(),
});
export type QuestionInput = z.infer<typeof QuestionInput>;

export const QuestionInputs = z.array(QuestionInput).min(1).max(20);

export const Option = z.object({
  id: z.string(),
  label: z.string(),
  value: z.string(),
  description: z.string().optional(),
  preview: z.string().optional(),
  recommended: z.boolean().optional(),
});

export const Question = z.object({
  id: z.string(),
  header: z.string(),
  question: z.string(),
  options: z.array(Option),
  multi_select: z.boolean(),
  required: z.boolean(),
  allow_other: z.boolean(),
  placeholder: z.string().optional(),
  default: z.union([z.string(), z.array(z.string())]).optional(),
  secret: z.boolean().optional(),
});
export type Question = z.infer<typeof Question>;

export const defaultHeader = (i: number): string => `Question ${i + 1}`;

/** Fills in ids, headers and flags. The same input always becomes the same question set, its keys in canonical order. */
export function completeQuestions(inputs: readonly QuestionInput[]): Question[] {
  return inputs.map((input, i) => ({
    allow_other: input.allow_other ?? true,
    ...(input.default !== undefined && { default: input.default }),
    header: input.header ?? defaultHeader(i),
    id: input.id ?? `question-${i + 1}`,
    multi_select: input.multi_select ?? false,
    options: (input.options ?? []).map((option, n) => ({
      ...option,
      id: option.id ?? `option-${n + 1}`,
      value: option.value ?? option.label,
    })),
    ...(input.placeholder !== undefined && { placeholder: input.placeholder }),
    question: input.question,
    required: input.required ?? true,
    ...(input.secret !== undefined && { secret: input.secret }),
  }));
}

export function checkQuestions(questions: readonly Question[]): Refusal | undefined {
  const repeated = firstRepeat(questions.map((q) => q.id));
  if (repeated !== undefined) return refuse('invalid_ask', `Question ids must be unique; "${repeated}" is used twice.`);
  for (const question of questions) {
    const refusal = checkOptions(question);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkOptions(question: Question): Refusal | undefined {
  const where = `In question "${question.id}"`;
  const repeatedId = firstRepeat(question.options.map((o) => o.id));
  if (repeatedId !== undefined)
    return refuse('invalid_ask', `${where} option ids must be unique; "${repeatedId}" is used twice.`);
  const repeatedLabel = firstRepeat(question.options.map((o) => o.label.toLowerCase()));
  if (repeatedLabel !== undefined)
    return refuse('invalid_ask', `${where} labels must differ by more than case; "${repeatedLabel}" is used twice.`);
  if (question.secret && question.options.length > 0)
    return refuse('invalid_ask', `${where} a secret question takes free text only; remove its options.`);
  if (!question.allow_other && question.options.length === 0)
    return refuse('invalid_ask', `${where} allow_other is false but there are no options to choose from.`);
  return undefined;
}

function firstRepeat(values: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) return value;
    seen.add(value);
  }
  return undefined;
}
