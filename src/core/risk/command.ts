// Finds the signs of risk in a shell command, in every command that it would run, and in the scripts of which the request
// shows the text. A script that it does not show makes the command unclear.
import type { NamedFile } from '../ask.ts';
import { exactSegments } from '../hidden-characters.ts';
import type { Risk } from '../risk.ts';
import { type ScriptFile, scriptFilesIn, shownText } from '../script-files.ts';
import type { ShellCommand } from '../shell/command.ts';
import { isScriptElsewhere, programName } from '../shell/inner-commands.ts';
import { readShell } from '../shell/read.ts';
import { isShellName } from '../shell/scripts.ts';
import type { ShellWord } from '../shell/word.ts';
import { credentialsIn, isInside, looksLikePath, outsidePath, type Place, resolved } from './paths.ts';
import { DELETING_SQL, isReader, programSigns } from './programs.ts';

export type Note = (risk: Exclude<Risk, 'deadline'>, why: string | undefined) => void;

/** What a request shows of the scripts that its command runs. */
export interface ShownScripts {
  files: readonly NamedFile[];
  /** The folder that the command starts in. */
  base: string | undefined;
  /** Those that were assessed already. */
  read?: ReadonlySet<string>;
}

/** Without `scripts`, only the line is assessed. */
export function assessCommand(line: string, folder: string | undefined, note: Note, scripts?: ShownScripts): void {
  const { commands, unknown } = readShell(line);
  if (unknown !== undefined) note('unclear', `cannot be read in full: ${unknown}`);
  if (runsDownload(commands)) note('unknown_code', 'runs what it downloads');
  const run = scripts ? scriptFilesIn(line, commands, scripts.base) : [];
  const runners = new Set(run.map(({ command }) => command));
  let place: Place = { folder, base: folder };
  // A deletion is one of this project's own files only where it is certain in which folder it starts.
  const isPlaced = unknown === undefined && !commands.some(mayChangePlace);
  const start = { folder, base: scripts?.base };
  for (const command of commands) {
    assessOne(command, place, note, runners.has(command), isPlaced && deletesOwn(command, start));
    place = after(command, place);
  }
  if (scripts) for (const script of run) assessScript(script, folder, note, scripts);
  if (commands.some(({ words }) => SQL_CLIENT.test(words[0]?.text ?? '')) && DELETING_SQL.test(line))
    note('destructive', 'has a statement that deletes data');
}

const SQL_CLIENT = /(?:^|\/)(?:psql|mysql|mariadb|sqlite3|sqlcmd|duckdb|clickhouse-client)$/;

function assessOne(
  command: ShellCommand,
  place: Place,
  note: Note,
  isScriptKnown: boolean,
  isOwnDeletion: boolean,
): void {
  const [program, ...args] = command.words.map(({ text }) => text);
  for (const word of pathsOf(command)) {
    const outside = outsidePath(word, place);
    if (outside !== undefined) note('outside_folder', `uses ${outside}`);
  }
  const secret = credentialsIn([...operandsOf(command), ...filesOf(command)]);
  note('credentials', secret && `${isReader(programName(program ?? '')) ? 'reads' : 'uses'} ${secret}`);
  if (command.redirections.some(({ writes, target }) => writes && DEVICE.test(target.text)))
    note('destructive', 'writes to a device');
  if (command.redirections.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text)))
    note('network', 'reaches another machine');
  note('production', productionWord(command));
  if (program === undefined) return;
  const name = programName(program);
  if (command.unknown !== undefined && !(isScriptKnown && isScriptElsewhere(command.unknown)))
    note(
      'unclear',
      command.unknown.replace(/^(?:it )?/, (it) => (it === '' ? `${name}: ` : `${name} `)),
    );
  if (INTERPRETER.test(name) && args.some((arg) => /^-[a-z]*[ec]$|^--eval$/.test(arg)))
    note('unclear', `${name} runs code that stands in the command`);
  const signs = programSigns(program, args);
  if (isOwnDeletion)
    note(
      'deletes',
      `${name} deletes ${deletedBy(command)
        .map(({ text }) => text)
        .join(', ')}`,
    );
  for (const risk of ['destructive', 'network', 'production', 'publishes'] as const)
    if (signs[risk] !== undefined && !(isOwnDeletion && risk === 'destructive')) note(risk, `${name} ${signs[risk]}`);
}

