// Suggests which calls a grant may name for an approval, from this very call to all calls of the tool, and refuses what
// would cover more than a person can see: hidden characters, commands without a program.
import type { ApprovalContent } from './ask.ts';
import { type Refusal, refuse } from './errors.ts';
import { escapeGlob } from './glob.ts';
import { exactSegments, HIDDEN_IN_JSON } from './hidden-characters.ts';
import { Matches } from './rule.ts';
import { COMMAND_ARGUMENTS } from './rule-index.ts';
import { compileCommandPattern, notCovered } from './rule-pattern.ts';
import type { ShellCommand } from './shell/command.ts';
import { readShell } from './shell/read.ts';

const PLAIN_WORD = /^[\w@%+:,./-]+$/;
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
const PATHS = ['file_path', 'filePath', 'notebook_path', 'path'];
/** Arguments that say nothing about what is done. */
const NOTES = new Set(['description', 'explanation', 'timeout', 'timeout_ms']);

type Input = ApprovalContent['input'];

/** Whether a grant says something about every argument of a call; without any, it covers every call of its tool. */
export function namesAll(matches: Matches | undefined, input: Input): boolean {
  const named = Object.keys(matches ?? {});
  return named.length === 0 || Object.keys(input).every((name) => named.includes(name) || NOTES.has(name));
}

/** Exactly this call; undefined where an argument cannot be named. */
export function exactMatches({ input }: Pick<ApprovalContent, 'input'>): Matches | undefined {
  const { data } = Matches.safeParse(exactly(input));
  return data && Object.keys(data).length > 0 ? data : undefined;
}

/** What a person says about some arguments; the others are as in this call. An empty one means every call. */
export function completed(given: Matches, input: Input): Matches {
  if (Object.keys(given).length === 0) return given;
  const others = Object.entries(exactly(input)).filter(([name, value]) => Matches.safeParse({ [name]: value }).success);
  return { ...(Object.fromEntries(others) as Matches), ...given };
}

const exactly = (input: Input): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input)
      .filter(([name]) => !NOTES.has(name))
      .map(([name, value]) => {
        // Numbers, lists and objects cannot be named.
        if (typeof value !== 'string') return [name, typeof value === 'boolean' ? value : null];
        return [name, COMMAND_ARGUMENTS.includes(name) ? [escapeGlob(value.trim())] : escapeGlob(value)];
      }),
  );

/** The narrowest first. An empty one: every call of the tool. */
export function suggestMatches({ input }: Pick<ApprovalContent, 'input'>): Matches[] {
  const name = COMMAND_ARGUMENTS.find((argument) => input[argument] !== undefined);
  const suggested =
    name === undefined ? forValues(input) : forCommand(name, input[name]).map((given) => completed(given, input));
  const all = suggested.filter((each) => Matches.safeParse(each).success);
  return all.filter((each, i) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === i);
}

function forCommand(name: string, value: unknown): Matches[] {
  if (typeof value !== 'string') return [];
  const { commands, unknown } = readShell(value);
  if (unknown !== undefined || commands.length === 0) return [];
  const wider = [2, 1].map((words) => [...new Set(commands.map((command) => openEnded(command, words)))]);
  return [[escapeGlob(value.trim())], ...wider].map((patterns) => ({ [name]: patterns }));
}

/** `git push *`, or the command exactly where a star would not cover it. */
function openEnded(command: ShellCommand, most: number): string {
  const texts = command.words.map(({ text }) => text);
  const named = texts.slice(0, SUBCOMMAND.test(texts[1] ?? '') ? most : 1);
  if (notCovered(command) !== undefined || !named.every((text) => PLAIN_WORD.test(text)))
    return escapeGlob(command.text);
  return `${named.join(' ')} *`;
}

function forValues(input: Input): Matches[] {
  const exact = exactMatches({ input });
  const path = PATHS.find((name) => typeof input[name] === 'string');
  const all = [...(exact ? [exact] : []), {}];
  if (path === undefined) return all;
  const file = escapeGlob(String(input[path]));
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const texts = Object.entries(input).filter(([, value]) => typeof value === 'string');
  const any = { ...exactly(input), ...Object.fromEntries(texts.map(([name]) => [name, '*'])) } as Matches;
  const wider = [{ ...any, [path]: file }, ...(folder.length > 1 ? [{ ...any, [path]: `${folder}*` }] : [])];
  return [...all.slice(0, -1), ...wider, {}];
}

/** Whether a person who reads the input may not see all of it. */
export function hasHiddenText({ input }: Pick<ApprovalContent, 'input'>): boolean {
  const commands = COMMAND_ARGUMENTS.map((name) => input[name]).filter((value) => value !== undefined);
  const isHidden = (value: unknown) =>
    exactSegments(typeof value === 'string' ? value : JSON.stringify(value)).some(
      ({ mark, isLookalike }) => mark !== undefined && !isLookalike,
    );
  return JSON.stringify(input).search(HIDDEN_IN_JSON) >= 0 || commands.some(isHidden);
}

export function checkGranted(content: ApprovalContent, matches: Matches | undefined): Refusal | undefined {
  if (hasHiddenText(content))
    return refuse('grant_refused', 'The request has hidden characters. Allow it once, or deny it.');
  if (matches === undefined)
    return refuse(
      'grant_refused',
      'This call has arguments that a grant cannot name exactly. Say with `matches` which calls it covers; an empty one means every call of the tool.',
    );
  const names = COMMAND_ARGUMENTS.filter((name) => content.input[name] !== undefined);
  if (names.length === 0) return undefined;
  const patterns = COMMAND_ARGUMENTS.flatMap((name) => matches?.[name] ?? []).filter(
    (each) => typeof each === 'string',
  );
  if (patterns.length > 0 && patterns.every((each) => compileCommandPattern(each).head !== undefined)) return undefined;
  return refuse(
    'grant_refused',
    `A grant for commands says which: give \`matches\` with ${names[0]}, each pattern beginning with the name of a program, such as "git status *".`,
  );
}
