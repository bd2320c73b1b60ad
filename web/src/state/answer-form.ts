// Holds the answers to a set of questions while they are entered. Pure. Recommended options are preselected; a draft from the
// server never replaces what the person changed here, unless it is newer. Secrets are in no draft.
import type { QuestionAnswer } from '../../../src/core/answer.ts';
import type { Question } from '../../../src/core/question.ts';

export interface Field {
  readonly chosen: readonly string[];
  readonly text: string;
  /** "Other" is chosen, so the text is part of the answer. Always true without options. */
  readonly isOther: boolean;
  /** The person changed it. */
  readonly isTouched: boolean;
}
export type AnswerForm = ReadonlyMap<string, Field>;

type DraftAnswer = Pick<QuestionAnswer, 'question_id' | 'selected_option_ids' | 'freeform_answer'>;

export const openForm = (questions: readonly Question[]): AnswerForm =>
  new Map(questions.map((question) => [question.id, initialField(question)]));

/** The default, else the recommended options; only the first where one may be chosen. */
function initialField(question: Question): Field {
  const defaults = [question.default ?? []].flat();
  const isText = question.options.length === 0;
  if (isText) return { chosen: [], text: defaults[0] ?? '', isOther: true, isTouched: false };
  const byDefault = question.options.filter((o) => defaults.some((d) => d === o.value || d === o.id || d === o.label));
  const wanted = defaults.length > 0 ? byDefault : question.options.filter((o) => o.recommended);
  const chosen = wanted.map((option) => option.id);
  return { chosen: question.multi_select ? chosen : chosen.slice(0, 1), text: '', isOther: false, isTouched: false };
}

const EMPTY: Field = { chosen: [], text: '', isOther: false, isTouched: false };
export const fieldOf = (form: AnswerForm, id: string): Field => form.get(id) ?? EMPTY;

const withField = (form: AnswerForm, id: string, change: Partial<Field>): AnswerForm =>
  new Map(form).set(id, { ...fieldOf(form, id), ...change, isTouched: true });

/** Selects an option; where several may be chosen, toggles it. */
export function choose(form: AnswerForm, question: Question, optionId: string): AnswerForm {
  const { chosen } = fieldOf(form, question.id);
  if (!question.multi_select) return withField(form, question.id, { chosen: [optionId], isOther: false });
  const without = chosen.filter((id) => id !== optionId);
  return withField(form, question.id, { chosen: chosen.includes(optionId) ? without : [...chosen, optionId] });
}

/** Replaces the selected option, unless several may be chosen. */
export function toggleOther(form: AnswerForm, question: Question, isOther: boolean): AnswerForm {
  return withField(form, question.id, { isOther, ...(isOther && !question.multi_select && { chosen: [] }) });
}

export function write(form: AnswerForm, question: Question, text: string): AnswerForm {
  return withField(toggleOther(form, question, true), question.id, { text });
}

/** What is sent. Questions without an answer are left out; the server decides whether that is allowed. */
export function answersOf(questions: readonly Question[], form: AnswerForm): QuestionAnswer[] {
  return questions.flatMap((question) => {
    const { chosen, text, isOther } = fieldOf(form, question.id);
    const typed = isOther && text.trim() !== '' ? (question.secret ? text : text.trim()) : '';
    if (chosen.length === 0 && typed === '') return [];
    return [
      {
        question_id: question.id,
        ...(chosen.length > 0 && { selected_option_ids: [...chosen] }),
        ...(typed !== '' && { freeform_answer: typed }),
      },
    ];
  });
}

/** What to say at each required question without an answer. */
export function missing(questions: readonly Question[], form: AnswerForm): Map<string, string> {
  const given = new Set(answersOf(questions, form).map((answer) => answer.question_id));
  const open = questions.filter((question) => question.required && !given.has(question.id));
  return new Map(
    open.map((question) => [
      question.id,
      question.options.length === 0
        ? 'Write an answer.'
        : question.allow_other
          ? 'Choose an option, or write your own.'
          : 'Choose an option.',
    ]),
  );
}

/** What the person changed, without secrets. */
export function draftOf(questions: readonly Question[], form: AnswerForm): DraftAnswer[] {
  return questions.flatMap((question) => {
    const { chosen, text, isTouched, isOther } = fieldOf(form, question.id);
    if (!isTouched || question.secret) return [];
    return [
      {
        question_id: question.id,
        selected_option_ids: [...chosen],
        ...(isOther && { freeform_answer: text }),
      },
    ];
  });
}

/**
 * Fills in a draft. What the person changed here stays, unless the draft is newer: typed later, in another window. Answers
 * that do not match the questions are ignored.
 */
export function withDraft(
  questions: readonly Question[],
  form: AnswerForm,
  draft: readonly DraftAnswer[],
  isNewer = false,
): AnswerForm {
  const merged = new Map(form);
  for (const saved of draft) {
    const question = questions.find(({ id }) => id === saved.question_id);
    if (!question || question.secret || (fieldOf(form, question.id).isTouched && !isNewer)) continue;
    const known = (saved.selected_option_ids ?? []).filter((id) => question.options.some((o) => o.id === id));
    const isOther = saved.freeform_answer !== undefined || question.options.length === 0;
    merged.set(question.id, { chosen: known, text: saved.freeform_answer ?? '', isOther, isTouched: true });
  }
  return merged;
}
