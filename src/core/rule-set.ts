// Decides tool calls by rules: for every part of a call the first rule that matches, for the call the strictest of those.
// Every part needs an allow; no match means ask, and so does what cannot be read. Compiled once and indexed by tool and
// program, so that thousands of rules cost as little as a few.
import { compileGlob, type Glob, matchesGlob } from './glob.ts';
import type { PartDecision, RuleDecision, RuledCall, RuleSource, SourcedRule } from './rule.ts';
import { explainPart, summarise } from './rule-explanation.ts';
import {
  type CommandPattern,
  compileCommandPattern,
  couldMatchValue,
  couldMatchWords,
  coversValue,
  coversWords,
  headOf,
  notCovered,
  type PartText,
  partText,
} from './rule-pattern.ts';
import type { ShellCommand, ShellReading } from './shell/command.ts';
import { programName } from './shell/inner-commands.ts';
import { readShell } from './shell/read.ts';

interface CompiledRule {
  sourced: SourcedRule;
  index: number;
  tool: Glob;
  isAllow: boolean;
  /** A project file may not allow: its allow only ends the search in that file. */
  isPass: boolean;
  command: readonly CommandPattern[] | undefined;
  values: readonly { name: string; globs: readonly Glob[]; is?: boolean }[];
}

/** The rules for one tool and context, by what their command patterns begin with. */
interface ToolIndex {
  byHead: Map<string, CompiledRule[]>;
  byText: Map<string, CompiledRule[]>;
  others: CompiledRule[];
  all: CompiledRule[];
  /** Those that may apply to a command that is not known. */
  restricting: CompiledRule[];
}

export interface RuleSet {
  rules: readonly CompiledRule[];
  indexes: Map<string, ToolIndex>;
}

/** Arguments that are shell commands. */
export const COMMAND_ARGUMENTS = ['command', 'cmd'];
/** Names of tools come from agents. */
const MOST_INDEXES = 64;

/** The rules of one source, in order. */
export function compileRules(rules: readonly SourcedRule[]): RuleSet {
  return { rules: rules.map(compileRule), indexes: new Map() };
}

function compileRule(sourced: SourcedRule, index: number): CompiledRule {
  const { tool, matches = {}, action } = sourced.rule;
  const isProject = sourced.source === 'project';
  const isPass = isProject && (action === 'allow' || action === 'delegate');
  const patterns = (value: string | string[] | boolean) => [value].flat().filter((one) => typeof one === 'string');
  const commands = Object.entries(matches).filter(([name]) => COMMAND_ARGUMENTS.includes(name));
  return {
    sourced,
    index,
    tool: compileGlob(tool),
    isAllow: action === 'allow' || isPass,
    isPass,
    command:
      commands.length > 0 ? commands.flatMap(([, value]) => patterns(value)).map(compileCommandPattern) : undefined,
    values: Object.entries(matches)
      .filter(([name]) => !COMMAND_ARGUMENTS.includes(name))
      .map(([name, value]) => ({
        name,
        globs: patterns(value).map(compileGlob),
        ...(typeof value === 'boolean' && { is: value }),
      })),
  };
}

/** The rules of every source in the order of sources; grants are asked about what those would ask a person about. */
export interface RuleSources {
  sets: readonly RuleSet[];
  grants?: RuleSet | undefined;
}

export function decideByRules(sources: RuleSources, call: RuledCall): RuleDecision {
  const lines = COMMAND_ARGUMENTS.map((name) => call.input[name]).filter((value) => value !== undefined);
  if (lines.length === 0) return summarise([wholeCall(sources, call)]);
  return summarise(lines.flatMap((line) => commandParts(sources, call, readLine(line))));
}

/** Sources that may only restrict: where they ask, a later source may still reject. */
const ONLY_RESTRICTS: readonly RuleSource[] = ['builtin', 'project'];

