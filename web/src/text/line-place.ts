// Names a line of a change in words that an agent finds it by: the file, the number where it is known, and the text. Pure.
import type { DiffLine } from './diff-lines.ts';
import { oneLine } from './visible.ts';

const MAX_QUOTE = 80;

/** `src/a.ts:12 “const a = 2;”`. Numbers of a passage are not those of the file. */
export function placeOf(file: string, { after, before, text }: DiffLine, isNumbered: boolean): string {
  const number = isNumbered ? (after ?? before) : undefined;
  const quote = oneLine(text);
  const shown = quote.length > MAX_QUOTE ? `${quote.slice(0, MAX_QUOTE)}…` : quote;
  return `${oneLine(file)}${number === undefined ? '' : `:${number}`}${shown === '' ? '' : ` “${shown}”`}`;
}

/** A reason with one more note, each on a line of its own. */
export const withNote = (reason: string, place: string, note: string): string =>
  [reason.trimEnd(), `${place}: ${note.trim()}`].filter((part) => part !== '').join('\n');
