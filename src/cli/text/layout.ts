// Fits lines into a number of cells: measuring, cutting off, breaking. Knows that some characters take two cells and
// some none. Expects text that went through terminal-text.ts: there is no escape sequence left in it.
import stringWidth from 'string-width';
import type { Line, Span } from './spans.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[ -~]*$/;

export const cells = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text));
export const lineCells = (of: Line): number => of.reduce((sum, s) => sum + cells(s.text), 0);

/** The longest beginning that fits. At least one character, so that whoever takes piece after piece comes to an end. */
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

/** Whether it is too wide, blanks at its end aside. A long text is not measured to its end to find out. */
const exceeds = (text: string, width: number): boolean => text.length > width * 8 + 64 || cells(text.trimEnd()) > width;

/** One line of at most so many cells; what is cut off ends in an ellipsis. */
export function crop(of: Line, width: number): Line {
  if (width <= 0) return [];
  if (lineCells(of) <= width) return of;
  const kept: Span[] = [];
  let left = width - 1;
  for (const s of of) {
    const size = cells(s.text);
    if (size <= left) {
      kept.push(s);
      left -= size;
      continue;
    }
    if (left > 0) {
      const text = fitting(s.text, left);
      if (cells(text) <= left) kept.push({ ...s, text });
    }
    kept.push({ text: '…', style: s.style });
    return kept;
  }
  return kept;
}

/** Crops or fills up with blanks to exactly so many cells. */
export function fill(of: Line, width: number): Line {
  const cropped = crop(of, width);
  const missing = width - lineCells(cropped);
  return missing > 0 ? [...cropped, { text: ' '.repeat(missing), style: 'plain' }] : cropped;
}

/** As many lines as it takes; broken at blanks where there are some. The second line and those after it are indented. */
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

/** Lines that belong under something else. */
export const indented = (lines: readonly Line[], by: number): Line[] =>
  lines.map((of) => [{ text: ' '.repeat(by), style: 'plain' as const }, ...of]);

/** The shortest endings, of at least `least` characters, that tell these ids apart. */
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
