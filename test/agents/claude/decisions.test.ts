// A decision is for one call of Claude Code, to the letter: an id that comes again is no permission.
import { describe, expect, it } from 'vitest';
import type { AgentContext } from '../../../src/agents/agent.ts';
import { createDesk } from '../../../src/agents/claude/decisions.ts';
import type { ToolCall } from '../../../src/agents/claude/stream-events.ts';
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

/** A person who allows whatever is shown, once it is told to go on. */
function deskOf({
  known = [] as AskView[],
  until = Promise.resolve(),
  changed = undefined as object | undefined,
  taken = [] as string[],
  isAnswered = false,
} = {}) {
  const shown: { id: string; tool_name: string; input: unknown }[] = [];
  const withdrawn: string[] = [];
  const givenUp: string[] = [];
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
    markUndeliverable: async (askId: string) => void givenUp.push(askId),
  };
  return { desk: createDesk(context as unknown as AgentContext, known), shown, withdrawn, givenUp };
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

describe('a decision on a call', () => {
  it('is the same for its hook and its request for permission', async () => {
    const { desk, shown } = deskOf();
    const [first, second] = await Promise.all([desk.decide(call('ls')), desk.decide(call('ls'))]);
    expect(second).toEqual(first);
    expect(shown).toHaveLength(1);
  });

  it('holds for the call as the person changed it', async () => {
    const { desk, shown } = deskOf({ changed: { command: 'ls -l' } });
    await desk.decide(call('ls'));
    expect(await desk.decide(call('ls -l'))).toMatchObject({ behavior: 'allow', input: { command: 'ls -l' } });
    expect(shown).toHaveLength(1);
  });

  it.each([
    ['another input', call('rm -rf build')],
    ['another tool', call('ls', 'PowerShell')],
    ['another folder', { ...call('ls'), folder: '/srv/sub' }],
  ])('is not for %s under the same id', async (_, other) => {
    const { desk, shown } = deskOf();
    await desk.decide(call('ls'));
    expect(await desk.decide(other)).toMatchObject({ behavior: 'allow', input: other.input });
    expect(shown).toEqual([
      { id: 'toolu_1', tool_name: 'Bash', input: { command: 'ls' } },
      { id: 'toolu_1~2', tool_name: other.name, input: other.input },
    ]);
  });

  it('is not for the same call of another sub-agent', async () => {
    const { desk, shown } = deskOf();
    const left = { ...call('ls'), agentId: 'left' };
    await Promise.all([desk.decide(left), desk.decide({ ...left, agentId: 'right' })]);
    await desk.settled({ id: 'toolu_1', agentId: 'right' });
    await desk.decide(left);
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2']);
  });

  it('still open, lets nothing else through under its id', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { desk, shown } = deskOf({ until: promise });
    const first = desk.decide(call('ls'));
    expect(await desk.decide(call('rm -rf build'))).toMatchObject({ behavior: 'deny' });
    resolve();
    expect(await first).toMatchObject({ behavior: 'allow', input: { command: 'ls' } });
    expect(shown).toHaveLength(1);
  });

  it('is over with the call: the same again is asked again', async () => {
    const { desk, shown } = deskOf();
    for (let n = 0; n < 3; n++) {
      await desk.decide(call('ls'));
      await desk.settled({ id: 'toolu_1' });
    }
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2', 'toolu_1~3']);
  });

  it('made before the run was taken up again is for that call, and once', async () => {
    const { desk, shown } = deskOf({ known: [allowed('ls')] });
    await desk.decide(call('ls'));
    await desk.settled({ id: 'toolu_1' });
    await desk.decide(call('ls'));
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1~2']);
  });

  it('made before opens up what was shown with it then, not what the call suggests now', async () => {
    const rule = (ruleContent: string) => ({ toolName: 'Bash', ruleContent });
    const label = 'Do not ask again in this session for Bash(ls)';
    const known = allowed('ls');
    known.request = { ...known.request, suggestions: [{ id: 'session-0', label, rules: [rule('ls')] }] } as never;
    const { desk } = deskOf({ known: [known], taken: ['session-0'] });
    const suggestions = [{ type: 'addRules', behavior: 'allow', rules: [rule('*')] }];
    expect(await desk.decide({ ...call('ls'), suggestions })).toMatchObject({ rules: [{ rules: [rule('ls')] }] });
  });

  it.each(['delivered', 'undeliverable'])(
    'made before and %s is used up: the same call is asked again',
    async (state) => {
      const { desk, shown } = deskOf({ known: [allowed('ls', 'Bash', state)] });
      await desk.decide(call('ls'));
      expect(shown.map(({ id }) => id)).toEqual(['toolu_1~2']);
    },
  );

  it.each([
    ['in another folder', undefined, '/srv/sub'],
    ['in the folder of the session, where it was for another', '/srv/sub', undefined],
  ])('made before is not for the same call %s', async (_, work_folder, folder) => {
    const known = allowed('ls');
    known.request = { ...known.request, work_folder } as never;
    const { desk, shown } = deskOf({ known: [known] });
    await desk.decide({ ...call('ls'), folder });
    await desk.decide({ ...call('ls'), id: 'toolu_2', folder: work_folder });
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1~2', 'toolu_1']);
  });

  it('made before is not for another action under its id', async () => {
    const { desk, shown } = deskOf({ known: [allowed('ls')] });
    await desk.decide(call('rm -rf build'));
    expect(shown).toEqual([{ id: 'toolu_1~2', tool_name: 'Bash', input: { command: 'rm -rf build' } }]);
  });
});

it('a call that is taken back while it is being put to a person is taken back from them, and may be asked anew', async () => {
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
  const desk = createDesk(context as unknown as AgentContext, []);
  const first = desk.decide(call('ls'));
  desk.takenBack(call('ls'));
  expect(withdrawn).toEqual([]);
  raising[0]?.resolve();
  await expect(first).rejects.toThrow('settled in Claude Code itself');
  expect(withdrawn).toEqual(['ask 0']);
  raising[1]?.resolve();
  expect(await desk.decide(call('ls'))).toMatchObject({ behavior: 'allow' });
  expect(desk.owes()).toBe(false);
});

describe('a call that Claude Code is to end on', () => {
  const NO_PATIENCE = AbortSignal.abort();

  it('is owed an answer until that end is heard', async () => {
    const { desk } = deskOf();
    expect(await desk.decide(call('ls'), NO_PATIENCE)).toEqual({ behavior: 'held' });
    expect(desk.owes()).toBe(true);
  });

  it('is waited for where it asks for a permission instead: with the same ask, and no denial', async () => {
    const { desk, shown } = deskOf();
    await desk.decide(call('ls'), NO_PATIENCE);
    const twice = await Promise.all([desk.decide(call('ls')), desk.decide(call('ls'))]);
    expect(twice).toMatchObject([{ behavior: 'allow' }, { behavior: 'allow' }]);
    expect(shown.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_1']);
    expect(desk.owes()).toBe(false);
  });

  it('is given up where somebody has answered it meanwhile: no later process finds it', async () => {
    const { desk, givenUp } = deskOf({ isAnswered: true });
    await desk.decide(call('ls'), NO_PATIENCE);
    await desk.settled({ id: 'toolu_1' });
    expect(givenUp).toEqual(['ask of toolu_1']);
  });

  it('is taken back from the person where it has a result without them', async () => {
    const { desk, withdrawn } = deskOf();
    await desk.decide(call('ls'), NO_PATIENCE);
    await desk.settled({ id: 'toolu_1' });
    expect(withdrawn).toEqual(['ask of toolu_1']);
    expect(desk.owes()).toBe(false);
  });
});
