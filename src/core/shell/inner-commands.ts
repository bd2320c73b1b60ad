// Finds what a command runs besides its own program: behind wrappers (`sudo`, `env`, `xargs`, `find -exec`), in scripts
// given as arguments (`sh -c`, `eval`, `trap`), and in options that name a program (`git -c`, `tar --to-command`). What is
// not certain is unknown; a program that is not listed here runs nothing else.
import type { ShellRedirection } from './command.ts';
import { programOptions } from './program-options.ts';
import { type ShellWord, unknownWord } from './word.ts';
import { commandAfterOptions, WRAPPERS } from './wrappers.ts';

export type InnerCommand =
  | { kind: 'words'; words: readonly ShellWord[]; assigns: readonly string[] }
  | { kind: 'script'; text: string }
  | { kind: 'unknown'; why: string };

type Finder = (words: readonly ShellWord[], redirections: readonly ShellRedirection[]) => InnerCommand[];

export function innerCommands(
  [program, ...words]: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): InnerCommand[] {
  if (!program) return [];
  if (program.kind !== 'literal') return unknown('the name of the program is not literal');
  // zsh replaces `=name` by the path of that program.
  if (program.text.startsWith('=')) return unknown('shells read a name that begins with = differently');
  const name = programName(program.text);
  const wrapper = WRAPPERS.get(name);
  if (wrapper) return commandAfterOptions(name, wrapper, words);
  return (FINDERS.get(name) ?? programOptions(name))?.(words, redirections) ?? [];
}

/** Without its folder, and in small letters: some file systems know no others. */
export const programName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

const unknown = (why: string): InnerCommand[] => [{ kind: 'unknown', why }];

const RUNS_SCRIPT = 'it runs a script file';
const RUNS_INPUT = 'it runs commands from its input';
/** Whether a command is unknown only because its script stands in a file. */
export const isScriptElsewhere = (why: string): boolean => why === RUNS_SCRIPT || why === RUNS_INPUT;

const isOpen = ({ kind }: ShellWord): boolean => kind === 'open';
const textsOf = (words: readonly ShellWord[]): string[] => words.map(({ text }) => text);

/** `-c` may stand in a cluster; options that take a value are followed by it. */
function shell(words: readonly ShellWord[], redirections: readonly ShellRedirection[]): InnerCommand[] {
  let isScript = false;
  let at = 0;
  for (; at < words.length; at++) {
    const { text, kind } = words[at] ?? unknownWord(0);
    if (kind !== 'literal') return unknown('an option of the shell is not literal');
    if (text === '--' || text === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text === '--version' || text === '--help') return [];
    if (text.startsWith('--') && !/^--(?:login|noprofile|norc|posix)$/.test(text))
      return unknown(`the option ${text} of a shell may read a file`);
    if (!text.startsWith('--') && text.includes('c')) isScript = true;
    if (!text.startsWith('--') && /[oO]/.test(text)) at += 1;
  }
  const operand = words[at];
  if (isScript) return operand ? scriptOf(operand) : [];
  if (operand && !words.slice(0, at).some(({ text }) => /^-[a-z]*s/.test(text))) return unknown(RUNS_SCRIPT);
  const input = redirections.findLast(({ operator }) => operator.startsWith('<<'));
  return input && redirections.length === 1 ? scriptOf(input.target) : unknown(RUNS_INPUT);
}

function scriptOf({ kind, text }: ShellWord): InnerCommand[] {
  return kind === 'literal' ? [{ kind: 'script', text }] : unknown('the script is not literal');
}

function evalScript(words: readonly ShellWord[]): InnerCommand[] {
  if (words.length === 0) return [];
  if (words.some(({ kind }) => kind !== 'literal')) return unknown('the script is not literal');
  const texts = textsOf(words);
  return [{ kind: 'script', text: (texts[0] === '--' ? texts.slice(1) : texts).join(' ') }];
}

function trap(words: readonly ShellWord[]): InnerCommand[] {
  const [action, ...signals] = words[0]?.text === '--' ? words.slice(1) : words;
  if (!action || signals.length === 0 || /^(?:-[lp]?)?$/.test(action.text)) return [];
  return scriptOf(action);
}

/** `-exec cmd {} ;` and its relatives; the names of files take the place of `{}`. */
function find(words: readonly ShellWord[]): InnerCommand[] {
  const found: InnerCommand[] = words.some(isOpen) ? unknown('an argument of find is not literal') : [];
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]?.text ?? '')) continue;
    const rest = words.slice(at + 1);
    const length = rest.findIndex(({ text }) => text === ';' || text === '+');
    const run = rest.slice(0, length < 0 ? rest.length : length);
    at += run.length;
    found.push({ kind: 'words', words: run.map(withFileNames), assigns: [] });
  }
  return found;
}

