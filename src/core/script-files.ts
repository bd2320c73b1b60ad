// Finds the files that an action runs as scripts, and their text where the request shows it. Pure: paths are resolved as
// text, and a script whose folder cannot be told has no path, so its text is never taken from a file of the same name.
import type { NamedFile } from './ask.ts';
import { credentialsIn, resolved } from './risk/paths.ts';
import { isReader } from './risk/programs.ts';
import { COMMAND_ARGUMENTS } from './rule-index.ts';
import type { ShellCommand } from './shell/command.ts';
import { programName } from './shell/inner-commands.ts';
import { readShell } from './shell/read.ts';
import { scriptsRunBy } from './shell/scripts.ts';

export interface ScriptFile {
  /** As it stands in the command. */
  name: string;
  /** Absolute. */
  path: string | undefined;
  interpreter: string | undefined;
  /** The command that runs it, and the folder that it starts in. */
  command: ShellCommand;
  base: string | undefined;
  /** A command before it may change it. */
  isWritten: boolean;
}

/** A command that is given as a list of words is quoted, so that it reads as these words. */
export function commandLine(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : '';
  return value.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(' ');
}

/** `base`: the folder that the command starts in. */
export function scriptFilesIn(line: string, commands: readonly ShellCommand[], base: string | undefined): ScriptFile[] {
  const start = startOf(line, commands, base);
  const pathOf = (name: string) => absolute(name, start);
  return commands.flatMap((command, at) =>
    scriptsRunBy(command).map(({ word, interpreter }) => {
      const path = word.kind === 'literal' ? pathOf(word.text) : undefined;
      const isWritten = path !== undefined && commands.slice(0, at).some((one) => mayWrite(one, path, pathOf));
      return { name: word.text, path, interpreter, command, base: start, isWritten };
    }),
  );
}

/** The paths of the scripts whose text a request may carry. A file of secrets is never one, not even if it is sourced. */
export function scriptPaths(input: Readonly<Record<string, unknown>>, base: string): Set<string> {
  const lines = COMMAND_ARGUMENTS.map((name) => commandLine(input[name])).filter((line) => line !== '');
  const found = lines.flatMap((line) => scriptFilesIn(line, readShell(line).commands, base));
  const paths = found.flatMap(({ path }) => (path === undefined ? [] : [path]));
  return new Set(paths.filter((path) => credentialsIn([path]) === undefined));
}

/** The text of it that the request shows. */
export const shownText = ({ path: own }: ScriptFile, files: readonly NamedFile[]): string | undefined =>
  files.find(({ path }) => path === own)?.text;

/** The folder that an action runs in, as far as it says so itself. */
export function startFolder(folder: string | undefined, input: Readonly<Record<string, unknown>>): string | undefined {
  const own = ownFolder(input);
  return own === undefined ? folder : absolute(own, folder);
}
export const ownFolder = ({ cwd, workdir }: Readonly<Record<string, unknown>>): string | undefined =>
  [cwd, workdir].find((folder) => typeof folder === 'string');

function absolute(name: string, base: string | undefined): string | undefined {
  if (name.startsWith('/')) return resolved(name);
  return base?.startsWith('/') ? resolved(`${base}/${name}`) : undefined;
}

const CHANGES_FOLDER = /^(?:cd|chdir|pushd|popd|chroot)$/;
const OF_A_WRAPPER = /^(?:-[a-zA-Z]*[CDi]|--(?:chdir|login))/;

/** Follows one `cd` at the very beginning. After any other change, it is not known where a relative path starts. */
function startOf(line: string, commands: readonly ShellCommand[], base: string | undefined): string | undefined {
  const [first, ...others] = commands;
  const isFirst = first !== undefined && isOpeningCd(line, first);
  if ((isFirst ? others : commands).some(changesFolder)) return undefined;
  return isFirst ? absolute(first.words[1]?.text ?? '', base) : base;
}

function isOpeningCd(line: string, { words, pos, end, within }: ShellCommand): boolean {
  const [program, target, ...more] = words;
  if (program?.text !== 'cd' || target?.kind !== 'literal' || target.text.startsWith('-') || more.length > 0)
    return false;
  return within === undefined && line.slice(0, pos).trim() === '' && /^[ \t]*(?:&&|;|\n)/.test(line.slice(end));
}

function changesFolder({ words }: ShellCommand): boolean {
  const [program, ...args] = words.map(({ text }) => text);
  const name = programName(program ?? '');
  return CHANGES_FOLDER.test(name) || (/^(?:env|sudo|doas)$/.test(name) && args.some((arg) => OF_A_WRAPPER.test(arg)));
}

/** Readers that can also write in place. */
const MAY_EDIT = new Set(['sed', 'awk', 'sort']);

function mayWrite(command: ShellCommand, path: string, pathOf: (name: string) => string | undefined): boolean {
  const { words, redirections } = command;
  if (redirections.some(({ writes, target }) => writes && pathOf(target.text) === path)) return true;
  const name = programName(words[0]?.text ?? '');
  if (name === 'chmod' || (isReader(name) && !MAY_EDIT.has(name))) return false;
  const run = new Set(scriptsRunBy(command).map(({ word }) => word));
  return words.slice(1).some((word) => !run.has(word) && pathOf(word.text) === path);
}
