// Marks characters that deceive the reader of what an agent wants to run: controls, zero widths, fillers, tags, direction
// marks, characters that look like a blank or like a Latin letter, and gaps that push text out of view. The page, the
// command line and thread texts all mark what is found here.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/u;
/** C1 controls, line separators, and all that Unicode says is not shown; selectors are a case of their own. */
const IGNORABLE = /(?![\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\u0080-\u009f\u2028\u2029\ufff9-\ufffb]/u;
/** Variation selectors are harmless after an emoji and in a keycap, and invisible anywhere else. */
const SELECTORS = /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/u;
/** Between two emoji a joiner makes one of them, a family or a flag; anywhere else it is invisible. */
const JOINERS = /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/u;
/** Harmless in prose, not in a command. */
const FALSE_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u;
/** Runs of line ends or blanks that would push what follows out of view. */
const GAPS = /\n{5,}| {40,}|\t{10,}/u;
/** More combining marks than any script puts on a letter: they would cover the lines above and below. */
const STACKED = /(?<=[\p{Mn}\p{Me}]{4})(?<marks>[\p{Mn}\p{Me}]+)/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOURS = /\u001b\[[0-9;:]*m/g;

const either = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map((p) => p.source).join('|'), 'gu');
const EXACT = either(CONTROLS, IGNORABLE, SELECTORS, JOINERS, FALSE_BLANKS, GAPS, STACKED);
const PROSE = either(CONTROLS, IGNORABLE, SELECTORS, JOINERS, STACKED);
const ALL_FALSE_BLANKS = either(FALSE_BLANKS);
/** What a terminal or a reader of JSON would not show. JSON itself escapes the other controls. */
export const HIDDEN_IN_JSON = either(/\u007f/u, IGNORABLE, SELECTORS, JOINERS, STACKED);

/** A piece of a text. Everything that would deceive is replaced by a mark that can be seen. */
export interface Segment {
  text: string;
  /** Set on a mark: what it stands for. */
  mark?: string;
  /** The mark shows letters that can be mistaken for others; they are not hidden. */
  isLookalike?: true;
}

/** Verbatim, for commands, inputs and diffs. */
export const exactSegments = (text: string): Segment[] =>
  segments(text, EXACT).flatMap((segment) => (segment.mark === undefined ? lookalikes(segment.text) : [segment]));

/** For what agents and people say: terminal colours are removed, line ends normalised. */
export const proseSegments = (text: string): Segment[] =>
  segments(text.replace(COLOURS, '').replace(/\r\n?/g, '\n'), PROSE);

/** For a text field, which cannot mark anything: false blanks become blanks, and what is invisible is removed. */
export const withoutHidden = (text: string): string => text.replace(ALL_FALSE_BLANKS, ' ').replace(PROSE, '');

/** For surfaces of plain text: code points stand in angle brackets. */
export const spelledOut = (found: readonly Segment[]): string =>
  found.map(({ text, mark }) => (mark?.startsWith(text) ? `<${text}>` : text)).join('');

const NAMES: Record<string, string> = {
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'pop directional formatting',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'pop directional isolate',
  '\ufe0e': 'text variation selector',
  '\ufe0f': 'emoji variation selector',
  '\ufeff': 'byte order mark',
  '\u00a0': 'no-break space',
  '\u001b': 'escape',
};

const segments = (text: string, pattern: RegExp): Segment[] =>
  split(text.toWellFormed(), pattern, ({ 0: c, groups }) => {
    if (groups?.marks !== undefined) return [stack(c)];
    return [c.length > 2 ? gap(c) : character(c)];
  });

function character(c: string): Segment {
  const code = codePoint(c);
  const isControl = c < '\u0020' || c === '\u007f';
  return { text: isControl ? picture(c) : code, mark: NAMES[c] ? `${code} ${NAMES[c]}` : code };
}

const GAP_NAMES: Record<string, string> = { '\n': 'line ends', ' ': 'blanks', '\t': 'tabs' };

/** Replaced by its length, so that what follows stays in view. */
function gap(run: string): Segment {
  const name = `${run.length} ${GAP_NAMES[run.charAt(0)]}`;
  return { text: `⟨${name}⟩${run.startsWith('\n') ? '\n' : ' '}`, mark: name };
}

/** Replaced by their number. */
function stack(run: string): Segment {
  const count = [...run].length;
  const mark = count === 1 ? '1 more mark on this letter' : `${count} more marks on this letter`;
  return { text: `⟨+${count}⟩`, mark };
}

/** `U+202E` */
const codePoint = (c: string): string => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** ␛ for escape, ␀ for NUL, and so on. */
const picture = (control: string): string =>
  control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0));

