// One decision per tool call of Claude Code: for exactly that call, never for another with the same id.
import { describe, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { createDecisions } from '../../../src/agents/claude/decisions.ts';
import type { ToolCall } from '../../../src/agents/claude/stream-events.ts';
import { createPendingAsks } from '../../../src/agents/kit/pending-asks.ts';
import type { AskOptions } from '../../../src/client/asking.ts';
import type { AskView } from '../../../src/core/views.ts';

const call = (command: string, name = 'Bash'): ToolCall => ({
  id: 'toolu_1',
  name,
  input: { command },
  lineage: [],
  reason: '',
  suggestions: [],
});

/** A person who allows every ask as soon as `until` resolves. */
function setUp({
  known = [] as AskView[],
  until = Promise.resolve(),
  changed = undefined as object | undefined,
  taken = [] as string[],
  isAnswered = false,
} = {}) {
  const shown: { id: string; tool_name: string; input: unknown }[] = [];
  const withdrawn: string[] = [];
  const undeliverable: string[] = [];
  const context = {
    approve: async ({ id, tool_name, input }: (typeof shown)[number], { patience }: AskOptions) => {
      shown.push({ id, tool_name, input });
      if (patience?.aborted) return { status: 'held', ask_id: `ask of ${id}` };
      await until;
      return { status: 'answered', allowed: true, input: changed ?? input, suggestion_ids: taken };
    },
    async withdraw(askId: string) {
      if (isAnswered) throw new Error('it was answered');
      withdrawn.push(askId);
    },
    markUndeliverable: async (askId: string) => void undeliverable.push(askId),
  };
  return { ...create(context, known), shown, withdrawn, undeliverable };
}

function create(context: object, known: AskView[] = []) {
  const pending = createPendingAsks<string>(context as unknown as AgentContext);
  return {
    pending,
    decisions: createDecisions(context as unknown as AgentContext, pending, known, async () => undefined),
  };
}

const allowed = (command: string, name = 'Bash', state = 'due') =>
  ({
    kind: 'approval',
    tool_call_id: 'toolu_1',
    status: 'answered',
    delivery: { state },
    mode: 'deferred',
    request: { tool_name: name, input: { command } },
    answer: { behavior: 'allow' },
  }) as unknown as AskView;

describe('a decision about a call', () => {
  it('is the same for its hook and its permission request', async () => {
    const { decisions, shown } = setUp();
    const [first, second] = await Promise.all([decisions.decide(call('ls')), decisions.decide(call('ls'))]);
    expect(second).toEqual(first);
    expect(shown).toHaveLength(1);
  });

  it('also covers the call with the input that the person changed', async () => {
    const { decisions, shown } = setUp({ changed: { command: 'ls -l' } });
    await decisions.decide(call('ls'));
    expect(await decisions.decide(call('ls -l'))).toMatchObject({ behavior: 'allow', input: { command: 'ls -l' } });
    expect(shown).toHaveLength(1);
  });

  it.each([
    ['another input', call('rm -rf build')],
    ['another tool', call('ls', 'PowerShell')],
    ['another folder', { ...call('ls'), folder: '/srv/sub' }],
  ])('does not cover %s under the same call id', async (_, other) => {
    const { decisions, shown } = setUp();
    await decisions.decide(call('ls'));
    expect(await decisions.decide(other)).toMatchObject({ behavior: 'allow', input: other.input });
    expect(shown).toEqual([
      { id: 'toolu_1', tool_name: 'Bash', input: { command: 'ls' } },
      { id: 'toolu_1~2', tool_name: other.name, input: other.input },
    ]);
  });

  it('does not cover the same call of another sub-agent', async () => {
    const { decisions, shown } = setUp();
    const left = { ...call('ls'), agentId: 'left' };
    await Promise.all([decisions.decide(left), decisions.decide({ ...left, agentId: 'right' })]);
    await decisions.callEnded({ id: 'toolu_1', agentId: 'right' });
    await decisions.decide(left);
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2']);
  });

  it('denies another call with its id while it is pending', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { decisions, shown } = setUp({ until: promise });
    const first = decisions.decide(call('ls'));
    expect(await decisions.decide(call('rm -rf build'))).toMatchObject({ behavior: 'deny' });
    resolve();
    expect(await first).toMatchObject({ behavior: 'allow', input: { command: 'ls' } });
    expect(shown).toHaveLength(1);
  });

  it('ends with the call: the same call is asked about again', async () => {
    const { decisions, shown } = setUp();
    for (let n = 0; n < 3; n++) {
      await decisions.decide(call('ls'));
      await decisions.callEnded({ id: 'toolu_1' });
    }
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2', 'toolu_1~3']);
  });

  it('from before a restart covers the repeated call, once', async () => {
    const { decisions, shown } = setUp({ known: [allowed('ls')] });
    await decisions.decide(call('ls'));
    await decisions.callEnded({ id: 'toolu_1' });
    await decisions.decide(call('ls'));
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2']);
  });

  it('from before a restart adds the rules that were shown then, not those that the call suggests now', async () => {
    const rule = (ruleContent: string) => ({ toolName: 'Bash', ruleContent });
    const label = 'Do not ask again in this session for Bash(ls)';
    const known = allowed('ls');
    known.request = { ...known.request, suggestions: [{ id: 'session-0', label, rules: [rule('ls')] }] } as never;
    const { decisions } = setUp({ known: [known], taken: ['session-0'] });
    const suggestions = [{ type: 'addRules', behavior: 'allow', rules: [rule('*')] }];
    expect(await decisions.decide({ ...call('ls'), suggestions })).toMatchObject({ rules: [{ rules: [rule('ls')] }] });
  });

  it.each(['delivered', 'undeliverable'])('from before a restart is not reused once it is %s', async (state) => {
    const { decisions, shown } = setUp({ known: [allowed('ls', 'Bash', state)] });
    await decisions.decide(call('ls'));
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1~2']);
  });

  it.each([
    ['in another folder', undefined, '/srv/sub'],
    ['in the folder of the session instead of another', '/srv/sub', undefined],
  ])('from before a restart does not cover the same call %s', async (_, work_folder, folder) => {
    const known = allowed('ls');
    known.request = { ...known.request, work_folder } as never;
    const { decisions, shown } = setUp({ known: [known] });
    await decisions.decide({ ...call('ls'), folder });
    await decisions.decide({ ...call('ls'), id: 'toolu_2', folder: work_folder });
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1~2', 'toolu_1']);
  });

  it('from before a restart does not cover another action with its id', async () => {
    const { decisions, shown } = setUp({ known: [allowed('ls')] });
    await decisions.decide(call('rm -rf build'));
    expect(shown).toEqual([{ id: 'toolu_1~2', tool_name: 'Bash', input: { command: 'rm -rf build' } }]);
  });
});

