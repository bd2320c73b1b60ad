// Matches one argument of a rule against one part of a call. An allow must cover the part whatever its expansions become;
// a reject, ask or delegate matches where the part could become a match. Shell commands are compared word by word.
import { compileGlob, couldMatchGlob, exactText, type Glob, matchesGlob } from './glob.ts';
import type { ShellCommand } from './shell/command.ts';
import { programName } from './shell/inner-commands.ts';
import type { ShellWord } from './shell/word.ts';

/** Between words: no argument can contain it, so a quoted blank is not the end of a word. */
const SEPARATOR = '\0';
/** Stands for a glob or braces in a word; only a star matches it. */
const EXPANSION = '\u0001';

export interface CommandPattern {
  /** The text as the shell would read it, for rules that restrict. */
  raw: Glob;
  words: Glob;
  /** `cmd *`: also the command with any arguments. */
  rest: Glob | undefined;
  /** The pattern without stars: it covers exactly this text. */
  exact: string | undefined;
  /** Its first one or two words, as far as they have no star; undefined: not even the program. */
  head: string | undefined;
}

export function compileCommandPattern(pattern: string): CommandPattern {
  const raw = compileGlob(pattern);
  const text = pattern.trim().replace(/\\[\s\S]|\s+/g, (found) => (found.startsWith('\\') ? found : SEPARATOR));
  const isOpenEnded = text.endsWith(`${SEPARATOR}*`);
  const base = isOpenEnded ? text.slice(0, -2) : text;
  const [program, second] = base.split(SEPARATOR, 2).map((word) => exactText(compileGlob(word)));
  return {
    raw,
    words: compileGlob(base),
    rest: isOpenEnded ? compileGlob(text) : undefined,
    exact: exactText(compileGlob(pattern.trim())),
    head: program === undefined ? undefined : headOf(program, second),
  };
}

/** The key under which patterns and commands with the same first words meet. */
export const headOf = (program: string, second: string | undefined): string =>
  second === undefined ? program : program + SEPARATOR + second;

/** Why `cmd *` does not cover a command, whatever its words; undefined: it depends on the words alone. */
export function notCovered({ unknown, isWrapper, assigns, redirections, words }: ShellCommand): string | undefined {
  if (unknown !== undefined) return unknown;
  if (isWrapper) return 'it runs another command';
  if (assigns.length > 0) return `it assigns ${assigns[0]}`;
  const writing = redirections.find(({ writes }) => writes);
  if (writing) return `it redirects to ${writing.target.text}`;
  if (redirections.some(({ target }) => target.kind !== 'literal')) return 'its input is not literal';
  const open = words.find(({ kind }) => kind === 'open') ?? (words[0]?.kind === 'path' ? words[0] : undefined);
  return open ? `${open.text || 'an argument'} is not literal` : undefined;
}

export interface PartText {
  command: ShellCommand;
  /** Its words with separators, a glob replaced by a character that only a star matches. */
  literal: string;
  /** What is certain at both ends where a word is not literal; with the name of the program alone, too. */
  certain: readonly { before: string; after: string; isWhole: boolean }[];
}

export function partText(command: ShellCommand): PartText {
  const { words } = command;
  const [program, ...rest] = words;
  const name = program?.kind === 'literal' ? programName(program.text) : undefined;
  const variants = [words];
  if (program && name !== undefined && name !== program.text)
    variants.push([{ ...program, text: name, before: name }, ...rest]);
  const literal = words.map(literalText).join(SEPARATOR);
  const isWhole = words.every(({ kind }) => kind === 'literal');
  const [own = words, ...others] = variants;
  const whole = isWhole ? { before: literal, after: '', isWhole } : certainEnds(own);
  return { command, literal, certain: [whole, ...others.map(certainEnds)] };
}

const literalText = ({ kind, text, before, after }: ShellWord): string =>
  kind === 'literal' ? text : before + EXPANSION + after;

function certainEnds(words: readonly ShellWord[]): { before: string; after: string; isWhole: boolean } {
  const first = words.findIndex(({ kind }) => kind !== 'literal');
  const texts = (from: number, to: number) => words.slice(from, to).map(({ text }) => text);
  if (first < 0) return { before: texts(0, words.length).join(SEPARATOR), after: '', isWhole: true };
  const last = words.findLastIndex(({ kind }) => kind !== 'literal');
  // An expansion to nothing takes its separators with it.
  const before = [...texts(0, first), ...nonEmpty(words[first]?.before)].join(SEPARATOR);
  const after = [...nonEmpty(words[last]?.after), ...texts(last + 1, words.length)].join(SEPARATOR);
  return { before, after, isWhole: false };
}

const nonEmpty = (text: string | undefined): string[] => (text ? [text] : []);

/** Whether the pattern covers the words of a command that `notCovered` has nothing against. */
export const coversWords = ({ words, rest }: CommandPattern, { literal }: PartText): boolean =>
  matchesGlob(words, literal) || (rest !== undefined && matchesGlob(rest, literal));

export function couldMatchWords({ words, rest, raw }: CommandPattern, { certain, command }: PartText): boolean {
  const globs = rest ? [words, rest] : [words];
  const matches = (glob: Glob) =>
    certain.some(({ before, after, isWhole }) =>
      isWhole ? matchesGlob(glob, before) : couldMatchGlob(glob, before, after),
    );
  return (command.words.length > 0 && globs.some(matches)) || matchesGlob(raw, command.text);
}

const PATH_ARGUMENTS = new Set(['file_path', 'filePath', 'notebook_path', 'path', 'file']);

/** Of a call that changes several files each of their paths, old and new, is one of its paths. Never empty. */
export function valuesOf(name: string, input: Record<string, unknown>): readonly unknown[] {
  const { [name]: own, files } = input;
  if (!PATH_ARGUMENTS.has(name) || !Array.isArray(files)) return [own];
  const paths = files.flatMap((file) => {
    const { path, moved_to } = Object(file) as Record<string, unknown>;
    return [path, moved_to].filter((one) => one !== undefined);
  });
  return own === undefined && paths.length > 0 ? paths : [own, ...paths];
}

/** An argument that is no shell command. A path with `..` in it is never covered: it may lead out of the pattern. */
export function coversValue(name: string, glob: Glob, value: unknown): boolean {
  if (typeof value !== 'string' || !matchesGlob(glob, value)) return false;
  return !PATH_ARGUMENTS.has(name) || normalPath(value) === value;
}

export function couldMatchValue(name: string, glob: Glob, value: unknown, folder: string | undefined): boolean {
  if (value === undefined) return false;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (matchesGlob(glob, text)) return true;
  if (!PATH_ARGUMENTS.has(name) || typeof value !== 'string') return false;
  const whole = normalPath(value.startsWith('/') || folder === undefined ? value : `${folder}/${value}`);
  const inside = folder !== undefined && whole.startsWith(`${folder}/`) ? [whole.slice(folder.length + 1)] : [];
  return [normalPath(value), whole, ...inside].some((path) => matchesGlob(glob, path));
}

/** Without `.`, `..` and empty segments, as far as the text says. */
function normalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return (path.startsWith('/') ? '/' : '') + kept.join('/');
}
