// Writes the results of a command: lines, tables or JSON to standard output, notes for the person to standard error. Lines
// are fitted to the terminal where there is one, and written whole where there is none. Owns the streams, not the texts.
import { fieldNames, pickFields, requireFields } from './text/field-choice.ts';
import { jsonText } from './text/json-text.ts';
import { cells, crop, fill, lineCells } from './text/layout.ts';
import { hasColours, type Line, line, painter, span } from './text/spans.ts';

const DEFAULT_COLUMNS = 80;

export const isTerminal = (): boolean => process.stdout.isTTY === true;

/** Whether a person can be asked here. */
export const isInteractive = (): boolean => isTerminal() && process.stdin.isTTY === true;

/** Cells in a line; unlimited without a terminal. */
export const terminalWidth = (): number =>
  isTerminal() ? Math.max(20, process.stdout.columns || DEFAULT_COLUMNS) : Number.POSITIVE_INFINITY;

export const paint = painter(hasColours(process.env, isTerminal()));

export function print(...lines: readonly Line[]): void {
  for (const of of lines) process.stdout.write(`${paint(of).trimEnd()}\n`);
}

let fields: readonly string[] | undefined;

/** What JSON output is reduced to, as a person named it. */
export function chooseFields(names: string): void {
  fields = fieldNames(names);
}

let possible: readonly string[] = [];

/** For a command whose result differs from end to end: refuses a misspelt name before the command does anything. */
export function limitFields(names: readonly string[]): void {
  if (fields) requireFields(fields, names);
  possible = names;
}

const chosen = (value: unknown): unknown => (fields ? pickFields(value, fields, possible) : value);

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(chosen(value), isTerminal() ? 2 : undefined)}\n`);
}

/** One document of a stream, on a line of its own. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${jsonText(chosen(value))}\n`);
}

/** A note for the person, never part of the output. */
export function note(text: string): void {
  process.stderr.write(`holdpoint: ${text}\n`);
}

type Cell = string | Line;

/** A narrower table would be all ellipses: each row becomes a block of two lines. */
const MIN_TABLE_WIDTH = 72;
/** So much of the last column, which says what it is, is readable. */
const MIN_LAST_CELLS = 30;

/** Prints a list as a table with a column for each title, or as JSON; an empty one is a note. */
export function printList<T>(
  items: readonly T[],
  { json }: { json?: boolean },
  empty: string,
  columns: Record<string, (item: T) => Cell>,
): void {
  const titles = Object.keys(columns).map((title) => title.toUpperCase());
  if (json) printJson(items);
  else if (items.length === 0) note(empty);
  else
    printTable(
      titles,
      items.map((item) => Object.values(columns).map((cell) => cell(item))),
    );
}

/** Prints a table. Its last column is cropped to the width of the terminal, the others are as wide as their content. */
function printTable(titles: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const width = terminalWidth();
  const table = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? line(cell) : cell)));
  const sizes = titles.map((title, i) => Math.max(cells(title), ...table.map((row) => lineCells(row[i] ?? []))));
  const room = width - sizes.slice(0, -1).reduce((sum, size) => sum + size + 2, 0);
  const last = sizes.at(-1) ?? 0;
  if (width < MIN_TABLE_WIDTH || room < Math.min(last, MIN_LAST_CELLS)) printBlocks(table, width);
  else
    printColumns(
      [titles.map((title) => line(span(title, 'dim'))), ...table],
      sizes.with(-1, Math.min(last, room)),
      width,
    );
}

function printColumns(rows: readonly (readonly Line[])[], sizes: readonly number[], width: number): void {
  for (const row of rows) {
    const filled = row.flatMap((cell, i) => [...(i > 0 ? [span('  ')] : []), ...fill(cell, sizes[i] ?? 0)]);
    print(crop(filled, width));
  }
}

function printBlocks(rows: readonly (readonly Line[])[], width: number): void {
  for (const row of rows) {
    const filled = row.slice(0, -1).filter((cell) => lineCells(cell) > 0);
    const head = filled.flatMap((cell) => [...cell, span('  ')]);
    print(crop(head, width), crop([span('  '), ...(row.at(-1) ?? [])], width));
  }
}
