// Renders an ask for a terminal: one line for lists, and the whole request with commands highlighted, file changes as a
// diff and questions with numbered options. `show`, `run`, `demo` and the inbox share it. Nothing in the input of an
// approval is left out: fields without a renderer are printed as JSON.
import { type AskRequest, isPlan, isQuestion, summaryLine } from '../../client/action-summary.ts';
import { fileChangeOf } from '../../client/file-change.ts';
import type { ApprovalRequest } from '../../core/views.ts';
import { inputDiff, unifiedDiff } from './file-change.ts';
import { jsonLines, shellLines } from './highlight.ts';
import { indented, paragraph, quoted, wrap, wrapAll } from './layout.ts';
import { markdownLines, withoutMarks } from './markdown-text.ts';
import { type Position, questionLines } from './question-text.ts';
import { type Line, line, span } from './spans.ts';
import { exact, oneLine, prose } from './terminal-text.ts';

/** The request on one line. */
export const summary = (request: AskRequest): string =>
  isQuestion(request) ? withoutMarks(oneLine(summaryLine(request))) : oneLine(exact(summaryLine(request)));

export const requestLines = (request: AskRequest, width: number, position?: Position): Line[] =>
  isQuestion(request)
    ? [...lineageLines(request, width), ...questionLines(request, width, position)]
    : approvalLines(request, width);

/** Adds the folder of the session, which a request names only where it runs in another one. */
export const withFolder = (request: AskRequest, sessionFolder: string | undefined): AskRequest =>
  isQuestion(request) ? request : { ...request, work_folder: request.work_folder ?? sessionFolder };

/** Names the folder of an action after its `summary`; empty for a question. */
export function folderSuffix(request: AskRequest, sessionFolder: string | undefined): string {
  const folder = isQuestion(request) ? undefined : (request.work_folder ?? sessionFolder);
  return folder ? `  in ${oneLine(folder)}` : '';
}

/** The request under a mark that sets it apart from the output around it. */
export function cardLines(request: AskRequest, width: number): Line[] {
  const [first = [], ...rest] = requestLines(request, width - 2);
  return [[span(isQuestion(request) ? '? ' : '! ', 'warn'), ...first], ...indented(rest, 2)];
}

export function approvalLines(request: ApprovalRequest, width: number): Line[] {
  const { plan, ...rest } = request.input;
  // The plan is the reason and the input alike.
  const isOfPlan = isPlan(request);
  const lines: Line[] = [approvalTitle(request)];
  lines.push(...lineageLines(request, width));
  if (request.work_folder) lines.push(...wrap(line(span(`in ${oneLine(request.work_folder)}`, 'dim')), width));
  if (request.reason && !isOfPlan) lines.push(...paragraph(prose(request.reason), width, 'dim'));
  if (request.asked_because)
    lines.push(...paragraph(`Asked because ${prose(request.asked_because.why)}`, width, 'dim'));
  if (request.earlier) lines.push(...paragraph(earlierText(request.earlier), width, 'warn'));
  if (isOfPlan) lines.push([], ...markdownLines(exact(request.reason).trimEnd(), width, 'plain'));
  if (!isOfPlan || Object.keys(rest).length > 0) lines.push([], ...actionLines(isOfPlan ? rest : request.input, width));
  if (request.diff) lines.push([], ...wrapAll(unifiedDiff(request.diff), width, 1));
  for (const file of request.files ?? [])
    if (file.text !== undefined) lines.push([], ...fileLines(file, request.input, width));
  return lines;
}

/** What the person is asked: `Allow Bash?` */
export const approvalTitle = (request: ApprovalRequest): Line =>
  isPlan(request)
    ? line(span('Approve this plan?', 'bold'))
    : line(span('Allow ', 'bold'), span(oneLine(request.tool_name), 'accent'), span('?', 'bold'));

type NamedFile = NonNullable<ApprovalRequest['files']>[number];

function fileLines({ path, text = '' }: NamedFile, input: ApprovalRequest['input'], width: number): Line[] {
  const what = fileChangeOf(input) ? ', which this replaces:' : ', which the command runs:';
  const title = line(span(exact(path).replaceAll('\n', '␊'), 'accent'), span(what, 'dim'));
  return [...wrap(title, width), ...quoted(exact(text.trimEnd()), width)];
}

/** An earlier decision that was lost with its worker before the agent received it. */
function earlierText({ behavior, answered_by, reason }: NonNullable<ApprovalRequest['earlier']>): string {
  const why = reason ? ` (${oneLine(reason)})` : '';
  return `Before the worker was lost, ${oneLine(answered_by)} ${behavior === 'allow' ? 'allowed' : 'denied'} this${why}. Decide again.`;
}

/** The sub-agent that asks, if it is not the session's own agent. */
const lineageLines = ({ lineage }: AskRequest, width: number): Line[] =>
  lineage ? wrap(line(span(`asked by ${lineage.map(oneLine).join(' › ')}`, 'dim')), width) : [];

interface Suggestion {
  id: string;
  label: string;
}

/** What the agent suggests allowing along with the action; only suggestions with a label that says how far they go. */
export const suggestionsOf = ({ suggestions = [] }: ApprovalRequest): Suggestion[] =>
  suggestions.filter((one): one is Suggestion => {
    const { id, label } = Object(one) as { id?: unknown; label?: unknown };
    return typeof id === 'string' && typeof label === 'string';
  });

/** The input of the action: what would run. */
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
  if (change) lines.push(...wrapAll(change.lines, width, 1));
  return lines;
}

function fieldLines(key: string, value: unknown, width: number): Line[] {
  const name = span(`${exact(key).replaceAll('\n', '␊')}: `, 'accent');
  if (typeof value === 'string' && !value.includes('\n')) return wrap(line(name, exact(value)), width, 2);
  if (typeof value === 'string') return [line(name), ...quoted(exact(value), width)];
  const [first = [], ...rest] = jsonLines(value);
  return wrapAll([[name, ...first], ...rest], width, 2);
}
