// Fits styled lines into a number of terminal cells: measures, truncates and wraps. Wide characters take two cells,
// combining ones none. Expects text that passed through terminal-text.ts, so that no escape sequence is left in it.
import stringWidth from 'string-width';
import { type Line, line, type Span, type Style, span } from './spans.ts';
import { oneLine } from './terminal-text.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[ -~]*$/;

export const cells = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text));
export const lineCells = (of: Line): number => of.reduce((sum, s) => sum + cells(s.text), 0);

/** The longest prefix that fits. At least one character, so that a loop over the pieces terminates. */
function fitting(text: string, width: number): string {
  const head = text.slice(0, width * 8 + 64);
  if (ASCII.test(head)) return head.slice(0, Math.max(1, width));
  let taken = '';
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    used += cells(segment);
    if (used > width && taken !== '') break;
    taken += segment;
  }
  return taken;
}

/** Whether the text is too wide without its trailing blanks. A long text is not measured to its end. */
const exceeds = (text: string, width: number): boolean => text.length > width * 8 + 64 || cells(text.trimEnd()) > width;

/** Truncates a line to so many cells, with an ellipsis. */
export function crop(of: Line, width: number): Line {
  if (width <= 0) return [];
  if (lineCells(of) <= width) return of;
  const fits: Span[] = [];
  let left = width - 1;
  for (const s of of) {
    const size = cells(s.text);
    if (size <= left) {
      fits.push(s);
      left -= size;
      continue;
    }
    if (left > 0) {
      const text = fitting(s.text, left);
      if (cells(text) <= left) fits.push({ ...s, text });
    }
    fits.push({ text: '…', style: s.style });
    return fits;
  }
  return fits;
}

/** Truncates or pads a line to exactly so many cells. */
export function fill(of: Line, width: number): Line {
  const cropped = crop(of, width);
  const missing = width - lineCells(cropped);
  return missing > 0 ? [...cropped, { text: ' '.repeat(missing), style: 'plain' }] : cropped;
}

/** Wraps a line at blanks where possible. Lines after the first are indented. */
export function wrap(of: Line, width: number, indent = 0): Line[] {
  const room = Math.max(8, width);
  const hanging: Span[] = indent > 0 && indent < room / 2 ? [{ text: ' '.repeat(indent), style: 'plain' }] : [];
  const lines: Span[][] = [[]];
  let used = 0;
  const breakLine = () => {
    lines.push([...hanging]);
    used = hanging[0]?.text.length ?? 0;
  };
  for (const s of of) {
    for (const word of s.text.split(/(?<= )(?=[^ ])/)) {
      if (word === '') continue;
      if (exceeds(word, room - used) && used > (hanging[0]?.text.length ?? 0) && !exceeds(word, room / 2)) breakLine();
      let rest = word;
      while (exceeds(rest, room - used)) {
        if (room - used < 1) breakLine();
        const piece = fitting(rest, room - used);
        if (cells(piece) > room - used && used > (hanging[0]?.text.length ?? 0)) {
          breakLine();
          continue;
        }
        lines.at(-1)?.push({ ...s, text: piece });
        rest = rest.slice(piece.length);
        breakLine();
      }
      const shown = cells(rest) > room - used ? rest.trimEnd() : rest;
      lines.at(-1)?.push({ ...s, text: shown });
      used += cells(shown);
    }
  }
  if (lines.length > 1 && lines.at(-1)?.every((s) => s.text.trim() === '')) lines.pop();
  return lines;
}

export const wrapAll = (lines: readonly Line[], width: number, indent: number): Line[] =>
  lines.flatMap((of) => wrap(of, width, indent));

/** Text with line breaks, wrapped, in one style. */
export const paragraph = (text: string, width: number, style: Style, indent = 0): Line[] =>
  text.split('\n').flatMap((row) => wrap(line(span(row, style)), width, indent));

const LABEL_CELLS = 10;

/** Named values below each other, each on lines of its own; empty ones are left out. */
export const fieldLines = (fields: Record<string, string | undefined>, width: number): Line[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value ? wrap(line(span(name.padEnd(LABEL_CELLS), 'dim'), oneLine(value)), width, LABEL_CELLS) : [],
  );

/** A multi-line text behind a bar. */
export const quoted = (text: string, width: number): Line[] =>
  wrapAll(
    text.split('\n').map((row) => line(span('│ ', 'bar'), row)),
    width,
    2,
  );

export const indented = (lines: readonly Line[], by: number): Line[] =>
  lines.map((of) => [{ text: ' '.repeat(by), style: 'plain' as const }, ...of]);

/** The shortest suffix of each id, of at least `least` characters, that is unique among them. */
export function shortIds(ids: readonly string[], least = 6): Map<string, string> {
  const distinct = [...new Set(ids)];
  const reversed = distinct.map((id) => [...id].reverse().join('')).sort();
  const shared = (a: string, b: string | undefined): number => {
    let n = 0;
    while (b !== undefined && n < a.length && a[n] === b[n]) n += 1;
    return n;
  };
  const lengths = new Map(
    reversed.map((id, i) => {
      const length = Math.max(least, shared(id, reversed[i - 1]) + 1, shared(id, reversed[i + 1]) + 1);
      return [[...id].reverse().join(''), length];
    }),
  );
  return new Map(distinct.map((id) => [id, id.slice(-(lengths.get(id) ?? id.length))]));
}
