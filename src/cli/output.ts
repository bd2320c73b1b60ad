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
  if (width < MIN_TABLE_WIDTH) printBlocks(table, width);
  else printColumns(titles, table, width);
}

function printColumns(titles: readonly string[], rows: readonly (readonly Line[])[], width: number): void {
  const sizes = titles.map((title, i) => Math.max(cells(title), ...rows.map((row) => lineCells(row[i] ?? []))));
  const last = titles.length - 1;
  const others = sizes.reduce((sum, size, i) => sum + (i === last ? 0 : size + 2), 0);
  if (width !== Number.POSITIVE_INFINITY) sizes[last] = Math.max(10, Math.min(sizes[last] ?? 0, width - others));
  const header = titles.map((title) => line(span(title, 'dim')));
  for (const row of [header, ...rows]) {
    const filled = row.flatMap((cell, i) => [...fill(cell, sizes[i] ?? 0), span('  ')]);
    print(crop(filled, width));
  }
}

function printBlocks(rows: readonly (readonly Line[])[], width: number): void {
  for (const row of rows) {
    const head = row.slice(0, -1).flatMap((cell) => [...cell, span('  ')]);
    print(crop(head, width), crop([span('  '), ...(row.at(-1) ?? [])], width));
  }
}
