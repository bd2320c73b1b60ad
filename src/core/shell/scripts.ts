// Tells which words of a command are scripts that it runs: its program where that is a path, and the file that it gives to
// an interpreter, to `.` or to `source`. A file that is only read or written is none. Resolves no path. What runs behind a
// wrapper (`sudo`, `env`, `sh -c`) is a command of its own, which the shell reader finds.
import type { ShellCommand } from './command.ts';
import { programName } from './inner-commands.ts';
import type { ShellWord } from './word.ts';

export interface ScriptWord {
  word: ShellWord;
  /** The name of the interpreter; absent where the script is the program itself. */
  interpreter?: string;
}

interface Interpreter {
  /** Options with which it runs no file: its code stands in the command, or is a module or a script of a package. */
  without: RegExp;
  /** Options that are followed by a value. */
  values: RegExp;
  /** Words that may stand before the file. */
  subcommands?: RegExp;
  /** Takes other subcommands, too: only a word that looks like a file is one. */
  isTool?: true;
  /** With this option every operand runs. */
  every?: RegExp;
}

const SHELL: Interpreter = { without: /^-[a-zA-Z]*[cs]/, values: /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/ };
const NODE: Interpreter = {
  without: /^(?:-[a-z]*[ephiv]|--(?:eval|print|interactive|run|version|help))(?:=|$)/,
  values:
    /^(?:-[rCPO]|--(?:require|import|loader|experimental-loader|conditions|project|tsconfig|test-reporter|test-reporter-destination|test-name-pattern))$/,
  subcommands: /^(?:inspect|watch)$/,
  every: /^--test$/,
};
const TABLE: readonly (readonly [programs: string, Interpreter])[] = [
  ['sh bash dash zsh ksh mksh ash rbash yash fish csh tcsh', SHELL],
  ['. source', { without: /^$/, values: /^$/ }],
  ['node nodejs tsx ts-node', NODE],
  ['bun', { without: /^(?:-[ep]|--eval|--print)$/, values: /^-r$|^--preload$/, subcommands: /^run$/, isTool: true }],
  [
    'deno',
    {
      without: /^$/,
      values: /^(?:-c|--(?:config|import-map|lock))$/,
      subcommands: /^(?:run|serve|test|bench)$/,
      isTool: true,
    },
  ],
  ['python', { without: /^-[bBdEiIOPqsSuvx]*[cmVh]/, values: /^-[bBdEiIOPqsSuvx]*[WX]$|^--check-hash-based-pycs$/ }],
  ['ruby', { without: /^-[acdlnpsw0]*[evh]/, values: /^-[ICErK]$/ }],
  ['perl', { without: /^-[acdfilnpstTuUwWX0-9.]*[eEvV]/, values: /^-I$/ }],
  ['php', { without: /^-[rRBSivmh]|^--(?:run|server|version|info)$/, values: /^-[cdzt]$/ }],
  ['lua luajit Rscript', { without: /^-[ev]$/, values: /^-l$/ }],
];
const INTERPRETERS = new Map(TABLE.flatMap(([names, one]) => names.split(' ').map((name) => [name, one] as const)));

const SHELLS = new Set(TABLE.slice(0, 2).flatMap(([names]) => names.split(' ')));
export const isShellName = (name: string): boolean => SHELLS.has(name);

/** Programs of the system and its packages are run by their paths, too; they are not scripts of the work. */
const INSTALLED = /^\/(?:usr\/(?:local\/)?)?s?bin\/|^\/opt\/(?:homebrew|local)\/s?bin\//;
const LOOKS_LIKE_FILE = /[./]/;

export function scriptsRunBy({ words, redirections }: Pick<ShellCommand, 'words' | 'redirections'>): ScriptWord[] {
  const [program, ...args] = words;
  if (program?.kind !== 'literal') return [];
  const isPath = program.text.includes('/') && !INSTALLED.test(program.text);
  const own: ScriptWord[] = isPath ? [{ word: program }] : [];
  const name = programName(program.text);
  const known = INTERPRETERS.get(/^(?:python|pypy)[\d.]*$/.test(name) ? 'python' : name);
  if (!known) return own;
  const given = filesGiven(args, known);
  if (given === undefined) return own;
  const input = redirections.findLast(({ operator }) => operator === '<')?.target;
  const files = given.length > 0 ? given : input ? [input] : [];
  return [...own, ...files.map((word) => ({ word, interpreter: name }))];
}

/** Undefined: it runs no file. Empty: it may run its input. */
function filesGiven(args: readonly ShellWord[], known: Interpreter): ShellWord[] | undefined {
  const { without, values, subcommands, isTool, every } = known;
  const operands: ShellWord[] = [];
  let isEvery = false;
  let areOptions = true;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as ShellWord;
    const { text } = word;
    if (areOptions && text === '--') areOptions = false;
    else if (areOptions && /^[-+]./.test(text) && word.kind === 'literal') {
      if (operands.length === 0 && without.test(text)) return undefined;
      if (every?.test(text)) isEvery = true;
      if (values.test(text)) at += 1;
    } else if (text === '-' && operands.length === 0) return [];
    else if (operands.length > 0 || !subcommands?.test(text)) operands.push(word);
    if (operands.length > 0 && !isEvery) break;
  }
  const [first] = operands;
  if (isTool && first && !LOOKS_LIKE_FILE.test(first.text)) return undefined;
  // Without an operand, these look for tests or begin a conversation.
  return operands.length === 0 && (isEvery || isTool) ? undefined : operands;
}
