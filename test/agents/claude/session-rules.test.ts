// Rules that were taken, and when Claude Code has them in force: never while it plans, as far as it says so.
import { describe, expect, it } from 'vitest';
import { createRules } from '../../../src/agents/claude/session-rules.ts';

const TOUCH = 'Bash(touch x *)';
const inForce = (allow: string[]) => ({ sources: [{ source: 'flagSettings', settings: { permissions: { allow } } }] });
const asTold = (allow: string[]): unknown => inForce(allow);

/** `reply`: what Claude Code says is in force when it was told what should be. */
function stage(taken: string[], reply: (allow: string[]) => unknown) {
  const told: string[][] = [];
  const rules = createRules(
    taken,
    (line) => {
      const { request_id, request } = JSON.parse(line);
      if (request.subtype === 'apply_flag_settings') told.push(request.settings.permissions.allow);
      const response = request.subtype === 'get_settings' ? reply(told.at(-1) ?? []) : undefined;
      if (response !== undefined) queueMicrotask(() => rules.replied(request_id, response));
    },
    1,
  );
  return { rules, told };
}

describe('rules that were taken', () => {
  it('are out of force while the session plans, and back when it does not', async () => {
    const { rules, told } = stage([TOUCH], asTold);
    expect(rules.tools()).toEqual([]);
    await rules.suit(false);
    expect([told, rules.tools()]).toEqual([[[TOUCH]], ['Bash']]);
    await Promise.all([rules.suit(true), rules.suit(true)]);
    expect([told.length, told.at(-1), rules.tools()]).toEqual([2, [], []]);
    rules.take('WebFetch(domain:a.example)');
    await rules.suit(true);
    expect(told).toHaveLength(2);
    await rules.suit(false);
    expect(told.at(-1)).toEqual([TOUCH, 'WebFetch(domain:a.example)']);
    expect(rules.tools()).toEqual(['Bash', 'WebFetch']);
  });

  it('are in force where Claude Code says that they are, whatever it was told', async () => {
    const { rules } = stage([TOUCH], () => inForce([TOUCH]));
    await rules.suit(false);
    await rules.suit(true);
    expect(rules.tools()).toEqual(['Bash']);
  });

  it.each([
    ['does not understand', {}],
    ['says nothing', undefined],
  ])('may be in force where Claude Code %s, and are taken out again with every call', async (_, reply) => {
    const { rules, told } = stage([TOUCH], () => reply);
    for (const isPlanning of [false, true, true]) await rules.suit(isPlanning);
    expect([told, rules.tools()]).toEqual([[[TOUCH], [], []], ['Bash']]);
  });

  it('are none where Claude Code has no such layer', async () => {
    const { rules } = stage([TOUCH], () => ({ sources: [{ source: 'userSettings', settings: {} }] }));
    await rules.suit(false);
    expect(rules.tools()).toEqual([]);
  });
});