function withFileNames(word: ShellWord): ShellWord {
  const at = word.text.indexOf('{}');
  if (word.kind !== 'literal' || at < 0) return word;
  return {
    ...word,
    kind: 'open',
    before: word.text.slice(0, at),
    after: word.text.slice(word.text.lastIndexOf('{}') + 2),
  };
}

/** Arguments that are evaluated as names or arithmetic: a subscript in them is expanded. */
const evaluated: Finder = (words) =>
  words.some(({ kind, text }) => kind !== 'literal' || /[$`]/.test(text))
    ? unknown('an argument is evaluated again')
    : [];

const testVariable: Finder = (words) => (words.some(({ text }) => /^-[vR]$/.test(text)) ? evaluated(words, []) : []);

const wait: Finder = (words) => (words.some(({ text }) => /^-[a-z]*p/.test(text)) ? evaluated(words, []) : []);

const jobs: Finder = (words) =>
  words.some(({ text, kind }) => kind === 'open' || /^-[a-z]*x/.test(text)) ? opaque(words, []) : [];

const printf: Finder = (words) => (words[0]?.text.startsWith('-v') ? evaluated(words.slice(0, 2), []) : []);

/** `declare 'a[$(cmd)]=1'` expands the subscript; with -i the value is arithmetic. */
const declare: Finder = (words) => {
  const isInteger = words.some(({ text }) => /^-[a-zA-Z]*i/.test(text));
  const names = words.map((word) => ({ ...word, text: isInteger ? word.text : (word.text.split('=', 1)[0] ?? '') }));
  return evaluated(names, []);
};

const changesWhen =
  (changes: RegExp): Finder =>
  (words) =>
    words.some(({ text, kind }) => kind === 'open' || changes.test(text))
      ? unknown('it changes what later commands mean')
      : [];

const opaque: Finder = (words) =>
  words.length === 0 || words.every(({ text }) => /^--(?:version|help)$/.test(text))
    ? []
    : unknown('it runs a command that is not followed');

/** Modes of `set` that leave the meaning of commands as it is. */
const HARMLESS_MODES = /^(?:[-+](?:[euxvn]+|[euxv]*o)|pipefail|errexit|nounset|xtrace|noglob|-f)$/;

const FINDERS = new Map<string, Finder>([
  ...'sh bash dash zsh ksh mksh ash rbash yash fish csh tcsh'.split(' ').map((name) => [name, shell] as const),
  ['eval', evalScript],
  ['trap', trap],
  ['find', find],
  ['source', () => unknown(RUNS_SCRIPT)],
  ['.', () => unknown(RUNS_SCRIPT)],
  [
    'set',
    (words) =>
      words.every(({ text }) => HARMLESS_MODES.test(text)) ? [] : unknown('it changes how commands are read'),
  ],
  ['shopt', changesWhen(/^-[a-z]*[su]/)],
  ['setopt', opaque],
  ['unsetopt', opaque],
  ['emulate', opaque],
  ['alias', changesWhen(/=/)],
  ['hash', changesWhen(/^-[a-z]*p/)],
  ['enable', changesWhen(/./)],
  ['bind', changesWhen(/./)],
  ['complete', changesWhen(/./)],
  ['compgen', changesWhen(/^-[a-zA-Z]*[CFW]/)],
  ['fc', changesWhen(/^-(?![a-z]*l)/)],
  ['mapfile', changesWhen(/^-[a-zA-Z]*[Cc]/)],
  ['readarray', changesWhen(/^-[a-zA-Z]*[Cc]/)],
  ['autoload', opaque],
  ['zle', opaque],
  ['test', testVariable],
  ['[', testVariable],
  ['printf', printf],
  ['wait', wait],
  ['jobs', jobs],
  ...'let unset read getopts'.split(' ').map((name) => [name, evaluated] as const),
  ...'declare typeset local readonly export integer float'.split(' ').map((name) => [name, declare] as const),
  ...'ssh parallel watch script su runuser pkexec systemd-run at batch expect strace ltrace unshare nsenter bwrap firejail proot fakeroot start-stop-daemon setpriv capsh cpulimit rlwrap unbuffer xterm osascript rsh mosh gosu su-exec runcon systemd-inhibit dbus-run-session xvfb-run entr setarch linux32 linux64 i386 i486 i586 i686 x86_64 uname26 prlimit choom valgrind gdb lldb perf tmux screen faketime torsocks proxychains proxychains4 numactl cgexec schedtool catchsegv ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1'
    .split(' ')
    .map((name) => [name, opaque] as const),
]);
