// Validates an answer to a question set: the order of checks is part of the contract, the first failure wins. Author,
// instant and winner are decided in ask.ts.
import { z } from 'zod';
import { type Refusal, refuse } from './errors.ts';
import { Always } from './grant.ts';
import type { Question } from './question.ts';
import { truncate } from './text-limit.ts';

export const LONGEST_NOTE = 20_000;
export const LONGEST_TEXT = 200_000;
/** The most of a question or label that an error quotes. */
const LONGEST_NAME = 100;

const note = z.string().max(LONGEST_NOTE);

export const QuestionAnswer = z.strictObject({
  freeform_answer: z.string().max(LONGEST_TEXT).optional(),
  question_id: z.string().min(1).max(128),
  selected_option_ids: z.array(z.string().max(128)).max(100).optional(),
});
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

export const QuestionResolution = z.strictObject({
  request_id: z.string().min(1).max(256),
  answers: z.array(QuestionAnswer).max(100).optional(),
  declined: z.boolean().optional(),
  justification: note.optional(),
});
export type QuestionResolution = z.infer<typeof QuestionResolution>;

export const ApprovalResolution = z.strictObject({
  request_id: z.string().min(1).max(256),
  behavior: z.enum(['allow', 'deny']),
  updated_input: z.record(z.string(), z.unknown()).optional(),
  /** Suggestions of the agent that are accepted with it (such as "do not ask again in this session"). */
  suggestion_ids: z.array(z.string().min(1).max(128)).max(100).optional(),
  always: Always.optional().describe('With `allow`: from now on, without asking'),
  justification: note.optional(),
  reason: note.optional(),
});
export type ApprovalResolution = z.infer<typeof ApprovalResolution>;

export const DEFAULT_DENIAL = 'approval denied';

/** The caller has matched the request id. */
export function checkAnswers(
  questions: readonly Question[],
  resolution: Omit<QuestionResolution, 'request_id'>,
): Refusal | undefined {
  const answers = resolution.answers ?? [];
  if (resolution.declined) {
    if (answers.length === 0) return undefined;
    return refuse('question_declined_with_answers', 'A declined question takes no answers: leave `answers` empty.');
  }
  const byQuestion = new Map<string, QuestionAnswer>();
  for (const answer of answers) {
    if (byQuestion.has(answer.question_id))
      return refuse('question_duplicate_answer', `Question "${answer.question_id}" was answered more than once.`);
    byQuestion.set(answer.question_id, answer);
  }
  for (const question of questions) {
    const refusal = checkOne(question, byQuestion.get(question.id));
    if (refusal) return { ...refusal, more: { question_id: question.id } };
    byQuestion.delete(question.id);
  }
  const [unknown] = byQuestion.keys();
  if (unknown === undefined) return undefined;
  const known = questions.map((q) => q.id).join(', ');
  return refuse('question_unknown_answer', `There is no question "${unknown}" in this request. It asks: ${known}.`);
}

function checkOne(question: Question, answer: QuestionAnswer | undefined): Refusal | undefined {
  const name = nameOf(question);
  if (!answer) {
    if (!question.required) return undefined;
    return refuse('question_answer_missing', `${name} must be answered.`);
  }
  const chosen = answer.selected_option_ids ?? [];
  if (chosen.length > 1 && !question.multi_select)
    return refuse('question_single_select_violation', `${name} takes one option; ${chosen.length} were selected.`);
  const known = question.options.map((o) => o.id);
  const seen = new Set<string>();
  for (const option of chosen) {
    if (seen.has(option))
      return refuse(
        'question_duplicate_option',
        `${name}: option "${optionName(question, option)}" was selected twice.`,
      );
    seen.add(option);
    if (!known.includes(option)) return refuse('question_option_not_found', notAnOption(name, option, known));
  }
  const typed = (answer.freeform_answer ?? '').trim();
  if (chosen.length === 0 && typed === '')
    return refuse('question_answer_empty', `${name} needs an option or some text; white space alone is no answer.`);
  if (typed !== '' && !question.allow_other)
    return refuse('question_option_not_found', `${name} takes one of its options only: ${labelsOf(question)}.`);
  return undefined;
}

/** A generated id was shown to no one: the question is named by its text, the option by its label. */
const nameOf = ({ id, question }: Question): string =>
  `Question "${/^question-\d+$/.test(id) ? truncate(question, LONGEST_NAME) : id}"`;

const optionName = ({ options }: Question, id: string): string =>
  /^option-\d+$/.test(id) ? truncate(options.find((o) => o.id === id)?.label ?? id, LONGEST_NAME) : id;

const labelsOf = ({ options }: Question): string => options.map((o, i) => `${i + 1}. ${o.label}`).join(', ');

function notAnOption(name: string, option: string, known: readonly string[]): string {
  if (known.length === 0) return `${name} has no options: answer it with free text, not with option "${option}".`;
  return `${name} has no option "${option}". Its options are: ${known.join(', ')}.`;
}

/** A one-line summary of the answers, for the agent and the thread. */
export function summarise(questions: readonly Question[], answers: readonly QuestionAnswer[]): string {
  const lines = questions.flatMap((question) => {
    const answer = answers.find((a) => a.question_id === question.id);
    if (!answer) return [];
    return [`${question.question}: ${answerText(question, answer)}`];
  });
  return lines.join('\n');
}

/** The answer alone: labels joined with ", ", or the text; both when both were given. One line for each question. */
export function answerOnly(questions: readonly Question[], answers: readonly QuestionAnswer[]): string {
  const lines = questions.flatMap((question) => {
    const answer = answers.find((a) => a.question_id === question.id);
    if (!answer) return [];
    const chosen = (answer.selected_option_ids ?? []).length > 0;
    const note = chosen && answer.freeform_answer?.trim() ? ` (${answer.freeform_answer})` : '';
    return [answerText(question, answer) + note];
  });
  return lines.join('\n');
}

function answerText(question: Question, answer: QuestionAnswer): string {
  const labels = (answer.selected_option_ids ?? []).map((id) => question.options.find((o) => o.id === id)?.label ?? id);
  if (labels.length > 0) return labels.join(', ');
  return question.secret ? '(secret)' : (answer.freeform_answer ?? '');
}
