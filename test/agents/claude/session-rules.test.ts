// When the rules that people accepted are in effect: never in plan mode, as far as Claude Code reports it.
import { describe, expect, it } from 'vitest';
import { createSessionRules } from '../../../src/agents/claude/session-rules.ts';

const TOUCH = 'Bash(touch x *)';
const inEffect = (allow: string[]) => ({ sources: [{ source: 'flagSettings', settings: { permissions: { allow } } }] });
const asSent = (allow: string[]): unknown => inEffect(allow);

/** `reply`: the settings that Claude Code reports after it was sent some. */
function setUp(taken: string[], reply: (allow: string[]) => unknown) {
  const sent: string[][] = [];
  const rules = createSessionRules(
    taken,
    (line) => {
      const { request_id, request } = JSON.parse(line);
      if (request.subtype === 'apply_flag_settings') sent.push(request.settings.permissions.allow);
      const response = request.subtype === 'get_settings' ? reply(sent.at(-1) ?? []) : undefined;
      if (response !== undefined) queueMicrotask(() => rules.received(request_id, response));
    },
    1,
  );
  return { rules, sent };
}

describe('accepted rules', () => {
  it('are removed while the session plans, and restored afterwards', async () => {
    const { rules, sent } = setUp([TOUCH], asSent);
    expect(rules.tools()).toEqual([]);
    await rules.apply(false);
    expect([sent, rules.tools()]).toEqual([[[TOUCH]], ['Bash']]);
    await Promise.all([rules.apply(true), rules.apply(true)]);
    expect([sent.length, sent.at(-1), rules.tools()]).toEqual([2, [], []]);
    rules.add('WebFetch(domain:a.example)');
    await rules.apply(true);
    expect(sent).toHaveLength(2);
    await rules.apply(false);
    expect(sent.at(-1)).toEqual([TOUCH, 'WebFetch(domain:a.example)']);
    expect(rules.tools()).toEqual(['Bash', 'WebFetch']);
  });

  it('are in effect when Claude Code reports them, whatever it was sent', async () => {
    const { rules } = setUp([TOUCH], () => inEffect([TOUCH]));
    await rules.apply(false);
    await rules.apply(true);
    expect(rules.tools()).toEqual(['Bash']);
  });

  it.each([
    ['reports something else', {}],
    ['does not respond', undefined],
  ])('may be in effect when Claude Code %s, and are removed again with every call', async (_, reply) => {
    const { rules, sent } = setUp([TOUCH], () => reply);
    for (const isPlanning of [false, true, true]) await rules.apply(isPlanning);
    expect([sent, rules.tools()]).toEqual([[[TOUCH], [], []], ['Bash']]);
  });

  it('are not in effect when Claude Code has no such settings layer', async () => {
    const { rules } = setUp([TOUCH], () => ({ sources: [{ source: 'userSettings', settings: {} }] }));
    await rules.apply(false);
    expect(rules.tools()).toEqual([]);
  });
});