const LATIN = /\p{Script=Latin}/u;
const WORDS = /[\p{L}\p{M}]+/gu;
/** Letters that people do not write in one word with Latin ones. */
const FOREIGN =
  /(?:(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}])\p{L}\p{M}*)+/gu;
/** Words of Cyrillic or Greek that read as Latin ones to the last letter. */
const DISGUISED = /^[асеорхуѕіјһԁԛԝӏАВЕЅІЈКМНОРСТУХԌԜονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]+$/u;
/** Variants of Latin letters, slashes and dots; and a dash that is no hyphen where an option begins. */
const VARIANTS =
  /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d6a3}\u2160-\u217f\u0261\u212a\u2024\u037e\u2044\u2215\u29f8]+|(?<=^|\s)[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+(?=[A-Za-z])/gu;
const SCRIPTS: readonly [name: string, RegExp][] = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\u0000-\u007f]*$/;

/** Splits off what can be mistaken for Latin letters: variants of them, and letters of other scripts. */
function lookalikes(text: string): Segment[] {
  if (ASCII.test(text)) return [{ text }];
  const pieces = split(text, VARIANTS, ([run]) => [lookalike(run, codePoint(run), `${codePoint(run)}, a look-alike`)]);
  return pieces.flatMap((piece) => (piece.mark === undefined ? split(piece.text, WORDS, wordSegments) : [piece]));
}

/** A single letter beside a word that cannot be taken for Latin is a word of the same language. */
function wordSegments([word]: RegExpExecArray, neighbours: (RegExpExecArray | undefined)[]): Segment[] {
  if (LATIN.test(word))
    return split(word, FOREIGN, ([run]) => [lookalike(run, scriptOf(run), `${scriptOf(run)} in a Latin word`)]);
  const isOrdinary = !DISGUISED.test(word) || (word.length === 1 && neighbours.some(isPlainlyForeign));
  if (isOrdinary) return [{ text: word }];
  return [lookalike(word, scriptOf(word), `${scriptOf(word)} letters that look like Latin ones`)];
}

const lookalike = (run: string, note: string, mark: string): Segment => ({
  text: `${run}⟨${note}⟩`,
  mark,
  isLookalike: true,
});

const scriptOf = (run: string): string => SCRIPTS.find(([, pattern]) => pattern.test(run))?.[0] ?? 'another script';

const isPlainlyForeign = (word: RegExpExecArray | undefined): boolean =>
  word !== undefined && !LATIN.test(word[0]) && !DISGUISED.test(word[0]);

/** What the pattern matches becomes segments; the text between stays as it is. */
function split(
  text: string,
  pattern: RegExp,
  segmentsOf: (match: RegExpExecArray, neighbours: (RegExpExecArray | undefined)[]) => Segment[],
): Segment[] {
  const matches = [...text.matchAll(pattern)];
  const found: Segment[] = [];
  let at = 0;
  for (const [i, match] of matches.entries()) {
    if (match.index > at) found.push({ text: text.slice(at, match.index) });
    for (const segment of segmentsOf(match, [matches[i - 1], matches[i + 1]])) found.push(segment);
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at) });
  return found;
}
