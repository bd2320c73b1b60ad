// Rules that are suggested for what people always allowed: exactly that, nothing that anyone denied, edited or should look at.
import { describe, expect, it } from 'vitest';
import type { EndedAsk } from '../../src/core/ask.ts';
import { type Rule, sourced } from '../../src/core/rule.ts';
import { compileRules } from '../../src/core/rule-index.ts';
import { createRuleSuggestions } from '../../src/core/rule-suggestion.ts';

type PastApproval = Extract<EndedAsk, { kind: 'approval' }>;
type Given = {
  tool?: string;
  input: Record<string, unknown>;
  behavior?: string;
  by?: string;
  edited?: boolean;
  status?: string;
};

let made = 0;
function past({
  tool = 'Bash',
  input,
  behavior = 'allow',
  by = 'lead',
  edited,
  status = 'answered',
}: Given): PastApproval {
  made += 1;
  const updated = edited ? { updated_input: { command: 'true' } } : {};
  const answer = {
    outcome: status,
    behavior,
    answered_by: by,
    surface: 'web',
    answered_at_ms: made + 1000,
    ...updated,
  };
  const content = { tool_name: tool, input, reason: '', scope: 'session' };
  return { id: `ask_${made}`, kind: 'approval', status, createdAt: made, content, answer } as unknown as PastApproval;
}

const times = (n: number, given: Given): PastApproval[] => Array.from({ length: n }, () => past(given));
const command = (text: string, more: Partial<Given> = {}): Given => ({ input: { command: text }, ...more });

function suggested(asks: readonly PastApproval[], rules: readonly Rule[] = []) {
  const found = createRuleSuggestions(10);
  for (const ask of asks) found.add(ask, '/shop');
  const sets = [compileRules(sourced('organisation', 'rules.json', rules))];
  return [...found.suggestions(sets)].flat();
}
const rulesOf = (asks: readonly PastApproval[], rules?: readonly Rule[]) =>
  suggested(asks, rules).map(({ rule }) => rule);

describe('a rule is suggested', () => {
  it('for a command that was always allowed, exactly as it was, with what it would have allowed', () => {
    const [first, ...others] = suggested([...times(12, command('npm test')), ...times(9, command('make lint'))]);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      rule: { tool: 'Bash', matches: { command: ['npm test'] }, action: 'allow', context: 'thread' },
      asked: 12,
      lost_ms: 12_000,
      people: ['lead'],
      work_folders: ['/shop'],
      calls: [{ text: 'npm test', calls: 12 }],
      different_calls: 1,
    });
  });

  it('for a file that is always read, and no other', () => {
    const reads = (name: string, n: number) => times(n, { tool: 'Read', input: { file_path: `/shop/src/${name}` } });
    const found = rulesOf([...reads('a.ts', 10), ...reads('b.ts', 9)]);
    expect(found).toMatchObject([{ tool: 'Read', matches: { file_path: '/shop/src/a.ts' } }]);
  });
});

describe('no rule is suggested', () => {
  it.each([
    ['for what is destructive', times(20, command('rm -rf build'))],
    ['for what uses the network', times(20, command('curl https://example.com'))],
    ['for what leaves the folder', times(20, command('cat /etc/passwd'))],
    ['for hidden characters', times(20, command('npm te\u200bst'))],
    ['for what was denied once', [...times(20, command('npm test')), past(command('npm test', { behavior: 'deny' }))]],
    ['for what rules or grants decided', times(20, command('npm test', { by: 'grant:grt_1' }))],
    [
      'for calls that only resemble each other',
      ['a', 'b', 'c', 'd'].flatMap((name) => times(5, command(`git ${name}`))),
    ],
    ['for a tool as a whole', times(20, { input: {} })],
    ['for a call of which a rule cannot say all', times(20, { tool: 'pay', input: { amount: 1 } })],
    ['for a tool whose name has hidden characters', times(20, { tool: 'de\u200bploy', input: { to: 'test' } })],
    ['for what expired', times(20, command('npm test', { status: 'expired', by: 'system' }))],
  ])('%s', (_, asks) => {
    expect(rulesOf(asks)).toEqual([]);
  });

  it('where a rule already speaks about the call', () => {
    const asks = times(20, command('npm test'));
    for (const action of ['allow', 'reject', 'ask'] as const)
      expect(rulesOf(asks, [{ tool: 'Bash', matches: { command: 'npm *' }, action }])).toEqual([]);
  });
});
