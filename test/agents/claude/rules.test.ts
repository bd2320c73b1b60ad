// Rules as permission lists of Claude Code.
import { expect, it } from 'vitest';
import { permissionsFor, ruleArguments } from '../../../src/agents/claude/rules.ts';

const rule = (tool: string, action: 'allow' | 'reject' | 'ask', is_conditional = false) => ({
  tool,
  action,
  is_conditional,
});

it('has whole tools in its lists, asks where it depends on the call, and never allows Bash as a whole', () => {
  const rules = [
    rule('Bash', 'allow'),
    rule('Read', 'reject', true),
    rule('Write', 'allow'),
    rule('Web*', 'reject'),
    rule('mcp__notes__add', 'allow'),
    rule('mcp__notes__*', 'allow'),
  ];
  expect(permissionsFor(rules)).toEqual({
    allow: ['Write', 'mcp__notes__add'],
    deny: ['WebFetch', 'WebSearch'],
    ask: ['Bash', 'Read'],
  });
  expect(ruleArguments(rules)[0]).toBe('--settings');
});

it('has no lists where no rule is about a whole tool', () => {
  expect(ruleArguments([])).toEqual([]);
  expect(permissionsFor([rule('Bash', 'allow', true), rule('mcp__*', 'allow')])).toBeUndefined();
});
