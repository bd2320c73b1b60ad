// What the inbox looks like: a pure function from its state to exactly as many lines as the terminal has rows. The list
// with a look at the selected ask below it, the ask on its own, the questions, the help. Writes nothing.

import { countdown, duration } from '../../client/times.ts';
import type { AskView, UserQuestionRequest } from '../../core/views.ts';
import { contextLines } from '../text/ask-text.ts';
import { crop, fill, lineCells } from '../text/layout.ts';
import { type Line, line, type Span, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';
import type { Form } from './form.ts';
import { type Entry, type State, waitingCount } from './state.ts';
import { detailLines, editedLines, placeLines, requestSummary } from './view-detail.ts';
import { fieldFoot, foot } from './view-footer.ts';
import { formLines, wasShownWhole } from './view-form.ts';
import { helpLines } from './view-help.ts';
import { selectedEntry, visibleEntries } from './visible.ts';

export interface Screen {
  readonly lines: readonly Line[];
  /** Where text is being typed; hidden otherwise. Both from 0. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** Below this there is room for the list alone. */
const PREVIEW_FROM_ROWS = 14;
/** From here a row also says where the ask comes from. */
const WIDE = 72;

export function view(state: State): Screen {
  const { rows, columns } = state;
  const room = bodyRows(state);
  const { lines, focus } = body(state);
  const first = firstRow(state, lines.length, focus);
  const shown = Array.from({ length: room }, (_, i) => lines[first + i] ?? []);
  const typed = 'field' in state.mode ? fieldFoot(state) : undefined;
  const footLine = typed?.line ?? foot(state, lines.length - first - room);
  const screen = [header(state), ...shown, footLine].slice(0, rows).map((of) => crop(of, columns));
  const inForm = focus?.column === undefined ? undefined : { row: 1 + focus.from - first, column: focus.column };
  const cursor = typed ? { row: rows - 1, column: typed.column } : inForm;
  return { lines: screen, cursor: cursor && { ...cursor, column: Math.min(cursor.column, columns - 1) } };
}

export interface Body {
  lines: Line[];
  /** What has to be on the screen, and where text is typed in it. */
  focus?: { from: number; to: number; column?: number | undefined } | undefined;
}

function body(state: State): Body {
  const entry = selectedEntry(state);
  const { mode, columns } = state;
  switch (mode.name === 'help' ? 'help' : shownMode(state)) {
    case 'help':
      return { lines: helpLines(columns) };
    case 'detail':
      return { lines: entry ? detailLines(state, entry) : [] };
    case 'edited':
      return { lines: entry && mode.name === 'edited' ? editedLines(entry, mode.input, columns) : [] };
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
  const context = contextLines(entry.ask.request as UserQuestionRequest, state.columns);
  const place = [...placeLines(state, entry.ask), ...context];
  const { lines, focus } = formLines(form, state.columns);
  const below = place.length;
  return { lines: [...place, ...lines], focus: focus && { ...focus, from: focus.from + below, to: focus.to + below } };
}

function formIn({ mode }: State): Form | undefined {
  const shown = mode.name === 'decline' ? mode.before : mode;
  return shown.name === 'form' ? shown.form : undefined;
}

/** Under a line that is being typed stays what was there before. */
function shownMode({ mode }: State): string {
  return 'before' in mode && mode.name !== 'help' ? mode.before.name : mode.name;
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
  const count = waitingCount(state);
  const waiting = count === 0 ? 'nothing waits' : `${count} waiting`;
  const seen = visibleEntries(state).filter((e) => !e.settled).length;
  const filter = state.filter === '' ? '' : `  /${oneLine(state.filter)} (${seen})`;
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
  const link = right[state.link];
  return [...fill(left, Math.max(0, state.columns - lineCells([link]))), link];
}

function listLines(state: State): Line[] {
  const entries = visibleEntries(state);
  if (entries.length === 0) return emptyLines(state);
  const height = listRows(state);
  const at = Math.max(
    0,
    entries.findIndex((e) => e.ask.ask_id === state.selectedId),
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

/** The selected ask below the list; what does not fit is counted, so that nobody takes a part for the whole. */
function previewLines(state: State): Line[] {
  const entry = selectedEntry(state);
  if (!entry) return [];
  const lines = detailLines(state, entry, 'short');
  const room = previewRows(state);
  if (lines.length <= room) return lines;
  const hidden = lines.length - room + 1;
  return [...lines.slice(0, room - 1), line(span(`… ${hidden} more lines: enter shows them`, 'warn'))];
}

/** Whether the list shows all of what the selected approval would do. */
export function isWholeInPreview(state: State): boolean {
  const entry = selectedEntry(state);
  if (!entry || !hasPreview(state)) return false;
  return detailLines(state, entry, 'short').length <= previewRows(state);
}

/** The open ask that the screen shows whole, or as a page of its own. */
export function askInSight(state: State): AskView | undefined {
  const entry = selectedEntry(state);
  if (!entry || entry.settled || state.mode.name === 'help') return undefined;
  const form = formIn(state);
  const isList = shownMode(state) === 'list';
  const isWhole = form ? wasShownWhole(form, state.columns) : !isList || isWholeInPreview(state);
  return isWhole ? entry.ask : undefined;
}

function row(state: State, entry: Entry): Line {
  const { columns, nowMs } = state;
  const { ask, settled, sending } = entry;
  const isSelected = ask.ask_id === state.selectedId;
  const mark = settled ? '✓' : sending ? '…' : ask.kind === 'approval' ? '!' : '?';
  const age = (duration(nowMs - ask.created_at_ms).split(' ')[0] ?? '').padStart(4);
  const deadline = settled || ask.expires_at_ms === undefined ? '' : ` ${countdown(ask.expires_at_ms - nowMs)}`;
  const session = state.sessions.get(ask.session_id);
  const from = columns < WIDE ? '' : `  ${oneLine(session?.title ?? session?.agent ?? ask.session_id)}`;
  const right: Line = [...crop(line(span(from, 'dim')), 24), span(deadline, 'warn')];
  const head: Span[] = [span(isSelected ? '›' : ' '), span(mark, settled ? 'good' : 'warn'), span(`${age} `, 'dim')];
  const what = settled ? line(span(`${settled.text}  ${requestSummary(ask)}`, 'dim')) : line(requestSummary(ask));
  const width = columns - lineCells(right);
  const whole = [...fill([...head, ...what], width), ...right];
  return isSelected ? whole.map((s) => ({ ...s, style: 'cursor' as const })) : whole;
}

function emptyLines(state: State): Line[] {
  if (state.filter !== '') return [[], line(span('  Nothing fits the filter. Esc clears it.', 'dim'))];
  if (state.link === 'connecting') return [[], line(span('  Looking…', 'dim'))];
  return [
    [],
    line(span('  Nothing waits for an answer.', 'bold')),
    [],
    line(span('  What agents ask appears here by itself.', 'dim')),
    line(span(`  To see some: ${state.ownName} demo`, 'dim')),
  ];
}
