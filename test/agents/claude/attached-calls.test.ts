// Which call of Claude Code a request for permission is about, where it does not say: pairings that must be right, and
// what is done where nobody can know.
import { describe, expect, it } from 'vitest';
import { type Call, createCalls, type Request } from '../../../src/agents/claude/attached-calls.ts';

const call = (more: Partial<Call> = {}): Call => ({ agentId: undefined, tool: 'Bash', input: '{"a":1}', ...more });
const asIs = (request: Request) => request;

function announced(...ids: string[]) {
  const calls = createCalls<Request>();
  for (const id of ids) calls.announce(id, call());
  return calls;
}

describe('a request', () => {
  it('is the call with the same thread, tool and input', () => {
    const calls = announced('A');
    calls.announce('B', call({ input: '{"a":2}' }));
    calls.announce('C', call({ agentId: 'a1' }));
    calls.announce('D', call({ tool: 'Write' }));
    expect(calls.asked(call({ agentId: 'a1' }), asIs).callId).toBe('C');
    expect(calls.asked(call(), asIs).callId).toBe('A');
  });

  it('has no name where nothing fits, and takes nobody else’s', () => {
    const calls = announced('A');
    calls.asked(call(), asIs);
    expect(calls.asked(call(), asIs).callId).toBeUndefined();
    expect(createCalls<Request>().asked(call(), asIs).callId).toBeUndefined();
  });

  it('is the only call of its tool where another hook changed the input; among several it is none', () => {
    const one = announced('A');
    const changed = one.asked(call({ input: '{"a":9}' }), asIs);
    expect(changed.callId).toBe('A');
    expect(one.over('A')).toBe(changed);
    expect(announced('A', 'B').asked(call({ input: '{"a":9}' }), asIs).callId).toBeUndefined();
  });
});

it('takes no name that a request of the conversation has had, though its call is over', () => {
  const calls = announced('call_0');
  const first = calls.asked(call(), asIs);
  expect(calls.over('call_0')).toBe(first);
  calls.announce('call_0', call());
  const again = calls.asked(call(), asIs);
  expect(again.callId).toBeUndefined();
  expect(calls.over('call_0')).toBe(again);
});

describe('twins, announced before the first of them is asked about', () => {
  it('end their requests in order, whatever these are called', () => {
    const calls = announced('A', 'B');
    const first = calls.asked(call(), asIs);
    const second = calls.asked(call(), asIs);
    expect([first.callId, second.callId]).toEqual(['B', 'A']);
    expect(calls.over('A')).toBe(first);
    expect(calls.over('B')).toBe(second);
    expect(calls.over('B')).toBeUndefined();
  });

  it('leave the second request alone when the first was decided', () => {
    const calls = announced('A', 'B');
    const first = calls.asked(call(), asIs);
    const second = calls.asked(call(), asIs);
    calls.settled(first);
    expect(calls.over('B')).toBe(second);
  });
});

describe('an end', () => {
  it('of a thread ends its calls and requests, and no others', () => {
    const calls = announced('A');
    calls.announce('S', call({ agentId: 'a1' }));
    calls.asked(call(), asIs);
    const sub = calls.asked(call({ agentId: 'a1' }), asIs);
    calls.ended(({ agentId }) => agentId === undefined);
    expect(calls.over('A')).toBeUndefined();
    expect(calls.over('S')).toBe(sub);
  });

  it('that is never told does not pile up', () => {
    const calls = createCalls<Request>();
    for (let i = 0; i < 1000; i++) calls.announce(`id-${i}`, call());
    expect(calls.asked(call(), asIs).mayBe.size).toBe(200);
  });
});
