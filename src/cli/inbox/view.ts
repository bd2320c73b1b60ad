// Draws the terminal inbox: a pure function from its state to exactly as many lines as the terminal has rows. The list
// with a preview of the selected ask, one ask in full, its questions, or the help. screen.ts writes them.
import { isQuestion } from '../../client/action-summary.ts';
import { type InboxEntry, isOpen, openCount } from '../../client/inbox-model.ts';
import { countdown, duration } from '../../client/times.ts';
import type { AskView } from '../../core/views.ts';
import { agentName } from '../text/agent-text.ts';
import { endText } from '../text/answer-text.ts';
import { crop, fill, lineCells } from '../text/layout.ts';
import { markText } from '../text/mark-text.ts';
import { contextLines } from '../text/question-text.ts';
import { type Line, line, type Span, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { Form } from './form.ts';
import { isSending, type Mode, type State, selectedEntry, visibleEntries } from './state.ts';
import { cachedSummary, detailLines, editedLines, originLines, originOf } from './view-detail.ts';
import { fieldFooter, footer } from './view-footer.ts';
import { formLines, wasShownWhole } from './view-form.ts';
import { helpLines } from './view-help.ts';

export interface Screen {
  readonly lines: readonly Line[];
  /** The cursor of an open text field, counted from 0; hidden otherwise. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** A lower terminal has room for the list only. */
const PREVIEW_FROM_ROWS = 14;
/** A row names the session from this width on. */
const WIDE = 72;

export function view(state: State): Screen {
  const { rows, columns } = state;
  const room = bodyRows(state);
  const { lines, focus } = body(state);
  const first = firstRow(state, lines.length, focus);
  const shown = Array.from({ length: room }, (_, i) => lines[first + i] ?? []);
  const typed = 'field' in state.mode ? fieldFooter(state) : undefined;
  const lastLine = typed?.line ?? footer(state, lines.length - first - room);
  const screen = [header(state), ...shown, lastLine].slice(0, rows).map((of) => crop(of, columns));
  const inForm = focus?.column === undefined ? undefined : { row: 1 + focus.from - first, column: focus.column };
  const cursor = typed ? { row: rows - 1, column: typed.column } : inForm;
  return { lines: screen, cursor: cursor && { ...cursor, column: Math.min(cursor.column, columns - 1) } };
}

export interface Body {
  lines: Line[];
  /** The lines that must be visible, and the column of the cursor in the first of them. */
  focus?: { from: number; to: number; column?: number | undefined } | undefined;
}

function body(state: State): Body {
  const entry = selectedEntry(state);
  const { columns } = state;
  const mode = shownMode(state);
  switch (mode.name) {
    case 'help':
      return { lines: helpLines(columns) };
    case 'detail':
      return { lines: entry ? detailLines(state, entry) : [] };
    case 'edited':
      return { lines: entry ? editedLines(entry, mode.input, columns) : [] };
    case 'form':
      return formBody(state);
    default:
      return { lines: listLines(state) };
  }
}

function formBody(state: State): Body {
  const form = formIn(state);
  const entry = selectedEntry(state);
  if (!form || !entry) return { lines: [] };
  const { request } = entry.ask;
  const context = isQuestion(request) ? contextLines(request, state.columns) : [];
  const head = [...originLines(state, entry.ask), ...context];
  const { lines, focus } = formLines(form, state.columns);
  const above = head.length;
  return { lines: [...head, ...lines], focus: focus && { ...focus, from: focus.from + above, to: focus.to + above } };
}

function formIn({ mode }: State): Form | undefined {
  const shown = mode.name === 'decline' ? mode.before : mode;
  return shown.name === 'form' ? shown.form : undefined;
}

/** While a line of text is typed or Enter is awaited, the body keeps showing the mode before. */
function shownMode({ mode }: State): Mode {
  return 'before' in mode && mode.name !== 'help' ? mode.before : mode;
}

const bodyRows = ({ rows }: State): number => Math.max(1, rows - 2);
export const pageRows = (state: State): number => Math.max(1, bodyRows(state) - 1);
export const scrollLimit = (state: State): number => Math.max(0, body(state).lines.length - bodyRows(state));

function firstRow(state: State, length: number, focus: Body['focus']): number {
  const room = bodyRows(state);
  const mode = 'before' in state.mode ? state.mode.before : state.mode;
  const wanted = Math.min('scroll' in mode ? mode.scroll : 0, Math.max(0, length - room));
  if (!focus) return wanted;
  if (focus.to >= wanted + room) return Math.min(focus.from, focus.to - room + 1);
  return Math.min(wanted, focus.from);
}

function header(state: State): Line {
  const count = openCount(state.inbox);
  const waiting = count === 0 ? 'nothing waiting' : `${count} waiting`;
  const matching = visibleEntries(state).filter(isOpen).length;
  const filter = state.filter === '' ? '' : `  /${oneLine(state.filter)} (${matching})`;
  const left = line(
    span('Holdpoint', 'bold'),
    span(`  ${waiting}`, count === 0 ? 'dim' : 'warn'),
    span(filter, 'accent'),
  );
  const right = {
    connecting: span('connecting…', 'dim'),
    live: span('● live', 'good'),
    lost: span('○ no server', 'bad'),
  };
  const link = right[state.inbox.link];
  return [...fill(left, Math.max(0, state.columns - lineCells([link]))), link];
}

function listLines(state: State): Line[] {
  const entries = visibleEntries(state);
  if (entries.length === 0) return emptyLines(state);
  const height = listRows(state);
  const at = Math.max(
    0,
    entries.findIndex((entry) => entry.ask.ask_id === state.selectedId),
  );
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), entries.length - height));
  const rows = entries.slice(first, first + height).map((entry) => row(state, entry));
  if (!hasPreview(state)) return rows;
  return [...rows, rule(state, first, entries.length - first - rows.length), ...previewLines(state)];
}

