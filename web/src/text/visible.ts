// Splits text of agents into what can be shown as it is and marks for what would deceive the reader: invisible characters,
// changes of the reading direction, gaps that push text out of view. Pure.
import { COLOURS, CONTROLS, codePoint, FALSE_BLANKS, HIDDEN, picture } from '../../../src/core/hidden-characters.ts';

export interface Segment {
  text: string;
  /** Set on a mark: what it stands for. */
  mark?: string;
}

const either = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map((p) => p.source).join('|'), 'gu');
/** Variation selectors are harmless after an emoji, and invisible anywhere else. */
const SELECTORS = /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]/gu;
/** Runs of line ends or blanks that would push what follows out of view. */
const GAPS = /\n{5,}| {40,}|\t{10,}/gu;
/** More combining marks than any script puts on a letter: they would cover the lines above and below. */
const STACKED = /(?<=[\p{Mn}\p{Me}]{4})(?<marks>[\p{Mn}\p{Me}]+)/u;
const EXACT = either(CONTROLS, HIDDEN, FALSE_BLANKS, SELECTORS, GAPS, STACKED);
const PROSE = either(CONTROLS, HIDDEN, STACKED);

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
  '\ufeff': 'byte order mark',
  '\u00a0': 'no-break space',
  '\u001b': 'escape',
};

/** To the letter, for commands, inputs and diffs. */
export const exact = (text: string): Segment[] => segments(text, EXACT);

/** For what agents and people say: terminal colours are removed, line ends normalised. */
export const prose = (text: string): Segment[] => segments(text.replace(COLOURS, '').replace(/\r\n?/g, '\n'), PROSE);

/** On one line, for lists and titles. */
export const oneLine = (text: string): string =>
  prose(text)
    .map((segment) => segment.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

export const hiddenCount = (text: string): number => text.match(EXACT)?.length ?? 0;

const GAP_NAMES: Record<string, string> = { '\n': 'line ends', ' ': 'blanks', '\t': 'tabs' };

/** Replaced by its length, so that what follows stays in view. */
function gap(run: string): Segment {
  const name = `${run.length} ${GAP_NAMES[run.charAt(0)]}`;
  return { text: `⟨${name}⟩${run.startsWith('\n') ? '\n' : ' '}`, mark: name };
}

/** Replaced by their number. */
function stack(run: string): Segment {
  const count = [...run].length;
  return {
    text: `⟨+${count}⟩`,
    mark: count === 1 ? '1 more mark on this letter' : `${count} more marks on this letter`,
  };
}

function segments(text: string, pattern: RegExp): Segment[] {
  const found: Segment[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index) });
    const [c] = match;
    const isControl = c < '\u0020' || c === '\u007f';
    const name = NAMES[c];
    if (match.groups?.marks !== undefined) found.push(stack(c));
    else if (c.length > 2) found.push(gap(c));
    else
      found.push({
        text: isControl ? picture(c) : codePoint(c),
        mark: name ? `${codePoint(c)} ${name}` : codePoint(c),
      });
    at = match.index + c.length;
  }
  if (at < text.length) found.push({ text: text.slice(at) });
  return found.map((segment) => ({ ...segment, text: segment.text.toWellFormed() }));
}
