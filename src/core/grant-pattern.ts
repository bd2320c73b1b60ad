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

/** The narrowest first. An empty one: every call of the tool. */
export function suggestMatches({ input }: Pick<ApprovalContent, 'input'>): Matches[] {
  const name = COMMAND_ARGUMENTS.find((argument) => input[argument] !== undefined);
  const suggested = name === undefined ? forValues(input) : forCommand(name, input[name]);
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

function forValues(input: ApprovalContent['input']): Matches[] {
  const path = PATHS.find((name) => typeof input[name] === 'string');
  if (path !== undefined) {
    const exact = escapeGlob(String(input[path]));
    const folder = exact.slice(0, exact.lastIndexOf('/') + 1);
    return [{ [path]: exact }, ...(folder.length > 1 ? [{ [path]: `${folder}*` }] : []), {}];
  }
  const texts = Object.entries(input).filter(([, value]) => typeof value === 'string' || typeof value === 'boolean');
  const exact = texts.map(([name, value]) => [name, typeof value === 'string' ? escapeGlob(value) : value]);
  const isExact = texts.length > 0 && texts.length === Object.keys(input).length;
  return isExact ? [Object.fromEntries(exact), {}] : [{}];
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
