// What Claude Code asks a person about while it plans, and what it is refused.
import { describe, expect, it } from 'vitest';
import { isAskedInPlan, modeOf, refusedIn } from '../../../src/agents/claude/permission-modes.ts';
import type { ToolCall } from '../../../src/agents/claude/stream-events.ts';

const call = (name: string, more: Partial<ToolCall> = {}): ToolCall => ({
  id: 'toolu_1',
  name,
  input: {},
  lineage: [],
  reason: '',
  suggestions: [],
  mode: 'plan',
  ...more,
});

describe('while it plans', () => {
  const asked = (opened: string[], names: string[]) =>
    names.filter((name) => isAskedInPlan('plan', call(name), new Set(opened)));
  const ALL = [
    'Read',
    'Grep',
    'Agent',
    'Bash',
    'Monitor',
    'WebFetch',
    'Write',
    'NotebookEdit',
    'mcp__a__b',
    'mcp__ab__c',
  ];

  it.each([
    ['nothing was allowed for good', [], []],
    ['a command was', ['Bash'], ['Bash', 'Monitor', 'WebFetch']],
    ['a page was', ['WebFetch'], ['WebFetch']],
    ['an edit was', ['Edit'], []],
    ['a tool of a server was', ['mcp__a__b'], ['mcp__a__b']],
    ['a server was', ['mcp__a'], ['mcp__a__b']],
    ['tools of servers were, by a pattern', ['mcp__a*'], ['mcp__a__b', 'mcp__ab__c']],
    ['a skill or a command was used', ['Skill'], ['Bash', 'Monitor', 'WebFetch', 'mcp__a__b', 'mcp__ab__c']],
  ])('where %s, it asks for what that may cover, never for what only looks', (_, opened, expected) => {
    expect(asked(opened, ALL)).toEqual(expected);
  });

  it('asks for nothing once it does not plan, and leaves it to Claude Code which file is its plan', () => {
    expect(isAskedInPlan('default', call('Bash'), new Set(['Bash']))).toBe(false);
    const write = (mode: string | undefined) => call('Write', { mode, input: { file_path: '/w/docs/plans/a.md' } });
    const asked = ['plan', 'default', undefined].map((mode) => isAskedInPlan('plan', write(mode), new Set()));
    expect(asked).toEqual([false, true, true]);
  });

  it('lets no mode through that a sub-agent has of its own', () => {
    const free = (name: string) => call(name, { agentId: 'sub', mode: 'acceptEdits' });
    expect(['Read', 'Write', 'Bash'].filter((name) => isAskedInPlan('plan', free(name), new Set()))).toEqual([
      'Write',
      'Bash',
    ]);
    expect([modeOf(free('Write'), 'plan'), modeOf(free('Write'), 'default')]).toEqual(['plan', 'acceptEdits']);
    expect([modeOf(call('Write'), 'default'), modeOf(call('Write', { mode: undefined }), 'default')]).toEqual([
      'plan',
      'default',
    ]);
  });

  it('changes no file, and says what to do instead', () => {
    expect(refusedIn('plan', call('Edit'))?.message).toContain('ExitPlanMode');
    expect(refusedIn('plan', call('Edit', { agentId: 'sub' }))?.message).toContain('Tell the agent that called you');
    expect([refusedIn('plan', call('Bash')), refusedIn('default', call('Edit'))]).toEqual([undefined, undefined]);
  });
});
