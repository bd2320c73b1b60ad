// The answers to a question set while they are being given, question by question: pure. Becomes a resolution only when
// every required question has one; an option is chosen only by the person.
import type { QuestionAnswer } from '../../core/answer.ts';
import type { Question } from '../../core/question.ts';
import { fieldOf, type TextField } from './text-field.ts';

export interface Form {
  readonly questions: readonly Question[];
  /** The question that is shown; one past the last is the look at everything before it is sent. */
  readonly step: number;
  /** The row the cursor is on: an option, or past them "Other". */
  readonly row: number;
  readonly chosen: readonly (readonly string[])[];
  readonly texts: readonly string[];
  /** Text is being typed. */
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
  if (!question?.allow_other) return { ...form, complaint: 'Only the options count here.' };
  const preset = question.options.length === 0 && typeof question.default === 'string' ? question.default : '';
  const text = form.texts[form.step] || preset;
  return { ...form, row: question.options.length, field: fieldOf(text), complaint: undefined };
}

/** The cursor moves; at the ends it stays. */
export function move(form: Form, by: number): Form {
  const question = questionOf(form);
  if (!question) return form;
  const row = Math.min(rowCount(question) - 1, Math.max(0, form.row + by));
  return { ...form, row, complaint: undefined };
}

/** Chooses the row, or takes the choice back where several may be chosen. */
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

/** What was typed counts from now on. */
export const keepText = (form: Form): Form =>
  form.field ? { ...form, texts: form.texts.with(form.step, form.field.text), field: undefined } : form;

export const dropText = (form: Form): Form => ({ ...form, field: undefined, complaint: undefined });

/** To the next question, if this one has what it needs. One question needs no look back: `isReview` ends it. */
export function next(form: Form): Form {
  const question = questionOf(form);
  if (!question) return form;
  const isEmpty = (form.chosen[form.step] ?? []).length === 0 && (form.texts[form.step] ?? '').trim() === '';
  if (isEmpty && question.required) {
    const complaint =
      question.options.length > 0 ? 'Choose an option, or o for a text of your own.' : 'An answer is needed.';
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
