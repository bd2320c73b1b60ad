// Decides whether a text of an agent may be formatted: parsers of Markdown take more than linear time for some texts, and
// overflow the stack for deep nesting. A text beyond these limits is shown to the letter. Pure.

/** Measured: a text within all of them is parsed in less than a quarter of a second. */
const MOST_CHARACTERS = 20_000;
const MOST_LINES = 1000;
const MOST_DELIMITERS = 3000;
const MOST_MARKERS_PER_LINE = 12;
const DEEPEST_INDENT = 60;

/** Highlighting a longer text takes too long. */
export const MAX_HIGHLIGHTED = 5000;

/** The block markers at the beginning of a line: quotes, list items, numbers. */
const MARKERS = /^(?:\s*(?:[>*+-]|\d{1,9}[.)])(?=\s|>|$))+/;

export function isCheapMarkdown(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return false;
  if ((text.match(/[*_`~[\]<>!]/g) ?? []).length > MOST_DELIMITERS) return false;
  const lines = text.split('\n');
  return lines.length <= MOST_LINES && lines.every(isShallow);
}

function isShallow(line: string): boolean {
  const markers = MARKERS.exec(line)?.[0] ?? '';
  return (markers.match(/\S+/g) ?? []).join('').length <= MOST_MARKERS_PER_LINE && indentOf(line) <= DEEPEST_INDENT;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
