// Where a command's results go: lines or JSON to standard output, wrapped to the terminal where there is one, whole
// where there is none. Owns the streams; what the lines say is for the commands.
import { jsonText } from './text/json-text.ts';
import { cells, crop, fill } from './text/layout.ts';
import { hasColours, type Line, line, painter, span } from './text/spans.ts';

const DEFAULT_COLUMNS = 80;

export const isTerminal = (): boolean => process.stdout.isTTY === true;

/** Cells in a line; without a terminal lines are as long as they are. */
export const terminalWidth = (): number =>
  isTerminal() ? Math.max(20, process.stdout.columns || DEFAULT_COLUMNS) : Number.POSITIVE_INFINITY;

export const paint = painter(hasColours(process.env, isTerminal()));

export function print(...lines: readonly Line[]): void {
  for (const of of lines) process.stdout.write(`${paint(of).trimEnd()}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, isTerminal() ? 2 : undefined)}\n`);
}

export interface Column {
  title: string;
  /** The column that gives way when there is no room; one of a table has it. */
  flexible?: boolean;
}

/** Below this a table would be all ellipses: each row becomes a block instead. */
const NARROW = 72;

/** Columns side by side; in a narrow terminal one block for each row. */
export function printTable(columns: readonly Column[], rows: readonly (readonly (string | Line)[])[]): void {
  const width = terminalWidth();
  const cellsOf = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? line(cell) : cell)));
  if (width < NARROW) printBlocks(columns, cellsOf, width);
  else printColumns(columns, cellsOf, width);
}

function printColumns(columns: readonly Column[], cellsOf: readonly (readonly Line[])[], width: number): void {
  const sizes = columns.map((column, i) =>
    Math.max(cells(column.title), ...cellsOf.map((row) => cells(textOf(row[i])))),
  );
  const flexible = columns.findIndex((column) => column.flexible);
  const others = sizes.reduce((sum, size, i) => sum + (i === flexible ? 0 : size + 2), 0);
  if (flexible >= 0 && width !== Number.POSITIVE_INFINITY)
    sizes[flexible] = Math.max(10, Math.min(sizes[flexible] ?? 0, width - others));
  const row = (parts: readonly Line[]): Line => parts.flatMap((part, i) => [...fill(part, sizes[i] ?? 0), span('  ')]);
  print(crop(row(columns.map((column) => line(span(column.title, 'dim')))), width));
  for (const of of cellsOf) print(crop(row(of), width));
}

const textOf = (of: Line | undefined): string => (of ?? []).map((s) => s.text).join('');

function printBlocks(columns: readonly Column[], rows: readonly (readonly Line[])[], width: number): void {
  for (const row of rows) {
    const head = row.filter((_, i) => !columns[i]?.flexible).flatMap((part) => [...part, span('  ')]);
    print(crop(head, width));
    const flexible = row[columns.findIndex((column) => column.flexible)];
    if (flexible) print(crop([span('  '), ...flexible], width));
  }
}
