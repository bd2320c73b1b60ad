// Matches texts against patterns in which `*` stands for any characters, in time linear in text and pattern. `\` makes
// the next character literal. There are no other wildcards and no regular expressions.

export interface Glob {
  /** The literal texts between the stars; one more than there are stars. */
  readonly parts: readonly Part[];
}

interface Part {
  readonly text: string;
  /** For each prefix, the length of its longest border (Knuth, Morris, Pratt). */
  readonly borders: Uint16Array;
}

/** Patterns are written by people; longer ones are refused where rules are read. */
export const LONGEST_PATTERN = 4096;

/** The engine's own search is fastest, and may compare as many characters as the part has at each place. */
const SHORT = 32;

export function compileGlob(pattern: string): Glob {
  const texts = [''];
  for (let at = 0; at < pattern.length; at++) {
    const c = pattern[at];
    if (c === '*') {
      // Several stars in a row are one.
      if (texts.length === 1 || texts.at(-1) !== '') texts.push('');
      continue;
    }
    if (c === '\\' && at + 1 < pattern.length) at += 1;
    texts[texts.length - 1] += pattern[at] ?? '';
  }
  return { parts: texts.map((text) => ({ text, borders: bordersOf(text) })) };
}

/** The text of a pattern without stars. */
export const exactText = ({ parts }: Glob): string | undefined => (parts.length === 1 ? parts[0]?.text : undefined);

const escaped = /[\\*]/g;
export const escapeGlob = (text: string): string => text.replace(escaped, '\\$&');

export function matchesGlob({ parts }: Glob, text: string): boolean {
  const first = parts[0]?.text ?? '';
  const last = parts.at(-1)?.text ?? '';
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    at = indexAfter(part, text, at, end);
    if (at < 0) return false;
  }
  return true;
}

/**
 * Whether some text that begins with `before` and ends with `after` matches. Exact, because what lies between may be
 * anything: it can supply whatever the pattern still wants.
 */
export function couldMatchGlob({ parts }: Glob, before: string, after: string): boolean {
  const first = parts[0]?.text ?? '';
  const last = parts.at(-1)?.text ?? '';
  if (parts.length === 1)
    return first.length >= before.length + after.length && first.startsWith(before) && first.endsWith(after);
  return (first.startsWith(before) || before.startsWith(first)) && (last.endsWith(after) || after.endsWith(last));
}

/** The index after the first occurrence between `from` and `end`; −1: there is none. */
function indexAfter({ text: wanted, borders }: Part, text: string, from: number, end: number): number {
  if (wanted.length <= SHORT) {
    const at = text.indexOf(wanted, from);
    return at < 0 || at + wanted.length > end ? -1 : at + wanted.length;
  }
  let matched = 0;
  for (let at = from; at < end && matched < wanted.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === wanted.charCodeAt(matched)) matched += 1;
    if (matched === wanted.length) return at + 1;
  }
  return matched === wanted.length ? from : -1;
}

function bordersOf(text: string): Uint16Array {
  const borders = new Uint16Array(text.length);
  for (let at = 1, border = 0; at < text.length; at++) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[at] === text[border]) border += 1;
    borders[at] = border;
  }
  return borders;
}
