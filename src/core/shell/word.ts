// Describes one word of a shell command after quote removal: its text where that is certain, and otherwise the literal
// text before the first and after the last expansion. Expands nothing.
import type { Word, WordPart } from 'unbash';

/**
 * `literal`: the text is what the program receives. `path`: what cannot become an option: `~/x`, and globs and braces like
 * `src/*.ts`.
 * `open`: anything else that the shell expands; it may become any text, any number of words, or none.
 */
export type WordKind = 'literal' | 'path' | 'open';

export interface ShellWord {
  kind: WordKind;
  /** The value of a literal word; otherwise the source. */
  text: string;
  /** Literal text before the first expansion, and after the last one. Of a literal word, the first is all of it. */
  before: string;
  after: string;
  /** Position in the source that it was read from. */
  pos: number;
  end: number;
}

/** What stands for arguments that only exist once the command runs. */
export const unknownWord = (at: number): ShellWord => ({
  kind: 'open',
  text: '',
  before: '',
  after: '',
  pos: at,
  end: at,
});

export function literalWord(text: string, pos: number, end: number): ShellWord {
  return { kind: 'literal', text, before: text, after: '', pos, end };
}

const PLAIN = /^[\w./:=@%+,-]+$/;

/** Whether the shell neither expands nor unquotes anything in it. */
export const isPlain = ({ text }: Word): boolean => PLAIN.test(text);

export function shellWord(word: Word): ShellWord {
  if (isPlain(word)) return literalWord(word.text, word.pos, word.end);
  const pieces = word.parts ? word.parts.flatMap(piecesOf) : [word.value];
  const { pos, end } = word;
  const tilde = tildeAt(word.text);
  const first = pieces.findIndex(isExpansion);
  if (first < 0 && tilde < 0) {
    const text = pieces.join('');
    return text.includes('\0') ? opened(word, [ANY]) : literalWord(text, pos, end);
  }
  if (tilde < 0) return opened(word, pieces);
  const isHome = /^~(?:\/|$)/.test(word.text) && !pieces.includes(ANY);
  return { ...opened(word, pieces), kind: isHome ? 'path' : 'open', before: word.text.slice(0, tilde), after: '' };
}

/** An expansion to file names or a list of words that stands in the text, or to anything. */
const NAMES = Symbol('names');
const ANY = Symbol('any');
type Piece = string | typeof NAMES | typeof ANY;
const isExpansion = (piece: Piece): piece is typeof NAMES | typeof ANY => typeof piece !== 'string';

function opened({ text, pos, end }: Word, pieces: readonly Piece[]): ShellWord {
  const first = pieces.findIndex(isExpansion);
  const before = pieces.slice(0, Math.max(first, 0)).join('');
  const after = pieces.slice(pieces.findLastIndex(isExpansion) + 1).join('');
  const isPath = !pieces.includes(ANY) && first > 0 && before !== '' && !before.startsWith('-');
  return { kind: isPath ? 'path' : 'open', text, before, after, pos, end };
}

function piecesOf(part: WordPart): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value];
    case 'DoubleQuoted':
      return part.parts.flatMap(piecesOf);
    case 'Glob':
    case 'BraceExpansion':
      // Blanks in braces are quoted ones: they stay inside a word.
      return [/[$`]/.test(part.text) ? ANY : NAMES];
    default:
      return [ANY];
  }
}

/** Where the shell puts a home folder: at the beginning, and in `name=~/x:~/y`. */
const tildeAt = (source: string): number => /(?:^|[=:])~/.exec(source)?.index ?? -1;