/** The match of the first source that has one. */
function firstSource({ sets, grants }: RuleSources, find: (set: RuleSet) => Match | undefined): Match | undefined {
  let asks: Match | undefined;
  let last: Match | undefined;
  for (const set of sets) {
    last = find(set);
    if (last && (isReject(last) || !ONLY_RESTRICTS.includes(last.rule.source))) break;
    asks ??= last;
  }
  const found = last && isReject(last) ? last : (asks ?? last);
  const needsGrant = !found || found.rule.rule.action === 'ask';
  return (grants && needsGrant ? find(grants) : undefined) ?? found;
}

const isReject = ({ rule, isDoubt }: Match): boolean => rule.rule.action === 'reject' && !isDoubt;

/** A call that is no shell command has one part. */
function wholeCall(sources: RuleSources, call: RuledCall): PartDecision {
  const found = firstSource(sources, (set) =>
    firstMatch(indexOf(set, call).all, (rule) => matchesValues(rule, call) && !rule.command),
  );
  return explainPart({ text: call.tool }, found, undefined);
}

interface Line {
  text: string;
  reading: ShellReading;
}

/** A command is a text for a shell, or a list of words. */
function readLine(value: unknown): Line {
  if (typeof value === 'string') return { text: value.trim(), reading: readShell(value) };
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string'))
    return {
      text: JSON.stringify(value),
      reading: { commands: [], unknown: 'it is neither a text nor a list of words' },
    };
  const text = value.map(quoted).join(' ');
  return { text, reading: readShell(text) };
}

