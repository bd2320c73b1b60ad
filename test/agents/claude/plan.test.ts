// What a person is shown of a plan of Claude Code: all of it, or they are not asked.
import { describe, expect, it } from 'vitest';
import { createPlan, refusedPlan } from '../../../src/agents/claude/plan.ts';
import type { ToolCall } from '../../../src/agents/claude/stream-events.ts';

const exits = (plan?: string) => ({
  type: 'tool_use' as const,
  id: 'p',
  name: 'ExitPlanMode',
  input: plan ? { plan } : {},
});
const call = (input: object, reason: string): ToolCall =>
  ({ id: 'p', name: 'ExitPlanMode', input, lineage: [], reason, suggestions: [] }) as ToolCall;

describe('the plan that is shown', () => {
  it('is what Claude Code gives with the call, then what the model put into it, then what it said last', () => {
    const plan = createPlan();
    expect(plan.text({})).toBe('There is no plan with this.');
    plan.said({ type: 'text', text: 'I would paint.' });
    plan.said(exits('1. paint it'));
    expect([plan.text({ plan: 'Of the file.' }), plan.text({})]).toEqual(['Of the file.', '1. paint it']);
    plan.said(exits());
    expect(plan.text({ plan: ' \n' })).toBe('There is no plan with this. What it said last:\n\nI would paint.');
  });

  it('is said to stand in the input where it is longer than words beside it may be', () => {
    const long = 'x'.repeat(20_001);
    expect(createPlan().text({ plan: 'x'.repeat(20_000) })).toHaveLength(20_000);
    expect(createPlan().text({ plan: long })).toContain('20001 characters. It stands whole in the input');
    expect(refusedPlan(call({ plan: long }, createPlan().text({ plan: long })))).toBeUndefined();
  });

  it('is whole: a longer one is refused, with how long it may be', () => {
    const plan = createPlan();
    plan.said(exits('x'.repeat(20_001)));
    expect(refusedPlan(call({}, plan.text({})))).toMatchObject({
      behavior: 'deny',
      message: expect.stringMatching(/20001 characters.* 20000 .*plan file/),
    });
    const file = { plan: 'x'.repeat(200_001) };
    expect(refusedPlan(call(file, plan.text(file)))?.message).toMatch(/200001 characters.* 200000 /);
    expect(refusedPlan({ ...call({}, 'x'.repeat(20_001)), name: 'Bash' })).toBeUndefined();
  });

  it('is not cut for words that are no plan', () => {
    const plan = createPlan();
    plan.said({ type: 'text', text: 'y'.repeat(30_000) });
    expect(refusedPlan(call({}, plan.text({})))).toBeUndefined();
  });
});
