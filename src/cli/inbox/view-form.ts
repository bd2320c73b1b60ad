// Draws the form of a question set: one question at a time with the cursor, the selected options and the text being typed,
// and a review of all answers before they are sent.
import type { Question } from '../../core/question.ts';
import { wrap } from '../text/layout.ts';
import { optionLines, questionHead } from '../text/question-text.ts';
import { type Line, line, type Span, span } from '../text/spans.ts';
import { exact, oneLine } from '../text/terminal-text.ts';
import { type Form, isOtherRow, isReview, questionOf, rowCount } from './form.ts';
import type { Body } from './view.ts';
import { fieldWindow } from './view-footer.ts';

/** Previews are cut here: a form scrolls no further than the row of its cursor. */
const PREVIEW_ROWS = 12;

/** Whether all questions have been on the screen by now, without a preview that was cut. */
export function wasShownWhole(form: Form, width: number): boolean {
  const isAtEnd = form.questions.length === 1 || isReview(form);
  const isCut = (question: Question, n: number) =>
    optionLines(question, n, width).length > optionLines(question, n, width, { previewRows: PREVIEW_ROWS }).length;
  return isAtEnd && !form.questions.some((question) => question.options.some((_, n) => isCut(question, n)));
}

export function formLines(form: Form, width: number): Body {
  const question = questionOf(form);
  if (isReview(form) || !question) return { lines: reviewLines(form, width) };
  const position = form.questions.length > 1 ? `${form.step + 1} of ${form.questions.length}` : '';
  const lines: Line[] = [...questionHead(question, position, width), []];
  let focus: Body['focus'];
  for (let row = 0; row < rowCount(question); row++) {
    const from = lines.length;
    const { shown, column } = rowLines(form, question, row, width);
    lines.push(...shown);
    if (row === form.row) focus = { from, to: lines.length - 1, column };
  }
  if (form.complaint !== undefined) lines.push([], ...wrap(line(span(form.complaint, 'warn')), width));
  return { lines, focus: focus && { ...focus, to: form.complaint === undefined ? focus.to : lines.length - 1 } };
}

function rowLines(form: Form, question: Question, row: number, width: number): { shown: Line[]; column?: number } {
  const cursor = span(row === form.row ? '› ' : '  ', 'accent');
  if (!isOtherRow(question, row)) {
    const isChosen = (form.chosen[form.step] ?? []).includes(question.options[row]?.id ?? '');
    return {
      shown: optionLines(question, row, width, {
        mark: [cursor, ...mark(question, isChosen)],
        previewRows: PREVIEW_ROWS,
      }),
    };
  }
  const text = form.texts[form.step] ?? '';
  const label = question.options.length > 0 ? 'o  Other: ' : '';
  const head: Span[] = [cursor, span(label, 'dim')];
  if (form.field) {
    const before = 2 + label.length;
    const { shown, column } = fieldWindow(form.field, width - before, question.secret === true);
    return { shown: [[...head, span(shown)]], column: before + column };
  }
  const typed = question.secret ? '•'.repeat(Math.min(12, text.length)) : exact(text);
  return { shown: [[...head, text === '' ? span('your own text', 'dim') : span(typed, 'chosen')]] };
}

function mark(question: Question, isChosen: boolean): Span[] {
  const signs = question.multi_select ? (['[x]', '[ ]'] as const) : (['(•)', '( )'] as const);
  return [span(isChosen ? signs[0] : signs[1], isChosen ? 'chosen' : 'dim')];
}

function reviewLines(form: Form, width: number): Line[] {
  const answers = form.questions.flatMap((question, i) => {
    const labels = (form.chosen[i] ?? []).map((id) => question.options.find((o) => o.id === id)?.label ?? id);
    const text = (form.texts[i] ?? '').trim();
    const said = [...labels, ...(text === '' ? [] : [question.secret ? '(secret)' : text])].join(', ');
    const value = said === '' ? span('(skipped)', 'dim') : span(oneLine(said), 'chosen');
    return wrap(line(span(`${oneLine(question.header)}: `, 'accent'), value), width, 2);
  });
  return [
    line(span('Your answers', 'bold')),
    [],
    ...answers,
    [],
    line(span('Enter sends these answers, Esc goes back.', 'dim')),
  ];
}
