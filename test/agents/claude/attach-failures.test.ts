// The door for a person's own Claude Code where things do not fit: what the server would not take, who comes too late,
// and sessions that others have made. Each of them is reported in the thread or in the log.
// Covers: src/agents/claude/attach.ts
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHooks } from '../../../src/agents/claude/attach.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { AskView } from '../../../src/core/views.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';

let server: Server;
let bed: TestBed;
let client: Client;
let waits: Waits;
let door: ReturnType<typeof serveHooks>;
const logged: unknown[] = [];
const log = { info() {}, warn: (about: object) => void logged.push(about) };
const never = new AbortController().signal;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  client = createClient({ url: bed.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
  door = serveHooks({ client, waits, log });
});
afterAll(async () => {
  await door.close();
  waits.close();
  await server.close();
});

const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x', description: 'd' } };

function claudeRuntime(by = door) {
  const session_id = randomUUID();
  const base = { session_id, transcript_path: '/t', cwd: '/project', permission_mode: 'default' };
  return {
    session: `claude.${session_id}`,
    base,
    tell: (hook_event_name: string, more: object = {}, signal = never) =>
      by.handle({ ...base, hook_event_name, ...more }, signal),
  };
}
const ofRun = async (session: string) => {
  const [run] = (await bed.api.runs.list({ session_id: session })).items;
  return bed.api.runs.get(run?.run_id ?? '');
};

describe('what describes a request is cut to what the server takes', () => {
  it.each([
    ['a character of two halves at the end of a title', { prompt: `${'x'.repeat(79)}😀 more` }, {}],
    ['a prompt with NUL', { prompt: 'a\0b' }, {}],
    ['a prompt with half a character', { prompt: 'a\ud800b' }, {}],
    ['a long prompt', { prompt: '語'.repeat(900_000) }, {}],
    ['a sub-agent with a long name', {}, { agent_id: 'a', agent_type: 'x'.repeat(500) }],
    ['a sub-agent with a blank name', {}, { agent_id: 'a', agent_type: ' ' }],
  ])('%s', async (_, prompt, more) => {
    const { tell, session } = claudeRuntime();
    await tell('UserPromptSubmit', prompt);
    const asked = tell('PermissionRequest', { ...BASH, ...more });
    const [ask] = await bed.pending(session);
    if (ask) await bed.decide(ask, { behavior: 'allow' });
    expect(await asked).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
    const { title = '' } = await bed.api.sessions.get(session);
    expect(title.isWellFormed()).toBe(true);
    await tell('SessionEnd');
  });
});

describe('what cannot be asked here is left to the terminal, and the thread says why', () => {
  const options = (...labels: string[]) => ({
    tool_name: 'AskUserQuestion',
    tool_input: { questions: [{ question: 'Q?', header: 'H', options: labels.map((label) => ({ label })) }] },
  });
  it.each([
    ['an input with NUL', { ...BASH, tool_input: { command: 'echo \0' } }, 'NUL'],
    ['an input with half a character', { ...BASH, tool_input: { command: 'echo \ud800' } }, 'surrogate'],
    ['an input that is too large', { ...BASH, tool_input: { content: 'x'.repeat(2_000_000) } }, 'bytes'],
    ['a tool with a long name', { ...BASH, tool_name: `mcp__${'x'.repeat(300)}` }, 'tool_name'],
    ['options that are alike', options('Yes', 'yes'), 'differ by more than case'],
    ['an option without a label', options('', 'B'), 'label'],
    ['questions of another shape', { tool_name: 'AskUserQuestion', tool_input: { questions: 'none' } }, 'as expected'],
  ])('%s', async (_, call, why) => {
    const { tell, session } = claudeRuntime();
    logged.length = 0;
    await tell('PreToolUse', { ...call, tool_use_id: 'toolu_1' });
    expect(await tell('PermissionRequest', call)).toEqual({});
    expect((await ofRun(session)).outputs).toMatchObject([
      {
        type: 'status',
        text: expect.stringMatching(new RegExp(`only at the terminal of Claude Code, because: .*${why}`)),
      },
    ]);
    expect(logged).toMatchObject([{ session_id: session, why: expect.stringContaining(why) }]);
    await tell('SessionEnd');
  });

  it('a conversation whose session was ended: the log says it, where no thread can', async () => {
    const { tell, session } = claudeRuntime();
    const first = tell('PermissionRequest', BASH);
    await bed.pending(session);
    await bed.api.sessions.end(session);
    expect(await first).toEqual({});
    logged.length = 0;
    expect(await tell('PermissionRequest', BASH)).toEqual({});
    expect(logged).toMatchObject([{ session_id: session, why: expect.stringContaining('has ended') }]);
  });
});

