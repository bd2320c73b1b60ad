// Reads a paragraph of Markdown that is a table, with a line of dashes below its first line. Pure. What does not have the
// same number of cells in every line is no table, so that no cell is dropped.

const LINE = /^\s*\|.*\|\s*$/;
const DASHES = /^:?-+:?$/;

/** The cells of each line, the first of them the heads; undefined where it is no table. */
export function tableOf(paragraph: string): string[][] | undefined {
  const lines = paragraph.split('\n');
  if (lines.length < 3 || !lines.every((line) => LINE.test(line))) return undefined;
  const [heads = [], dashes = [], ...rows] = lines.map(cellsOf);
  if (!dashes.every((cell) => DASHES.test(cell))) return undefined;
  const all = [heads, ...rows];
  return all.every(({ length }) => length === dashes.length) ? all : undefined;
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