const DELETERS = /^(?:rm|rmdir|unlink|trash)$/;

/** What a command that only deletes is given to delete. */
function deletedBy({ words: [, ...args] }: ShellCommand): ShellWord[] {
  const end = args.findIndex(({ text }) => text === '--');
  return args.filter(({ text }, i) => i !== end && (!text.startsWith('-') || (end >= 0 && i > end)));
}

/** Every path that it deletes is named to the letter, and is one below the work folder. */
function deletesOwn(command: ShellCommand, place: Place): boolean {
  const { words, within } = command;
  if (within !== undefined || !DELETERS.test(words[0]?.text ?? '')) return false;
  const paths = deletedBy(command);
  return (
    paths.length > 0 &&
    words.every(({ kind }) => kind === 'literal') &&
    paths.every(({ text }) => isInside(text, place))
  );
}

const CHANGES_PLACE =
  /^(?:cd|chdir|pushd|popd|chroot|ln|mount|env|sudo|doas|builtin|command|eval|source|\.|alias|exec)$/;
const mayChangePlace = ({ words: [program] }: ShellCommand): boolean =>
  program !== undefined && (program.kind !== 'literal' || CHANGES_PLACE.test(programName(program.text)));

const SHEBANG = /^#!.*[/ ](?:sh|bash|dash|zsh|ksh|ash)\b/;

/** Of a script in another language, only what its text names at sight. */
function assessScript(script: ScriptFile, folder: string | undefined, note: Note, scripts: ShownScripts): void {
  const { name, path, interpreter, base, isWritten } = script;
  const text = shownText(script, scripts.files);
  if (path === undefined || text === undefined) {
    note('unclear', `runs ${name || 'a file'}, whose content is not shown`);
    return;
  }
  if (isWritten) note('unclear', `runs ${name}, which a command before it may change`);
  const read = scripts.read ?? new Set();
  if (read.has(path)) return;
  const noteOf: Note = (risk, why) => note(risk, why && `${name}: ${why}`);
  if (hasHidden(text)) noteOf('hidden', 'has hidden characters');
  const isShell = interpreter === undefined ? !text.startsWith('#!') : isShellName(interpreter);
  if (isShell || SHEBANG.test(text))
    assessCommand(text, folder, noteOf, { files: scripts.files, base, read: new Set([...read, path]) });
  else {
    const language = interpreter ?? /^#!.*?([a-z]+)[\d.]*[ \t\r]*$/m.exec(text)?.[1] ?? '';
    const { destructive } = programSigns(language, [text]);
    noteOf('destructive', destructive && `${language} ${destructive}`);
  }
}

const hasHidden = (text: string): boolean =>
  exactSegments(text).some(({ mark, isLookalike }) => mark !== undefined && !isLookalike);

const DEVICE = /^\/dev\/(?!shm\/|tcp\/|udp\/|(?:null|tty|stdout|stderr|stdin|fd\/\d+)$)/;
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php)$/;

/** Words of a program that searches or transforms are patterns before they are files. */
const PATTERN_FIRST = new Set('grep egrep fgrep rg ag sed awk gawk perl jq yq'.split(' '));
const NO_PATHS = new Set('echo printf gh glab curl wget http xh kubectl aws gcloud az'.split(' '));
/** How these name a file that they send: `-d @file`, `-Ffield=@file`. */
const SENT_FILE = /^(?:-[a-zA-Z])?(?:[\w.-]+=)?@(.+)$/;

