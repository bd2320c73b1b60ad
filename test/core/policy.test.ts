// The policy: only a setting that a person made allows an action without a person.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalContent } from '../../src/core/ask.ts';
import { decideByPolicy, permissionsOf } from '../../src/core/policy.ts';
import { type Rule, type RuleSource, sourced } from '../../src/core/rule.ts';
import { compileRules, type RuleSet } from '../../src/core/rule-index.ts';
import type { Run } from '../../src/core/run.ts';
import { PERMISSIONS, type Permissions, type Session } from '../../src/core/session.ts';
import { sessionOf } from '../conformance/store-samples.ts';

const text = fc.oneof(fc.string(), fc.constantFrom('allow', 'autonomous', 'bypassPermissions', 'yes'));
const content: fc.Arbitrary<ApprovalContent> = fc.record(
  {
    tool_name: text,
    input: fc.dictionary(text, fc.jsonValue()),
    reason: text,
    scope: text,
    suggestions: fc.array(fc.jsonValue(), { maxLength: 3 }),
    diff: text,
  },
  { requiredKeys: ['tool_name', 'input', 'reason', 'scope'] },
);

const NOTHING = { sets: [], grants: [] };

describe('policy', () => {
  it('decides nothing under the permission approval, whatever the action and the session', () => {
    fc.assert(
      fc.property(content, text, text, (action, title, agent) => {
        expect(
          decideByPolicy(session({ permissions: 'approval', title, agent }), under('autonomous'), action, NOTHING),
        ).toEqual({ behavior: 'ask', because: undefined });
      }),
    );
  });

  it('allows under the permission autonomous, with that setting as the author', () => {
    fc.assert(
      fc.property(content, (action) => {
        expect(decideByPolicy(session({ permissions: 'autonomous' }), under('approval'), action, NOTHING)).toEqual({
          behavior: 'allow',
          answeredBy: 'policy:autonomous',
        });
      }),
    );
  });

  describe('under the permission autonomous, with a rule that rejects', () => {
    const reject: Rule = { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' };
    const ask: Rule = { tool: 'Bash', matches: { command: 'curl *' }, action: 'ask' };
    const setOf = (source: RuleSource, ...rules: Rule[]) => compileRules(sourced(source, source, rules));
    const decide = (command: string, ...sets: RuleSet[]) => {
      const action = { tool_name: 'Bash', input: { command }, reason: '', scope: '' };
      return decideByPolicy(session({ permissions: 'autonomous' }), under('approval'), action, { sets, grants: [] });
    };

    it.each([
      ['a line that is too long', `echo ${'x'.repeat(70_000)}; rm y`],
      ['too many commands', `${'a;'.repeat(1100)}rm y`],
      ['too many arithmetic expressions', `${'echo $((1));'.repeat(200)}rm y`],
      ['a line that cannot be parsed', 'ls "'],
      ['a script that is not literal', 'eval "$X"'],
      ['a program that is not literal', 'bash -c "$X"'],
    ])('never allows %s', (_, command) => {
      expect(decide(command, setOf('organisation', reject)).behavior).not.toBe('allow');
      expect(decide(command, setOf('organisation', ask, reject)).behavior).not.toBe('allow');
      const asking = setOf('project', { tool: '*', action: 'ask' });
      expect(decide(command, asking, setOf('organisation', reject)).behavior).not.toBe('allow');
      expect(decide(command, asking, setOf('organisation', ask, reject)).behavior).not.toBe('allow');
    });

    it('allows what can be read and is not rejected', () => {
      for (const command of ['ls', 'curl x', 'make && git push'])
        expect(decide(command, setOf('organisation', ask, reject)), command).toMatchObject({ behavior: 'allow' });
      expect(decide('ls; rm y', setOf('organisation', ask, reject))).toMatchObject({ behavior: 'deny' });
    });
  });

  it('decides nothing under an unknown permission', () => {
    for (const permissions of ['', 'AUTONOMOUS', 'auto', undefined, null, true])
      expect(
        decideByPolicy(
          session({ permissions: permissions as Session['permissions'] }),
          under(undefined),
          {
            tool_name: 'Bash',
            input: {},
            reason: '',
            scope: '',
          },
          NOTHING,
        ),
      ).toEqual({ behavior: 'ask', because: undefined });
    expect(PERMISSIONS).toEqual(['approval', 'autonomous']);
  });
});

it('uses the permission of the session, then of the worker, then approval', () => {
  const given = [undefined, ...PERMISSIONS].flatMap((own) =>
    [undefined, ...PERMISSIONS].map((worker) => [own, worker, permissionsOf({ permissions: own }, under(worker))]),
  );
  expect(given.map((row) => row.map((word) => word ?? '-').join(' '))).toEqual([
    '- - approval',
    '- approval approval',
    '- autonomous autonomous',
    'approval - approval',
    'approval approval approval',
    'approval autonomous approval',
    'autonomous - autonomous',
    'autonomous approval autonomous',
    'autonomous autonomous autonomous',
  ]);
});

const under = (permissions: Permissions | undefined): Run => ({ permissions }) as Run;

const session = (given: Partial<Session>): Session => sessionOf('ses_1', given);
