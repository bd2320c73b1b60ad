// Key presses in the form of a question set. Pure. Enter selects the option under the cursor and advances; Escape goes
// back, and from the first question leaves the form without an answer. Letters are never
// commands here: they begin a text where one is accepted.
import {
  choose,
  commitText,
  discardText,
  type Form,
  goTo,
  isOtherRow,
  isReview,
  move,
  next,
  openText,
  questionOf,
} from './form.ts';
import { edit, type Key } from './text-field.ts';

export interface FormPress {
  form: Form;
  does?: 'leave' | 'send';
}

export function pressInForm(form: Form, key: Key): FormPress {
  if (form.field) return inText(form, key);
  if (isReview(form)) return inReview(form, key);
  const question = questionOf(form);
  if (!question) return { form, does: 'leave' };
  if (/^[1-9]$/.test(key.name)) return { form: choose(form, Number(key.name) - 1) };
  switch (key.name) {
    case 'down':
      return { form: move(form, 1) };
    case 'up':
      return { form: move(form, -1) };
    case ' ':
      return { form: choose(form, form.row) };
    case 'tab':
      return { form: next(form) };
    case 'escape':
    case 'left':
      return form.step === 0 ? { form, does: 'leave' } : { form: goTo(form, form.step - 1) };
    case 'return':
      return { form: entered(form) };
  }
  if (!key.text?.trim()) return { form };
  const opened = openText(form);
  return { form: opened.field ? { ...opened, field: edit(opened.field, key) } : opened };
}

/** Selects and advances; where several may be selected and some are, only advances. */
function entered(form: Form): Form {
  const question = questionOf(form);
  if (!question) return form;
  const hasChosen = (form.chosen[form.step] ?? []).length > 0;
  if (isOtherRow(question, form.row)) {
    return (form.texts[form.step] ?? '') === '' ? choose(form, form.row) : next(form);
  }
  if (question.multi_select && hasChosen) return next(form);
  return next(choose(form, form.row));
}

function inText(form: Form, key: Key): FormPress {
  const question = questionOf(form);
  if (key.name === 'escape') {
    if (question && question.options.length > 0) return { form: discardText(form) };
    return form.step === 0 ? { form, does: 'leave' } : { form: goTo(form, form.step - 1) };
  }
  if (key.name === 'return') return { form: next(commitText(form)) };
  if (!form.field) return { form };
  return { form: { ...form, field: edit(form.field, key), complaint: undefined } };
}

function inReview(form: Form, key: Key): FormPress {
  if (key.name === 'return') return { form, does: 'send' };
  if (['escape', 'left', 'q', 'b'].includes(key.name)) return { form: goTo(form, form.questions.length - 1) };
  return { form };
}