function pathsOf(command: ShellCommand): string[] {
  const named = operandsOf(command).filter(looksLikePath);
  const files = filesOf(command).filter(looksLikePath);
  return [...named.flatMap(mounted), ...files].filter((path) => !/^\/dev\//.test(path));
}

/** Arguments that may be files. */
function operandsOf({ words }: ShellCommand): string[] {
  const [program, ...args] = words.map(({ text }) => text);
  const name = programName(program ?? '');
  if (NO_PATHS.has(name)) return args.flatMap((arg) => SENT_FILE.exec(arg.replaceAll('"', ''))?.[1] ?? []);
  // A word that the shell expands is given as it is written, with its quotes.
  const operands = args.map((arg) => arg.replace(/^-{1,2}[\w-]+=/, '').replace(/^"([^"]*)"$/, '$1'));
  const first = PATTERN_FIRST.has(name) ? operands.findIndex((arg) => !arg.startsWith('-')) : -1;
  return operands.filter((_, i) => i !== first);
}

const filesOf = ({ redirections }: ShellCommand): string[] =>
  redirections.filter(({ operator }) => !operator.startsWith('<<')).map(({ target }) => target.text);

/** `/host/path:/path/in/container`: what stands before the colon is of this machine. */
const mounted = (word: string): string[] => (/^\/[^:]*:\//.test(word) ? [word.slice(0, word.indexOf(':'))] : [word]);

/** `cd` changes where the next relative path starts. */
function after({ words }: ShellCommand, place: Place): Place {
  const [program, target] = words;
  if (program?.text !== 'cd' && program?.text !== 'pushd') return place;
  if (target?.kind !== 'literal' || target.text.startsWith('-')) return { ...place, base: undefined };
  const { base } = place;
  if (target.text.startsWith('/')) return { ...place, base: target.text };
  return { ...place, base: base === undefined ? undefined : resolved(`${base}/${target.text}`) };
}

const PRODUCTION = /(?:^|[^a-z0-9])(?:prod|production|prd)(?![a-z0-9])/i;
/** Build modes and dependency groups of the same name. */
const BUILD_MODE =
  /^(?:(?:NODE|BABEL|JEKYLL|HUGO|MIX)_ENV=|--?(?:mode|only|omit|include|env|target)[= ]?prod|--prod(?:uction)?(?:=true)?$)/i;
const BUILDERS = new Set(
  'npm pnpm yarn bun npx node webpack vite rollup esbuild ng next nuxt vue-cli-service parcel turbo tsc pip poetry bundle composer env export'.split(
    ' ',
  ),
);

/** The first word that names production, outside of programs that only read, print or build. */
function productionWord({ words, assigns, values }: ShellCommand): string | undefined {
  const [program, ...args] = words.map(({ text }) => text);
  const name = programName(program ?? '');
  if (isReader(name) || (name === 'git' && /^(?:log|diff|show|status|add|commit|grep|blame)$/.test(args[0] ?? '')))
    return undefined;
  const found = args.find((arg, i) => {
    if (!PRODUCTION.test(arg) || arg.length > MOST_CHARACTERS) return false;
    return !BUILDERS.has(name) || !(BUILD_MODE.test(arg) || /^--?(?:mode|env|only|omit)$/.test(args[i - 1] ?? ''));
  });
  if (found !== undefined) return namedBy(found, args[args.indexOf(found) - 1]);
  const isBuild = assigns.every((each) => /^(?:NODE|BABEL|JEKYLL|HUGO|MIX)_ENV$/.test(each));
  const value = isBuild ? undefined : values.find(({ text }) => PRODUCTION.test(text));
  return value && `names “${value.text}”`;
}

/** `the context is called “prod”` for `--context prod`. */
function namedBy(word: string, before = ''): string {
  const [, option = /^--([a-z][a-z-]+)$/.exec(before)?.[1], value = word] = /^--([a-z][a-z-]+)=(.*)$/s.exec(word) ?? [];
  return option === undefined ? `names “${word}”` : `the ${option} is called “${value}”`;
}

/** Longer words are texts, not names. */
const MOST_CHARACTERS = 200;
export const namesProduction = (text: string): boolean => text.length <= MOST_CHARACTERS && PRODUCTION.test(text);

const RUNS_ARGUMENT = /^(?:sh|bash|zsh|dash|ksh|fish|eval|source|\.)$/;
const SHELL = /^(?:sh|bash|zsh|dash|ksh|fish|python[\d.]*|node|ruby|perl|php)$/;

/** Something is fetched, and a shell or interpreter reads its program from its input or is given it as an argument. */
function runsDownload(commands: readonly ShellCommand[]): boolean {
  const nameOf = ({ words }: ShellCommand) => programName(words[0]?.text ?? '');
  const fetching = commands.filter((command) => /^(?:curl|wget|http|xh)$/.test(nameOf(command)));
  const readsProgram = (command: ShellCommand) =>
    SHELL.test(nameOf(command)) && command.words.slice(1).every(({ text }) => /^-(?:s|x|e)*$|^-$/.test(text));
  const isRun = ({ within }: ShellCommand) => within !== undefined && RUNS_ARGUMENT.test(nameOf(within));
  return fetching.some(isRun) || (fetching.length > 0 && commands.some(readsProgram));
}
