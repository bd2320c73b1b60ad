// Compiles the rules of one source and indexes them by tool, and by the first words of their command patterns, so that
// thousands of rules cost as little as a few. rule-set.ts decides with them.
import { compileGlob, type Glob, matchesGlob } from './glob.ts';
import type { RuledCall, SourcedRule } from './rule.ts';
import { type CommandPattern, compileCommandPattern, headOf, type PartText } from './rule-pattern.ts';
import { programName } from './shell/inner-commands.ts';

export interface CompiledRule {
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
  /** Two of these lists as one. */
  merged: WeakMap<CompiledRule[], WeakMap<CompiledRule[], CompiledRule[]>>;
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

export function indexOf(set: RuleSet, { tool, context }: RuledCall): ToolIndex {
  const key = `${context} ${tool}`;
  const known = set.indexes.get(key);
  if (known) return known;
  if (set.indexes.size >= MOST_INDEXES) set.indexes.clear();
  const all = set.rules.filter(
    ({ sourced, tool: glob }) => (sourced.rule.context ?? context) === context && matchesGlob(glob, tool),
  );
  const index: ToolIndex = {
    all,
    byHead: new Map(),
    byText: new Map(),
    others: [],
    restricting: restrictingOf(all),
    merged: new WeakMap(),
  };
  for (const rule of all) addToIndex(index, rule);
  set.indexes.set(key, index);
  return index;
}

/** The rules that may match a command, in order. */
export function candidates(
  index: ToolIndex,
  { command }: PartText,
  texts: readonly string[],
  isFirst: boolean,
): CompiledRule[] {
  const { all, byHead, byText, others, restricting } = index;
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
  const lists = others.length > 0 ? [others] : [];
  for (const head of heads) addList(lists, byHead.get(head));
  for (const text of texts) addList(lists, byText.get(text));
  if (command.unknown !== undefined) addList(lists, restricting);
  return inOrder(index, lists);
}

function addList(lists: CompiledRule[][], list: CompiledRule[] | undefined): void {
  if (list && list.length > 0) lists.push(list);
}

/** A line has many commands with the same few lists. */
function inOrder({ merged }: ToolIndex, lists: readonly CompiledRule[][]): CompiledRule[] {
  const [only = [], second, ...more] = lists;
  if (!second) return only;
  const known = more.length === 0 ? merged.get(only)?.get(second) : undefined;
  if (known) return known;
  const rules = [...new Set(lists.flat())].sort((a, b) => a.index - b.index);
  if (more.length > 0) return rules;
  const withFirst = merged.get(only) ?? new WeakMap();
  merged.set(only, withFirst.set(second, rules));
  return rules;
}

/** Of those without further conditions, which apply in any case, the first and the first that rejects. */
function restrictingOf(rules: readonly CompiledRule[]): CompiledRule[] {
  const found: CompiledRule[] = [];
  let isRestricted = false;
  for (const rule of rules) {
    if (!rule.command || rule.isAllow || (isRestricted && !rejects(rule))) continue;
    found.push(rule);
    if (rule.values.length > 0) continue;
    if (rejects(rule)) break;
    isRestricted = true;
  }
  return found;
}

export const rejects = ({ sourced }: CompiledRule): boolean => sourced.rule.action === 'reject';

function addToIndex({ byHead, byText, others }: ToolIndex, rule: CompiledRule): void {
  const { command } = rule;
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
