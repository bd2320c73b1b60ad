// An ask as lines for a terminal: one line for lists, and the whole of it: the action to the letter with commands
// highlighted and file changes as a diff, or the questions with their numbered options. The same in `show`, `run`,
// `demo` and the inbox. Nothing of an approval's input is left out: what is not understood is shown as JSON.
import { isWithdrawn } from '../../core/ask.ts';
import type { Question } from '../../core/question.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../core/views.ts';
import { inputDiff, unifiedDiff } from './file-change.ts';
import { jsonLines, shellLines } from './highlight.ts';
import { indented, wrap } from './layout.ts';
import { type Line, line, type Span, span } from './spans.ts';
import { exact, oneLine, prose } from './terminal-text.ts';

export type Request = ApprovalRequest | UserQuestionRequest;
export const isQuestion = (request: Request): request is UserQuestionRequest => 'questions' in request;

/** Enough for any line; what is longer is not worth cleaning for a list. */
const SUMMARY_CHARACTERS = 2000;

/** What is asked, on one line. */
export function summary(request: Request): string {
  if (isQuestion(request)) {
    const [first] = request.questions;
    const more = request.questions.length > 1 ? ` (+${request.questions.length - 1} more)` : '';
    return oneLine((first?.question ?? '').slice(0, SUMMARY_CHARACTERS)) + more;
  }
  const { command, file_path, path, file } = request.input;
  const named = [command, file_path, path, file].find((value) => typeof value === 'string');
  const what = typeof named === 'string' ? named : JSON.stringify(request.input);
  return `${oneLine(request.tool_name)}: ${oneLine(exact(what.slice(0, SUMMARY_CHARACTERS)).replaceAll('\n', '␊'))}`;
}

export function requestLines(request: Request, width: number): Line[] {
  return isQuestion(request) ? questionsLines(request, width) : approvalLines(request, width);
}

/** With the folder it would run in, which it names by itself only where that is not the folder of its session. */
export const located = (request: Request, folder: string | undefined): Request =>
  isQuestion(request) ? request : { ...request, work_folder: request.work_folder ?? folder };

/** Where it would be done, after `summary`; nothing for a question. */
export const placeText = (request: Request, folder: string | undefined): string => {
  const place = isQuestion(request) ? undefined : (request.work_folder ?? folder);
  return place ? `  in ${oneLine(place)}` : '';
};

/** The same under a mark, to stand out among other lines. */
export function cardLines(request: Request, width: number): Line[] {
  const [first = [], ...rest] = requestLines(request, width - 2);
  return [[span(isQuestion(request) ? '? ' : '! ', 'warn'), ...first], ...indented(rest, 2)];
}

export function approvalLines(request: ApprovalRequest, width: number): Line[] {
  const lines: Line[] = [line(span('Allow ', 'bold'), span(oneLine(request.tool_name), 'accent'), span('?', 'bold'))];
  lines.push(...lineageLines(request, width));
  if (request.work_folder) lines.push(...wrap(line(span(`in ${oneLine(request.work_folder)}`, 'dim')), width));
  if (request.reason) lines.push(...paragraph(prose(request.reason), width, 'dim'));
  if (request.earlier) lines.push(...paragraph(earlierText(request.earlier), width, 'warn'));
  lines.push([], ...actionLines(request.input, width));
  if (request.diff) lines.push([], ...wrapped(unifiedDiff(request.diff), width, 1));
  const suggested = suggestionsOf(request).flatMap((one) => suggestionLines(one, width));
  return suggested.length > 0 ? [...lines, [], ...suggested] : lines;
}

/** It was decided before, and its agent was lost before it heard of it. */
function earlierText({ behavior, answered_by, reason }: NonNullable<ApprovalRequest['earlier']>): string {
  const why = reason ? ` (${oneLine(reason)})` : '';
  return `Before the worker was lost, ${oneLine(answered_by)} ${PAST[behavior]} this${why}. Decide again.`;
}

/** Which sub-agent asks, where it is not the session itself. */
const lineageLines = ({ lineage }: Request, width: number): Line[] =>
  lineage ? wrap(line(span(`asked by ${lineage.map(oneLine).join(' › ')}`, 'dim')), width) : [];

interface Suggestion {
  id: string;
  label: string;
}

/** What can be allowed along with it; only what says in words how far it goes. */
export const suggestionsOf = ({ suggestions = [] }: ApprovalRequest): Suggestion[] =>
  suggestions.filter((one): one is Suggestion => {
    const { id, label } = Object(one) as { id?: unknown; label?: unknown };
    return typeof id === 'string' && typeof label === 'string';
  });

function suggestionLines({ id, label }: Suggestion, width: number): Line[] {
  return wrap(line(span(`--suggestion ${oneLine(id)}  `, 'accent'), span(oneLine(label), 'dim')), width, 2);
}

/** What would run. */
export function actionLines(input: Record<string, unknown>, width: number): Line[] {
  const shown = new Set<string>();
  const lines: Line[] = [];
  if (typeof input.command === 'string') {
    shown.add('command');
    const command = shellLines(input.command);
    lines.push(...command.flatMap((of, i) => wrap([span(i === 0 ? '$ ' : '  ', 'dim'), ...of], width, 2)));
  }
  const change = inputDiff(input);
  for (const key of change?.keys ?? []) shown.add(key);
  for (const [key, value] of Object.entries(input)) if (!shown.has(key)) lines.push(...fieldLines(key, value, width));
  if (change) lines.push(...wrapped(change.lines, width, 1));
  return lines;
}

