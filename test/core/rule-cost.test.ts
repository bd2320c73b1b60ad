// The rules of a project come from the agent's side, like the call: what would take long to compare is asked about, and the
// organisation's rules still decide.
import { describe, expect, it } from 'vitest';
import { ProjectRules, type Rule, type RuleSource, sourced } from '../../src/core/rule.ts';
import { isTooCostly } from '../../src/core/rule-cost.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import { decideByRules } from '../../src/core/rule-set.ts';
import { readShell } from '../../src/core/shell/read.ts';

const shell = (action: Rule['action'], ...command: string[]): Rule => ({ tool: 'Bash', matches: { command }, action });
const patterns = (count: number) => Array.from({ length: count }, (_, n) => `*a*b${n}`);
const setOf = (source: RuleSource, ...rules: Rule[]) => compileRules(sourced(source, 'rules', rules));
const decide = (command: string, ...sets: ReturnType<typeof setOf>[]) =>
  decideByRules({ sets }, { tool: 'Bash', input: { command }, context: 'thread' });

describe('rules of a project', () => {
  const many = setOf('project', shell('reject', ...patterns(1000)));
  const allowed = setOf('organisation', shell('allow', 'a *'));

  it('that are too many for a call ask about it, whatever the organisation allows', () => {
    expect(decide('a x', setOf('project', shell('reject', 'z')), allowed).decision).toBe('allow');
    const asked = decide(Array(100).fill('a x').join(';'), many, allowed);
    expect([asked.decision, asked.explanation]).toEqual([
      'ask',
      expect.stringContaining('too many rules for a call of this size'),
    ]);
  });

  it('that are too many for a call leave a rejection of the organisation in force', () => {
    const line = [...Array(100).fill('a x'), 'rm x'].join(';');
    expect(decide(line, many, setOf('organisation', shell('reject', 'rm *'))).decision).toBe('reject');
  });

  it('count by patterns, commands and the length of what is compared', () => {
    const rules = [{ command: patterns(100), values: [{ name: 'content', globs: ['*'] }] }];
    expect(isTooCostly(rules, {}, ['ls'], 20)).toBe(false);
    expect(isTooCostly(rules, {}, ['ls'], 300)).toBe(true);
    expect(isTooCostly(rules, {}, ['x'.repeat(100_000)], 1)).toBe(true);
    expect(isTooCostly(rules, { content: 'x'.repeat(100_000) }, ['ls'], 1)).toBe(true);
  });

  it('may have 64 KiB', () => {
    expect(ProjectRules.safeParse([shell('ask', ...patterns(900))]).success).toBe(true);
    expect(ProjectRules.safeParse(Array(20).fill(shell('ask', ...patterns(900)))).success).toBe(false);
  });
});

it('reads no line with many arithmetic expressions, which take quadratic time', () => {
  expect(readShell('echo $((1 + 2)) $((3))').unknown).toBeUndefined();
  expect(readShell('$(('.repeat(20_000)).unknown).toBe('it has more than 100 arithmetic expressions');
});