const quoted = (word: string): string => (/^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function commandParts(sources: RuleSources, call: RuledCall, line: Line): PartDecision[] {
  const { commands, unknown } = line.reading;
  const unread = unknown === undefined && commands.length > 0 ? [] : [decideUnread(sources, call, line)];
  return [...unread, ...commands.map((command) => decideCommand(sources, call, line, command))];
}

/**
 * The line as a whole, where it could not be read: only a rule for all of the tool, or for exactly this text, applies. No
 * grant does: the person who gave it could not tell what runs either.
 */
function decideUnread({ sets }: RuleSources, call: RuledCall, line: Line): PartDecision {
  const why = line.reading.unknown ?? 'it has no command';
  const found = firstSource({ sets }, (set) =>
    firstMatch(indexOf(set, call).all, (rule) => {
      if (!matchesValues(rule, call)) return false;
      if (rule.isAllow) return rule.command?.some(({ exact }) => exact === line.text) ?? false;
      return !rule.command || rule.command.some(({ raw }) => matchesGlob(raw, line.text));
    }),
  );
  return explainPart({ text: line.text }, found, why);
}

function decideCommand(
  { sets, grants }: RuleSources,
  call: RuledCall,
  line: Line,
  command: ShellCommand,
): PartDecision {
  const part = partText(command);
  const obstacle = notCovered(command);
  const sources = command.unknown === undefined ? { sets, grants } : { sets };
  return explainPart(
    command,
    firstSource(sources, (set) => firstForCommand(set, call, line, part, obstacle)),
    obstacle,
  );
}

export interface Match {
  rule: SourcedRule;
  /** The rule may apply, but that cannot be told: ask. */
  isDoubt: boolean;
}

function firstForCommand(
  set: RuleSet,
  call: RuledCall,
  line: Line,
  part: PartText,
  obstacle: string | undefined,
): Match | undefined {
  const index = indexOf(set, call);
  const exactTexts = textsAround(line, part.command);
  const isFirst = line.reading.commands[0] === part.command;
  return firstMatch(candidates(index, part, exactTexts, isFirst), (rule) => {
    if (!matchesValues(rule, call)) return false;
    if (!rule.command) return true;
    if (rule.isAllow)
      return rule.command.some(
        (pattern) =>
          (pattern.exact !== undefined && exactTexts.includes(pattern.exact)) ||
          (obstacle === undefined && coversWords(pattern, part)),
      );
    if (
      rule.command.some(
        (pattern) =>
          couldMatchWords(pattern, part) ||
          (isFirst && line.text !== part.command.text && matchesGlob(pattern.raw, line.text)),
      )
    )
      return true;
    return part.command.unknown === undefined ? false : 'doubt';
  });
}

/** The texts that contain the command: its own, of the commands around it, and the whole line. */
function textsAround(line: Line, command: ShellCommand): string[] {
  const texts = [line.text];
  for (let each: ShellCommand | undefined = command; each; each = each.within)
    if (!each.redirections.some(({ operator }) => operator.startsWith('<<') && operator !== '<<<'))
      texts.push(each.text);
  return texts;
}

function candidates(
  { all, byHead, byText, others, restricting }: ToolIndex,
  { command }: PartText,
  texts: readonly string[],
  isFirst: boolean,
): CompiledRule[] {
  const [program, second] = command.words;
  if ((program && program.kind !== 'literal') || (second && second.kind !== 'literal')) return all;
  const heads = new Set<string>();
  const add = (name: string, next: string | undefined) => heads.add(name).add(headOf(name, next));
  if (program) for (const name of [program.text, programName(program.text)]) add(name, second?.text);
  // A rule that restricts is also compared with the raw text, which may begin with an assignment.
  for (const text of isFirst ? [command.text, texts[0] ?? ''] : [command.text]) {
    const [, name = '', next] = /^(\S*)(?:\s+(\S+))?/.exec(text) ?? [];
    add(name, next);
  }
  const lists = [others, ...[...heads].map((head) => byHead.get(head) ?? [])];
  lists.push(...texts.map((text) => byText.get(text) ?? []));
  if (command.unknown !== undefined) lists.push(restricting);
  const found = lists.filter((list) => list.length > 0);
  if (found.length === 1) return found[0] ?? [];
  return [...new Set(found.flat())].sort((a, b) => a.index - b.index);
}

/** True: it applies. `doubt`: it may. */
function firstMatch(
  rules: readonly CompiledRule[],
  applies: (rule: CompiledRule) => boolean | 'doubt',
): Match | undefined {
  for (const rule of rules) {
    const found = applies(rule);
    if (found === false) continue;
    return rule.isPass ? undefined : { rule: rule.sourced, isDoubt: found === 'doubt' };
  }
  return undefined;
}

function matchesValues({ values, isAllow }: CompiledRule, { input, workFolder }: RuledCall): boolean {
  return values.every(({ name, globs, is }) => {
    const value = input[name];
    if (is !== undefined) return value === is;
    return globs.some((glob) =>
      isAllow ? coversValue(name, glob, value) : couldMatchValue(name, glob, value, workFolder),
    );
  });
}

function indexOf(set: RuleSet, { tool, context }: RuledCall): ToolIndex {
  const key = `${context} ${tool}`;
  const known = set.indexes.get(key);
  if (known) return known;
  if (set.indexes.size >= MOST_INDEXES) set.indexes.clear();
  const all = set.rules.filter(
    ({ sourced, tool: glob }) => (sourced.rule.context ?? context) === context && matchesGlob(glob, tool),
  );
  const index: ToolIndex = { all, byHead: new Map(), byText: new Map(), others: [], restricting: [] };
  for (const rule of all) addToIndex(index, rule);
  set.indexes.set(key, index);
  return index;
}

function addToIndex({ byHead, byText, others, restricting }: ToolIndex, rule: CompiledRule): void {
  const { command, isAllow } = rule;
  // The first one without further conditions applies in any case.
  if (command && !isAllow && restricting.at(-1)?.values.length !== 0) restricting.push(rule);
  if (!command || command.some(({ head }) => head === undefined)) {
    others.push(rule);
    return;
  }
  for (const { head, exact } of command) {
    if (head !== undefined) push(byHead, head, rule);
    if (exact !== undefined) push(byText, exact, rule);
  }
}

function push(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const list = map.get(key);
  if (list) list.push(rule);
  else map.set(key, [rule]);
}