function fieldLines(key: string, value: unknown, width: number): Line[] {
  const name = span(`${exact(key).replaceAll('\n', '␊')}: `, 'accent');
  if (typeof value === 'string' && !value.includes('\n')) return wrap(line(name, exact(value)), width, 2);
  if (typeof value === 'string') {
    const text = exact(value).split('\n');
    return [
      line(name),
      ...wrapped(
        text.map((t) => line(span('│ ', 'bar'), t)),
        width,
        2,
      ),
    ];
  }
  const [first = [], ...rest] = jsonLines(value);
  return wrapped([[name, ...first], ...rest], width, 2);
}

export function questionsLines(request: UserQuestionRequest, width: number): Line[] {
  const several = request.questions.length > 1;
  const asked = request.questions.flatMap((question, i) => [
    ...(i > 0 ? [[]] : []),
    ...questionHead(question, several ? `${i + 1} of ${request.questions.length}` : '', width),
    ...question.options.flatMap((_, n) => optionLines(question, n, width)),
  ]);
  return [...lineageLines(request, width), ...contextLines(request, width), ...asked];
}

/** What the person should know to answer. */
export const contextLines = ({ context }: UserQuestionRequest, width: number): Line[] =>
  context ? [...paragraph(prose(context), width, 'dim'), []] : [];

export function questionHead(question: Question, place: string, width: number): Line[] {
  const notes = [
    place,
    question.multi_select && 'several may be chosen',
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
  return [...wrap(head, width), ...paragraph(prose(question.question), width, 'bold')];
}

interface OptionLook {
  /** Stands before the number. */
  mark?: readonly Span[];
  /** How much of a preview there is room for; all of it otherwise. */
  previewRows?: number;
}

/** `  1. Label  description`, with what else is known of the option below it. */
export function optionLines(question: Question, index: number, width: number, look: OptionLook = {}): Line[] {
  const option = question.options[index];
  if (!option) return [];
  const { mark = [], previewRows = Number.POSITIVE_INFINITY } = look;
  const isDefault = [question.default ?? []].flat().includes(option.value);
  const note = [option.recommended && 'recommended', isDefault && 'default'].filter(Boolean).join(', ');
  const label = line(
    ...mark,
    span(`${String(index + 1).padStart(2)}. `, 'dim'),
    span(oneLine(option.label), 'bold'),
    span(saysMore(option) ? `  ${oneLine(option.id)}` : '', 'dim'),
    span(note ? `  (${note})` : '', 'good'),
  );
  const below = 4 + mark.reduce((sum, s) => sum + s.text.length, 0);
  const text = option.description ? paragraph(prose(option.description), width - below, 'dim') : [];
  const preview = previewLines(option.preview ?? '', width - below);
  // One line takes no more room than a note that it is missing.
  const isCut = preview.length > previewRows + 1;
  const cut = isCut ? [line(span(`│ … ${preview.length - previewRows} more lines`, 'dim'))] : [];
  return [
    ...wrap(label, width, below),
    ...indented([...text, ...(isCut ? preview.slice(0, previewRows) : preview), ...cut], below),
  ];
}

/** An id that was made up, or says what the label says, is not worth its place. */
const saysMore = ({ id, label }: { id: string; label: string }): boolean =>
  !/^option-\d+$/.test(id) && id.toLowerCase() !== label.toLowerCase();

function previewLines(preview: string, width: number): Line[] {
  if (preview === '') return [];
  const lines = exact(preview.replace(/\n$/, '')).split('\n');
  return wrapped(
    lines.map((text) => line(span('│ ', 'bar'), text)),
    width,
    2,
  );
}

/** How it ended, who ended it and why, in a sentence. */
export function endText(answer: NonNullable<AskView['answer']>): string {
  if (isWithdrawn(answer))
    return `taken back by its agent${answer.justification ? `: ${oneLine(answer.justification)}` : ''}`;
  const how = answer.outcome === 'answered' ? PAST[answer.behavior ?? 'answer'] : answer.outcome;
  const why = answer.reason ?? answer.justification;
  const by = `${how} by ${oneLine(answer.answered_by)} (${answer.surface})`;
  return why ? `${by}: ${oneLine(why)}` : by;
}
const PAST = { allow: 'allowed', deny: 'denied', answer: 'answered' } as const;

/** Every answer that was given, question by question. */
export function answerLines(ask: AskView, width: number): Line[] {
  const { answer, request } = ask;
  if (!answer) return [];
  const given = (answer.answers ?? []).map((a) => {
    const asked = isQuestion(request) ? request.questions.find((q) => q.id === a.question_id) : undefined;
    const labels = (a.selected_option_ids ?? []).map((id) => asked?.options.find((o) => o.id === id)?.label ?? id);
    const text = a.secret ? '(secret)' : (a.freeform_answer ?? '');
    const said = [...labels, ...(text ? [text] : [])].join(', ');
    return line(span(`${oneLine(asked?.header ?? a.question_id)}: `, 'accent'), oneLine(said));
  });
  const changed = answer.updated_input
    ? [line(span('allowed instead', 'dim')), ...actionLines(answer.updated_input, width)]
    : [];
  return [...wrapped(given, width, 2), ...changed];
}

const wrapped = (lines: readonly Line[], width: number, indent: number): Line[] =>
  lines.flatMap((of) => wrap(of, width, indent));

const paragraph = (text: string, width: number, style: Span['style']): Line[] =>
  text.split('\n').flatMap((t) => wrap(line(span(t, style)), width));
