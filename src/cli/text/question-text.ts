// Renders a question set for a terminal: the context, each question with its notes, and its numbered options with
// previews. The line prompts and the form of the inbox draw single questions with it.
import type { Question } from '../../core/question.ts';
import type { UserQuestionRequest } from '../../core/views.ts';
import { indented, quoted, wrap } from './layout.ts';
import { markdownLines } from './markdown-text.ts';
import { type Line, line, type Span, span } from './spans.ts';
import { exact, oneLine, prose } from './terminal-text.ts';

/** How one of several questions is numbered. */
export type Position = (index: number, count: number) => string;

const ofAll: Position = (index, count) => `${index + 1} of ${count}`;

export function questionLines(request: UserQuestionRequest, width: number, position = ofAll): Line[] {
  const { length } = request.questions;
  const asked = request.questions.flatMap((question, i) => [
    ...(i > 0 ? [[]] : []),
    ...questionHead(question, length > 1 ? position(i, length) : '', width),
    // Lists and tables of the question would run into the options.
    ...(question.question.trim().includes('\n') && question.options.length > 0 ? [[]] : []),
    ...question.options.flatMap((_, n) => optionLines(question, n, width)),
  ]);
  return [...contextLines(request, width), ...asked];
}

/** What the person needs to know before answering. */
export const contextLines = ({ context }: UserQuestionRequest, width: number): Line[] =>
  context ? [...markdownLines(prose(context), width, 'dim'), []] : [];

export function questionHead(question: Question, position: string, width: number): Line[] {
  const notes = [
    position,
    question.multi_select && 'select any number',
    !question.required && 'optional',
    question.secret && 'secret',
  ];
  const head: Line = line(
    span(oneLine(question.header), 'accent'),
    span(
      notes
        .filter(Boolean)
        .map((note) => `  ${note}`)
        .join(''),
      'dim',
    ),
  );
  return [...wrap(head, width), ...questionText(question, width)];
}

/** A question of one line stands out; in a longer one, what its Markdown makes stand out does. */
function questionText({ question }: Question, width: number): Line[] {
  const text = prose(question).trimEnd();
  return markdownLines(text, width, text.includes('\n') ? 'plain' : 'bold');
}

interface OptionStyle {
  /** Drawn before the number. */
  mark?: readonly Span[];
  /** Longer previews are cut; unlimited by default. */
  previewRows?: number;
}

/** ` 1. Label`, with the description and preview of the option below it. */
export function optionLines(question: Question, index: number, width: number, style: OptionStyle = {}): Line[] {
  const option = question.options[index];
  if (!option) return [];
  const { mark = [], previewRows = Number.POSITIVE_INFINITY } = style;
  const isDefault = [question.default ?? []].flat().includes(option.value);
  const note = [option.recommended && 'recommended', isDefault && 'default'].filter(Boolean).join(', ');
  const label = line(
    ...mark,
    span(`${String(index + 1).padStart(2)}. `, 'dim'),
    span(oneLine(option.label), 'bold'),
    span(isMeaningful(option) ? `  ${oneLine(option.id)}` : '', 'dim'),
    span(note ? `  (${note})` : '', 'good'),
  );
  const below = 4 + mark.reduce((sum, s) => sum + s.text.length, 0);
  const text = option.description ? markdownLines(prose(option.description), width - below, 'dim') : [];
  const preview = option.preview ? quoted(exact(option.preview.replace(/\n$/, '')), width - below) : [];
  // A single line is shown: the note that replaces it would take as much room.
  const isCut = preview.length > previewRows + 1;
  const cut = isCut ? [line(span(`│ … ${preview.length - previewRows} more lines`, 'dim'))] : [];
  return [
    ...wrap(label, width, below),
    ...indented([...text, ...(isCut ? preview.slice(0, previewRows) : preview), ...cut], below),
  ];
}

/** Hides ids that were generated or only repeat the label. */
const isMeaningful = ({ id, label }: { id: string; label: string }): boolean =>
  !/^option-\d+$/.test(id) && id.toLowerCase() !== label.toLowerCase();