describe('a session that others made', () => {
  it('is no conversation of ours, whatever it is called: it is neither ended nor asked in', async () => {
    const { tell, session } = claudeRuntime();
    await bed.api.sessions.create({ session_id: session, agent: 'external' });
    const { run_id } = await bed.api.runs.start(session, { input: { text: 'x' }, source: 'claude' });
    await serveHooks({ client, waits }).recover();
    logged.length = 0;
    expect(await tell('PermissionRequest', BASH)).toEqual({});
    expect(logged).toMatchObject([{ session_id: session, why: expect.stringContaining('made for something else') }]);
    expect(await bed.api.runs.get(run_id)).toMatchObject({ status: 'running', outputs: [] });
    await tell('SessionEnd');
    expect((await bed.api.runs.get(run_id)).status).toBe('running');
  });

  it('refuses a message to a thread that no agent reads', async () => {
    const { tell, session } = claudeRuntime();
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    if (ask) await bed.decide(ask, { behavior: 'allow' });
    await asked;
    await tell('Stop');
    await expect(bed.api.sessions.say(session, { text: 'and now?' })).rejects.toThrow('Type it there');
    expect((await bed.api.runs.list({ session_id: session })).items).toHaveLength(1);
  });
});

describe('too late', () => {
  const at = async ({ ask_id }: AskView) => (await bed.api.asks.get(ask_id)).delivery;

  it('a changed input that was allowed here and did not run is told of; one that ran is not', async () => {
    const changed = { command: 'echo harmless' };
    for (const [ran, outputs, delivery] of [
      [
        BASH.tool_input,
        [{ type: 'status', text: expect.stringContaining('another one ran') }],
        { state: 'undeliverable', reason: expect.stringContaining('another one ran') },
      ],
      [changed, [], { state: 'delivered' }],
    ] as const) {
      const { tell, session } = claudeRuntime();
      await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_1' });
      const asked = tell('PermissionRequest', BASH);
      const [ask] = await bed.pending(session);
      if (ask) await bed.decide(ask, { behavior: 'allow', updated_input: changed });
      await asked;
      await tell('PostToolUse', { ...BASH, tool_input: ran, tool_use_id: 'toolu_1' });
      expect((await bed.api.runs.get(ask?.run_id ?? '')).outputs).toMatchObject(outputs);
      expect(await at(ask as AskView)).toMatchObject(delivery);
      await tell('SessionEnd');
    }
  });

  it('an answer to a question that was answered at the terminal before is told of; the one that counted is not', async () => {
    const questions = [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
    const ASKS = { tool_name: 'AskUserQuestion', tool_input: { questions } };
    const B = { question_id: 'question-1', selected_option_ids: ['option-2'] };
    const answers = (ask: AskView) => bed.answer(ask, B);
    const declines = (ask: AskView) => bed.decline(ask, 'later');
    for (const [decides, counted, outputs] of [
      [answers, 'A', [{ type: 'status', text: expect.stringMatching(/answered here, but .* answered before: A$/) }]],
      [declines, 'A', [{ type: 'status', text: expect.stringMatching(/declined here, but .* answered before: A$/) }]],
      [answers, 'B', []],
    ] as const) {
      const { tell, session } = claudeRuntime();
      await tell('PreToolUse', { ...ASKS, tool_use_id: 'toolu_q' });
      const asked = tell('PermissionRequest', ASKS);
      const ask = (await bed.pending(session))[0] as AskView;
      await decides(ask);
      await asked;
      const over = { tool_input: { questions, answers: { 'Which?': counted } }, tool_use_id: 'toolu_q' };
      await tell('PostToolUse', { ...ASKS, ...over });
      expect((await bed.api.runs.get(ask.run_id)).outputs).toMatchObject(outputs);
      expect((await at(ask)).state).toBe(outputs.length > 0 ? 'undeliverable' : 'delivered');
      await tell('SessionEnd');
    }
  });

  it('an answer given when Claude Code had hung up is undeliverable', async () => {
    let late = async (): Promise<unknown> => undefined;
    const withdraw: Client['asks']['withdraw'] = async (...call) => {
      await late();
      return client.asks.withdraw(...call);
    };
    const slow = serveHooks({ client: { ...client, asks: { ...client.asks, withdraw } }, waits });
    const { tell, session } = claudeRuntime(slow);
    const gone = new AbortController();
    const asked = tell('PermissionRequest', BASH, gone.signal);
    const [ask] = await bed.pending(session);
    late = async () => ask && bed.decide(ask, { behavior: 'allow' });
    gone.abort();
    expect(await asked).toEqual({});
    expect(await bed.api.asks.get(ask?.ask_id ?? '')).toMatchObject({
      status: 'answered',
      delivery: { state: 'undeliverable', reason: 'Claude Code no longer waits for it' },
    });
    await slow.close();
  });
});

describe('evidence that a decision took effect', () => {
  it.each([
    ['an allow whose call is not seen to run by the end of the turn', 'allow', 'Stop', {}, 'undeliverable'],
    ['a denial whose call is not seen to run by the end of the turn', 'deny', 'Stop', {}, 'delivered'],
    ['a denial whose call is refused', 'deny', 'PermissionDenied', { ...BASH, tool_use_id: 'toolu_1' }, 'delivered'],
    ['a denial that is followed by another prompt', 'deny', 'UserPromptSubmit', { prompt: 'then y' }, 'delivered'],
  ] as const)('%s', async (_, behavior, event, more, state) => {
    const { tell, session } = claudeRuntime();
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_1' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    if (ask) await bed.decide(ask, { behavior });
    await asked;
    expect(await bed.api.asks.get(ask?.ask_id ?? '')).toMatchObject({ delivery: { state: 'due', attempts: 1 } });
    await tell(event, more);
    expect(await bed.api.asks.get(ask?.ask_id ?? '')).toMatchObject({ delivery: { state } });
    await tell('SessionEnd');
  });

  it('that came before the ask was stored is made up for at the end of the turn', async () => {
    const other = serveHooks({ client, waits });
    const { tell, session, base } = claudeRuntime();
    const tellOther = (hook_event_name: string, more = {}) =>
      other.handle({ ...base, hook_event_name, ...more }, never);
    await tellOther('PostToolUse', { ...BASH, tool_use_id: 'toolu_1' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    await tellOther('Stop');
    expect(await asked).toEqual({});
    expect(await bed.api.asks.get(ask?.ask_id ?? '')).toMatchObject({ status: 'cancelled' });
    expect(await bed.over(ask?.run_id ?? '')).toMatchObject({ status: 'completed' });
    await other.close();
  });
});

it('an event that only reports costs one request, and stores nothing', async () => {
  const calls: string[] = [];
  const fetchNoted: typeof fetch = (input, init) => {
    calls.push(init?.method ?? 'GET');
    return fetch(input, init);
  };
  const { token } = await server.makeToken('worker');
  const noted = serveHooks({ client: createClient({ url: bed.url, token, fetch: fetchNoted }), waits });
  const { tell, session } = claudeRuntime(noted);
  const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'SubagentStop', 'Stop'];
  const costs = async () => {
    const counted: Record<string, string[]> = {};
    for (const event of events) {
      await tell(event, { ...BASH, tool_use_id: 'toolu_1', tool_calls: [], agent_id: 'a1' });
      counted[event] = calls.splice(0);
    }
    return counted;
  };
  const once = Object.fromEntries(events.map((event) => [event, event === 'PreToolUse' ? [] : ['GET']]));
  expect(await costs()).toEqual(once);
  await expect(bed.api.sessions.get(session)).rejects.toMatchObject({ status: 404 });
  void tell('PermissionRequest', BASH);
  await bed.pending(session);
  await tell('SessionEnd');
  await tell('Stop');
  calls.length = 0;
  expect(await costs()).toEqual(once);
  await noted.close();
});

describe('twins', () => {
  async function twins() {
    const { tell, session } = claudeRuntime();
    for (const tool_use_id of ['A', 'B']) await tell('PreToolUse', { ...BASH, tool_use_id });
    const first = tell('PermissionRequest', BASH);
    const [older] = await bed.pending(session);
    const second = tell('PermissionRequest', BASH);
    const newer = (await bed.pending(session, 2)).find((ask) => ask.ask_id !== older?.ask_id);
    if (!older || !newer) throw new Error('two asks');
    return { tell, first, second, older, newer };
  }

  it('of which the newer is allowed here: when its call is over the older one still waits', async () => {
    const { tell, first, second, older, newer } = await twins();
    await bed.decide(newer, { behavior: 'allow' });
    await second;
    await tell('PostToolUse', { ...BASH, tool_use_id: 'B' });
    expect((await bed.api.asks.get(older.ask_id)).status).toBe('pending');
    await tell('PostToolUse', { ...BASH, tool_use_id: 'A' });
    expect(await first).toEqual({});
    await tell('SessionEnd');
  });

  it('of which one is denied here: the call that runs is the other one', async () => {
    const { tell, first, second, older, newer } = await twins();
    await bed.decide(older, { behavior: 'deny' });
    await first;
    await tell('PostToolUse', { ...BASH, tool_use_id: 'B' });
    expect(await second).toEqual({});
    expect((await bed.api.asks.get(newer.ask_id)).status).toBe('cancelled');
    expect((await bed.api.runs.get(older.run_id)).outputs).toEqual([]);
    await tell('SessionEnd');
  });
});

it('a call that takes long is not taken for silence', async () => {
  const short = serveHooks({ client, waits }, { lookMs: 250 });
  const { tell, session } = claudeRuntime(short);
  await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_long' });
  const asked = tell('PermissionRequest', BASH);
  const [ask] = await bed.pending(session);
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  await asked;
  // Longer than the quiet that ends a turn, much shorter than the one that ends a call.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect((await bed.api.runs.get(ask?.run_id ?? '')).status).toBe('running');
  await tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_long' });
  expect(await bed.over(ask?.run_id ?? '')).toMatchObject({
    status: 'interrupted',
    error: 'nothing more was heard of Claude Code',
  });
  await short.close();
});
