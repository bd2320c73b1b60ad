// Estimates what it costs to compare rules with a call, so that rules which come from the agent's side, as those of a
// project do, cannot keep the server busy.

import { valuesOf } from './rule-pattern.ts';

/** What counts of a compiled rule. */
interface Weighed {
  command: readonly unknown[] | undefined;
  values: readonly { name: string; globs: readonly unknown[] }[];
}

const MOST_COMPARISONS = 20_000;
/** A long text counts as several. */
const CHARACTERS_OF_A_COMPARISON = 64;

/** `lines`: the texts of its commands, which have so many simple commands. */
export function isTooCostly(
  rules: readonly Weighed[],
  input: Record<string, unknown>,
  lines: readonly string[],
  commands: number,
): boolean {
  const globs = rules.flatMap(({ values }) => values);
  const patterns = rules.reduce((sum, { command = [] }) => sum + 1 + command.length, 0);
  const compared = [...new Set(globs.map(({ name }) => name))].flatMap((name) => valuesOf(name, input));
  const characters = [...lines, ...compared].reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? text.length : 0),
    0,
  );
  const all = globs.reduce((sum, { globs: own }) => sum + own.length, patterns);
  return all * (1 + commands + characters / CHARACTERS_OF_A_COMPARISON) > MOST_COMPARISONS;
}
