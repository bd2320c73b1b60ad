// Decides tool calls by rules: for every part of a call the first rule that matches, for the call the strictest of those.
// Every part needs an allow; no match means ask, and so does what cannot be read.
import { matchesGlob } from './glob.ts';
import {
  type PartDecision,
  type RuleDecision,
  type RuledCall,
  type RuleSource,
  type SourcedRule,
  sourcedProject,
} from './rule.ts';
import { isTooCostly } from './rule-cost.ts';
import { explainPart, summarise } from './rule-explanation.ts';
import {
  COMMAND_ARGUMENTS,
  type CompiledRule,
  candidates,
  compileRules,
  indexOf,
  type RuleSet,
  rejects,
} from './rule-index.ts';
import {
  couldMatchValue,
  couldMatchWords,
  coversValue,
  coversWords,
  notCovered,
  type PartText,
  partText,
  valuesOf,
} from './rule-pattern.ts';
import type { ShellCommand, ShellReading } from './shell/command.ts';
import { readShell } from './shell/read.ts';

/** The rules of every source in the order of sources; grants are asked about what those would ask a person about. */
export interface RuleSources {
  sets: readonly RuleSet[];
  grants?: RuleSet | undefined;
}

export function decideByRules(sources: RuleSources, call: RuledCall): RuleDecision {
  const values = COMMAND_ARGUMENTS.map((name) => call.input[name]).filter((value) => value !== undefined);
  const lines = values.map(readLine);
  const bounded = { ...sources, sets: sources.sets.map((set) => boundedSet(set, call, lines)) };
  if (lines.length === 0) return summarise([wholeCall(bounded, call)]);
  return summarise(lines.flatMap((line) => commandParts(bounded, call, line)));
}

const TOO_MANY = compileRules(sourcedProject({ fault: 'it has too many rules for a call of this size' }));

/** The rules of a project and the call both come from the agent's side: what would take long to compare is asked. */
function boundedSet(set: RuleSet, { input }: RuledCall, lines: readonly Line[]): RuleSet {
  if (set.rules[0]?.sourced.source !== 'project') return set;
  const texts = lines.map(({ text }) => text);
  const commands = lines.reduce((sum, { reading }) => sum + reading.commands.length, 0);
  return isTooCostly(set.rules, input, texts, commands) ? TOO_MANY : set;
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
  const found = last?.rule.rule.action === 'reject' ? last : (asks ?? last);
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
      return !rule.command || rule.command.some(({ raw }) => matchesGlob(raw, line.text)) || 'doubt';
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

/** True: it applies. `doubt`: it may. */
function firstMatch(
  rules: readonly CompiledRule[],
  applies: (rule: CompiledRule) => boolean | 'doubt',
): Match | undefined {
  let doubt: CompiledRule | undefined;
  for (const rule of rules) {
    const found = applies(rule);
    if (found === false) continue;
    if (found === true && !doubt) return rule.isPass ? undefined : { rule: rule.sourced, isDoubt: false };
    // Among rules that may apply, one that rejects is named before others.
    if (!doubt || rejects(rule)) doubt = rule;
    if (found === true || rejects(rule)) break;
  }
  return doubt && { rule: doubt.sourced, isDoubt: true };
}

function matchesValues({ values, isAllow }: CompiledRule, { input, workFolder }: RuledCall): boolean {
  return values.every(({ name, globs, is }) => {
    if (is !== undefined) return input[name] === is;
    const given = valuesOf(name, input);
    if (isAllow) return given.every((value) => globs.some((glob) => coversValue(name, glob, value)));
    return given.some((value) => globs.some((glob) => couldMatchValue(name, glob, value, workFolder)));
  });
}
