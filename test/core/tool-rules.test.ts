// What rules say about whole tools: never more than they say about every call.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rule, type RuleSource, sourced } from '../../src/core/rule.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import { decideByRules } from '../../src/core/rule-set.ts';
import { actionForTool, toolRules } from '../../src/core/tool-rules.ts';

const some = { file_path: '/srv/*' };
const action = (rules: Rule[], tool = 'Write', source: RuleSource = 'organisation') =>
  actionForTool(toolRules(sourced(source, 'r', rules)), tool);

describe('the action for a whole tool', () => {
  it.each<[string, Rule[], string | undefined]>([
    ['no rule', [], undefined],
    ['an allow of all calls', [{ tool: 'Write', action: 'allow' }], 'allow'],
    ['a reject of all calls', [{ tool: 'W*', action: 'reject' }], 'reject'],
    ['a delegate', [{ tool: 'Write', action: 'delegate', to: 'x' }], 'ask'],
    ['an allow of some calls', [{ tool: 'Write', matches: some, action: 'allow' }], undefined],
    ['a reject of some calls', [{ tool: 'Write', matches: some, action: 'reject' }], 'ask'],
    ['a reject of sub-agents', [{ tool: 'Write', context: 'subagent', action: 'reject' }], 'ask'],
    [
      'some allowed, the rest rejected',
      [
        { tool: 'Write', matches: some, action: 'allow' },
        { tool: '*', action: 'reject' },
      ],
      'ask',
    ],
    [
      'some rejected, the rest allowed',
      [
        { tool: 'Write', matches: some, action: 'reject' },
        { tool: '*', action: 'allow' },
      ],
      'ask',
    ],
    ['another tool', [{ tool: 'Read', action: 'reject' }], undefined],
  ])('with %s', (_, rules, expected) => expect(action(rules)).toBe(expected));

  it('is never an allow by a project', () => {
    expect(action([{ tool: 'Write', action: 'allow' }], 'Write', 'project')).toBeUndefined();
    expect(action([{ tool: 'Write', action: 'reject' }], 'Write', 'project')).toBe('reject');
  });

  it('is ask for everything where there are too many rules to send', () => {
    const many = Array.from({ length: 600 }, (_, i): Rule => ({ tool: `t${i}`, action: 'allow' }));
    expect(action(many)).toBe('ask');
  });

  it('is what the rules decide about any call that has no command', () => {
    const rule = fc.record(
      {
        tool: fc.constantFrom('Write', 'W*', '*', 'Read'),
        action: fc.constantFrom<Rule['action']>('allow', 'reject', 'ask'),
        matches: fc.constantFrom(some, { file_path: '/tmp/*' }),
        context: fc.constantFrom<'thread' | 'subagent'>('thread', 'subagent'),
      },
      { requiredKeys: ['tool', 'action'] },
    );
    const calls = ['/srv/a', '/tmp/a', '/etc/a'].flatMap((file_path) =>
      (['thread', 'subagent'] as const).map((context) => ({ tool: 'Write', input: { file_path }, context })),
    );
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), (rules) => {
        const whole = action(rules);
        if (whole !== 'allow' && whole !== 'reject') return;
        const set = compileRules(sourced('organisation', 'r', rules));
        for (const call of calls) {
          const { decision } = decideByRules({ sets: [set] }, call);
          // What an earlier rule allows in some cases is allowed in all.
          expect(decision).toBe(whole);
        }
      }),
      { numRuns: 500 },
    );
  });
});
