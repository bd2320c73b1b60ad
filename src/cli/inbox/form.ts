// The form in which a person answers a question set, as a value: the current question, the selected options and the texts.
// Pure. Nothing is preselected, and `next` refuses to pass a required question without an answer.
import type { QuestionAnswer } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import { fieldOf, type TextField } from './text-field.ts';

export interface Form {
  readonly questions: readonly Question[];
  /** The question that is shown; one past the last is the review. */
  readonly step: number;
  /** The row under the cursor: an option, or "Other" after them. */
  readonly row: number;
  readonly chosen: readonly (readonly string[])[];
  readonly texts: readonly string[];
  /** The text field, while it is open. */
  readonly field: TextField | undefined;
  readonly complaint: string | undefined;
}

export function openForm(questions: readonly Question[]): Form {
  const blank = { step: -1, row: 0, chosen: questions.map(() => []), texts: questions.map(() => '') };
  return goTo({ ...blank, questions, field: undefined, complaint: undefined }, 0);
}

export const questionOf = (form: Form): Question | undefined => form.questions[form.step];
export const isReview = (form: Form): boolean => form.step >= form.questions.length;

/** Rows the cursor can be on. */
export const rowCount = (question: Question): number => question.options.length + (question.allow_other ? 1 : 0);
export const isOtherRow = (question: Question, row: number): boolean => row >= question.options.length;

export function goTo(form: Form, step: number): Form {
  const question = form.questions[step];
  const plain = { ...form, step, field: undefined, complaint: undefined, row: 0 };
  if (!question) return plain;
  const chosen = form.chosen[step]?.[0];
  const recommended = question.options.findIndex((o) => (chosen === undefined ? o.recommended : o.id === chosen));
  const at = { ...plain, row: Math.max(0, recommended) };
  return question.options.length === 0 ? openText(at) : at;
}

export function openText(form: Form): Form {
  const question = questionOf(form);
  if (!question?.allow_other) return { ...form, complaint: 'Only the listed options are accepted.' };
  const preset = question.options.length === 0 && typeof question.default === 'string' ? question.default : '';
  const text = form.texts[form.step] || preset;
  return { ...form, row: question.options.length, field: fieldOf(text), complaint: undefined };
}

/** Moves the cursor, and stops at both ends. */
export function move(form: Form, by: number): Form {
  const question = questionOf(form);
  if (!question) return form;
  const row = Math.min(rowCount(question) - 1, Math.max(0, form.row + by));
  return { ...form, row, complaint: undefined };
}

/** Selects the row, or toggles it where several may be selected. */
export function choose(form: Form, row: number): Form {
  const question = questionOf(form);
  if (!question || row >= rowCount(question)) return form;
  if (isOtherRow(question, row)) return openText(form);
  const id = question.options[row]?.id ?? '';
  const before = form.chosen[form.step] ?? [];
  const without = before.filter((other) => other !== id);
  const after = question.multi_select ? (before.includes(id) ? without : [...before, id]) : [id];
  return { ...form, row, complaint: undefined, chosen: form.chosen.with(form.step, after) };
}

/** Takes the typed text as the answer. */
export const commitText = (form: Form): Form =>
  form.field ? { ...form, texts: form.texts.with(form.step, form.field.text), field: undefined } : form;

export const discardText = (form: Form): Form => ({ ...form, field: undefined, complaint: undefined });

/** Goes to the next question, if this one has the answer it requires. */
export function next(form: Form): Form {
  const question = questionOf(form);
  if (!question) return form;
  const isEmpty = (form.chosen[form.step] ?? []).length === 0 && (form.texts[form.step] ?? '').trim() === '';
  if (isEmpty && question.required) {
    const complaint =
      question.options.length > 0 ? 'Choose an option, or type your own answer.' : 'An answer is required.';
    return question.options.length === 0 ? { ...openText(form), complaint } : { ...form, complaint };
  }
  return goTo(form, form.step + 1);
}

export function answersOf(form: Form): QuestionAnswer[] {
  return form.questions.flatMap((question, i) => {
    const ids = form.chosen[i] ?? [];
    const typed = form.texts[i] ?? '';
    const text = question.secret ? typed : typed.trim();
    if (ids.length === 0 && text.trim() === '') return [];
    return [
      {
        question_id: question.id,
        ...(ids.length > 0 && { selected_option_ids: [...ids] }),
        ...(text.trim() !== '' && { freeform_answer: text }),
      },
    ];
  });
}