it('withdraws the ask of a cancelled request, also while it is being raised, and asks about a repeated call anew', async () => {
  const withdrawn: string[] = [];
  const raising = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const context = {
    approve: async ({ input }: { input: unknown }, { signal, raised }: AskOptions) => {
      const n = asked++;
      await raising[n]?.promise;
      raised?.(`ask ${n}`);
      signal?.throwIfAborted();
      return { status: 'answered', allowed: true, input, suggestion_ids: [] };
    },
    withdraw: async (askId: string) => void withdrawn.push(askId),
  };
  const { decisions, pending } = create(context);
  const first = decisions.decide(call('ls'));
  decisions.cancelled(call('ls'));
  expect(withdrawn).toEqual([]);
  raising[0]?.resolve();
  await expect(first).rejects.toThrow('settled in Claude Code itself');
  expect(withdrawn).toEqual(['ask 0']);
  raising[1]?.resolve();
  expect(await decisions.decide(call('ls'))).toMatchObject({ behavior: 'allow' });
  expect(pending.hasUnanswered()).toBe(false);
});

describe('a call that the run is held on', () => {
  const NO_PATIENCE = AbortSignal.abort();

  it('is not concluded until its result arrives', async () => {
    const { decisions } = setUp();
    expect(await decisions.decide(call('ls'), NO_PATIENCE)).toEqual({ behavior: 'held' });
    expect(decisions.hasUnconcluded()).toBe(true);
  });

  it('is waited for under the same ask when Claude Code requests a permission instead of exiting', async () => {
    const { decisions, shown } = setUp();
    await decisions.decide(call('ls'), NO_PATIENCE);
    const twice = await Promise.all([decisions.decide(call('ls')), decisions.decide(call('ls'))]);
    expect(twice).toMatchObject([{ behavior: 'allow' }, { behavior: 'allow' }]);
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1']);
    expect(decisions.hasUnconcluded()).toBe(false);
  });

  it('has its answer marked undeliverable when Claude Code settles it after the answer', async () => {
    const { decisions, undeliverable } = setUp({ isAnswered: true });
    await decisions.decide(call('ls'), NO_PATIENCE);
    await decisions.callEnded({ id: 'toolu_1' });
    expect(undeliverable).toEqual(['ask of toolu_1']);
  });

  it('has its ask withdrawn when Claude Code settles it by itself', async () => {
    const { decisions, withdrawn } = setUp();
    await decisions.decide(call('ls'), NO_PATIENCE);
    await decisions.callEnded({ id: 'toolu_1' });
    expect(withdrawn).toEqual(['ask of toolu_1']);
    expect(decisions.hasUnconcluded()).toBe(false);
  });
});