const hasPreview = ({ rows }: State): boolean => rows >= PREVIEW_FROM_ROWS;

function listRows(state: State): number {
  const room = bodyRows(state);
  if (!hasPreview(state)) return room;
  return Math.max(3, Math.min(visibleEntries(state).length, Math.floor(room * 0.45)));
}

/** Rows below the list and the rule. */
const previewRows = (state: State): number =>
  bodyRows(state) - Math.min(listRows(state), visibleEntries(state).length) - 1;

function rule(state: State, above: number, below: number): Line {
  const hidden = [above > 0 ? `↑${above}` : '', below > 0 ? `↓${below}` : ''].filter(Boolean).join(' ');
  const text = hidden === '' ? '' : ` ${hidden} `;
  return line(span(`${'─'.repeat(Math.max(0, state.columns - text.length - 2))}${text}──`, 'bar'));
}

/** The selected ask below the list. Lines that do not fit are counted: a part must not pass for the whole. */
function previewLines(state: State): Line[] {
  const entry = selectedEntry(state);
  if (!entry) return [];
  const lines = detailLines(state, entry, 'short');
  const room = previewRows(state);
  if (lines.length <= room) return lines;
  const hidden = lines.length - room + 1;
  return [...lines.slice(0, room - 1), line(span(`… ${hidden} more lines: enter shows them`, 'warn'))];
}

/** Whether the preview shows all of the selected ask. */
export function isWholeInPreview(state: State): boolean {
  const entry = selectedEntry(state);
  if (!entry || !hasPreview(state)) return false;
  return detailLines(state, entry, 'short').length <= previewRows(state);
}

/** The open ask that is on the screen in full, or in a view of its own. */
export function askInSight(state: State): AskView | undefined {
  const entry = selectedEntry(state);
  if (!entry || !isOpen(entry) || state.mode.name === 'help') return undefined;
  const form = formIn(state);
  const isList = shownMode(state).name === 'list';
  const isWhole = form ? wasShownWhole(form, state.columns) : !isList || isWholeInPreview(state);
  return isWhole ? entry.ask : undefined;
}

function row(state: State, { ask }: InboxEntry): Line {
  const { columns, nowMs } = state;
  const { answer } = ask;
  const isSelected = ask.ask_id === state.selectedId;
  const mark = answer ? '✓' : isSending(state, ask.ask_id) ? '…' : ask.kind === 'approval' ? '!' : '?';
  const age = (duration(nowMs - ask.created_at_ms).split(' ')[0] ?? '').padStart(4);
  const deadline = answer || ask.expires_at_ms === undefined ? '' : ` ${countdown(ask.expires_at_ms - nowMs)}`;
  const origin = originOf(state, ask);
  const name = origin?.title ?? (origin ? agentName(origin, ask.session_id) : ask.session_id);
  const from = columns < WIDE ? '' : `  ${oneLine(name)}`;
  const marks = markText(ask, nowMs, state.me);
  const marked = crop(line(span(marks === '' ? '' : `  ${marks}`, 'accent')), 26);
  const right: Line = [...marked, ...crop(line(span(from, 'dim')), 24), span(deadline, 'warn')];
  const head: Span[] = [span(isSelected ? '›' : ' '), span(mark, answer ? 'good' : 'warn'), span(`${age} `, 'dim')];
  const what = answer ? line(span(`${endText(answer)}  ${cachedSummary(ask)}`, 'dim')) : line(cachedSummary(ask));
  const width = columns - lineCells(right);
  const whole = [...fill([...head, ...what], width), ...right];
  return isSelected ? whole.map((s) => ({ ...s, style: 'cursor' as const })) : whole;
}

function emptyLines(state: State): Line[] {
  if (state.filter !== '') return [[], line(span('  Nothing matches the filter. Esc clears it.', 'dim'))];
  if (state.inbox.link === 'connecting') return [[], line(span('  Loading…', 'dim'))];
  return [
    [],
    line(span('  Nothing is waiting for an answer.', 'bold')),
    [],
    line(span('  Requests from agents appear here.', 'dim')),
    line(span(`  To try it: ${state.programName} demo`, 'dim')),
  ];
}
