// Reads the table under a heading of a document, so that a test can compare it with the code.

/** The rows as lists of cells, without the header. */
export function tableUnder(document: string, heading: string): string[][] {
  const section = document.split(new RegExp(`^## ${heading}$`, 'm'))[1]?.split(/^## /m)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map(cellsOf);
}

const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
