// Which call of Claude Code a permission request is about, where the request does not say: pairs that must be right, and
// what is done where no pair can be known.
import { describe, expect, it } from 'vitest';
import { type Call, createCalls } from '../../../src/agents/claude/attached-calls.ts';

const call = (more: Partial<Call> = {}): Call => ({ thread: undefined, tool: 'Bash', input: { a: 1 }, ...more });

function begun(...ids: string[]) {
  const calls = createCalls();
  for (const id of ids) calls.began(id, call(), 0);
  return calls;
}

describe('a permission request', () => {
  it('is about the call of the same thread, tool and input', () => {
    const calls = begun('A');
    calls.began('B', call({ input: { a: 2 } }), 0);
    calls.began('A', call({ thread: 'a/1' }), 0);
    calls.began('D', call({ tool: 'Write' }), 0);
    expect(calls.asked(call({ thread: 'a/1' }))).toBe('a%2F1/A');
    expect(calls.asked(call())).toBe('A');
  });

  it('has no name where no call fits, where several do, and where the only one has another request', () => {
    expect(createCalls().asked(call())).toBeUndefined();
    const calls = begun('A', 'B');
    expect(calls.asked(call())).toBeUndefined();
    calls.ended(undefined, 'A');
    expect([calls.asked(call()), calls.asked(call())]).toEqual(['B', undefined]);
  });
});

it('the end of a thread ends its calls, and no others', () => {
  const calls = begun('A');
  calls.began('S', call({ thread: 'a1' }), 0);
  calls.threadEnded((thread) => thread === undefined);
  expect(calls.asked(call())).toBeUndefined();
  expect(calls.asked(call({ thread: 'a1' }))).toBe('a1/S');
});

it('calls whose end is never reported do not pile up', () => {
  const calls = createCalls();
  const inputs = Array.from({ length: 1000 }, (_, a) => ({ a }));
  for (const input of inputs) calls.began(`id-${input.a}`, call({ input }), 0);
  expect(inputs.filter((input) => calls.asked(call({ input })) !== undefined)).toHaveLength(200);
});

it('knows a sub-agent that has begun a call and not asked for it, for a while', () => {
  const calls = createCalls();
  calls.began('main', call(), 100);
  expect(calls.mayAskSince(0)).toBe(false);
  calls.began('sub', call({ thread: 'a1' }), 100);
  expect([calls.mayAskSince(99), calls.mayAskSince(100)]).toEqual([true, false]);
  calls.asked(call({ thread: 'a1' }));
  expect(calls.mayAskSince(0)).toBe(false);
});

it('knows the task of a sub-agent from its start, or from the only call that waits for one of its type', () => {
  const calls = createCalls();
  const start = (description: string) => call({ tool: 'Agent', input: { description, subagent_type: 'reviewer' } });
  calls.began('one', start('read the tests'), 0);
  expect(calls.taskOf('a1', 'reviewer')).toBe('read the tests');
  expect(calls.taskOf('a1', 'writer')).toBeUndefined();
  calls.began('two', start('read the docs'), 0);
  expect(calls.taskOf('a2', 'reviewer')).toBeUndefined();
  calls.started('a2', 'read the docs');
  expect(calls.taskOf('a2', 'reviewer')).toBe('read the docs');
});
