// The door for a person's own Claude Code, event by event as its hooks call: who is first wins, both sides settle, and
// nothing that is no decision of a person here ever decides anything there.
// Covers: src/agents/claude/attached-conversations.ts, src/agents/claude/attached-asks.ts
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveHooks } from '../../../src/agents/claude/attach.ts';
import { ATTACHED } from '../../../src/agents/claude/attached-conversations.ts';
import { HOOK_SECONDS } from '../../../src/agents/claude/connect.ts';
import { unsettledAsksOf } from '../../../src/agents/kit/attached-session.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';

let server: Server;
let bed: TestBed;
let door: ReturnType<typeof serveHooks>;
let waits: Waits;
const never = new AbortController().signal;
const posts: string[] = [];
const fetchNoted: typeof fetch = (input, init) => {
  if (init?.method === 'POST') posts.push(new URL(String(input)).pathname);
  return fetch(input, init);
};
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const { token } = await server.makeToken('worker');
  const client = createClient({ url: bed.url, token, fetch: fetchNoted });
  waits = new Waits(client.http);
  door = serveHooks({ client, waits });
});
afterAll(async () => {
  waits.close();
  await server.close();
});

const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x', description: 'd' } };

function claudeRuntime(session_id: string = randomUUID()) {
  const base = { session_id, transcript_path: '/t', cwd: '/project', permission_mode: 'default' };
  return {
    session: `claude.${session_id}`,
    tell: (hook_event_name: string, more: object = {}, signal = never) =>
      door.handle({ ...base, hook_event_name, ...more }, signal),
  };
}
const decided = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

describe('a request for permission', () => {
  it('is the call that was announced, and is answered as decided here', async () => {
    const { tell, session } = claudeRuntime();
    await tell('UserPromptSubmit', { prompt: 'make x' });
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_1' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    expect(ask).toMatchObject({ tool_call_id: 'toolu_1', request: { tool_name: 'Bash', input: BASH.tool_input } });
    expect((ask?.expires_at_ms ?? 0) - (ask?.created_at_ms ?? 0)).toBeLessThan(HOOK_SECONDS * 1000);
    expect(posts.filter((path) => path.endsWith('/asks'))).toEqual([`/v1/runs/${ask?.run_id}/asks`]);
    if (ask) await bed.decide(ask, { behavior: 'allow', updated_input: { command: 'touch y' } });
    expect(await asked).toEqual(decided({ behavior: 'allow', updatedInput: { command: 'touch y' } }));
    const delivery = async () => (await bed.api.asks.get(ask?.ask_id ?? '')).delivery;
    expect(await delivery()).toMatchObject({ state: 'due', attempts: 1 });
    const ran = await tell('PostToolUse', { ...BASH, tool_input: { command: 'touch y' }, tool_use_id: 'toolu_1' });
    const additionalContext = expect.stringMatching(/^A person changed the input of this call.*"touch y"/);
    expect(ran).toEqual({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext } });
    expect(await delivery()).toMatchObject({ state: 'delivered' });
    await tell('Stop');
    expect(await bed.over(ask?.run_id ?? '')).toMatchObject({
      status: 'completed',
      request: { text_preview: 'make x' },
    });
  });

  it('is asked anew though its call has the id of one that was allowed: one approval, one run', async () => {
    const { tell, session } = claudeRuntime();
    const CALL = { ...BASH, tool_use_id: 'call_0' };
    await tell('PreToolUse', CALL);
    const first = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    if (ask) await bed.decide(ask, { behavior: 'allow' });
    await first;
    await tell('PostToolUse', CALL);
    for (const again of [BASH, { ...BASH, tool_input: { command: 'rm -r x' } }]) {
      await tell('PreToolUse', { ...again, tool_use_id: 'call_0' });
      const asked = tell('PermissionRequest', again);
      const [next] = await bed.pending(session);
      expect(next?.ask_id).not.toBe(ask?.ask_id);
      expect(next).toMatchObject({ run_id: ask?.run_id, request: { input: again.tool_input } });
      if (next) await bed.decide(next, { behavior: 'deny', reason: 'once is enough' });
      expect(await asked).toMatchObject(decided({ behavior: 'deny' }));
      await tell('PostToolUseFailure', { ...again, tool_use_id: 'call_0' });
    }
    await tell('Stop');
  });

  it('finding 23: with an ambiguous input is left to the terminal, and no ask is raised', async () => {
    const id = randomUUID();
    const base = { session_id: id, cwd: '/project', ...BASH };
    const tell = (hook_event_name: string) => door.handle({ ...base, hook_event_name }, never, 'command occurs twice');
    expect(await tell('PreToolUse')).toEqual({});
    expect(await tell('PermissionRequest')).toEqual({});
    await expect(bed.api.sessions.get(`claude.${id}`)).rejects.toMatchObject({ code: 'session_not_found' });
    expect(await tell('Stop')).toEqual({});
  });

  it('that a setting decides is left to the terminal', async () => {
    const { tell, session } = claudeRuntime();
    await bed.api.sessions.create({
      session_id: session,
      agent: 'external',
      agent_id: 'claude',
      labels: ['attached'],
      permissions: 'autonomous',
    });
    expect(await tell('PermissionRequest', BASH)).toEqual({});
    const [ask] = (await bed.api.asks.list({ session_id: session })).items;
    expect(ask?.delivery).toMatchObject({
      state: 'undeliverable',
      reason: expect.stringContaining('before a person saw'),
    });
    await tell('Stop');
  });

  it('says in which folder it would run, and is allowed for that folder alone', async () => {
    const { tell, session } = claudeRuntime();
    const allowed = async (cwd: string) => {
      const asked = tell('PermissionRequest', { ...BASH, cwd });
      const [ask] = await bed.pending(session);
      if (ask) await bed.decide(ask, { behavior: 'allow' });
      expect(await asked).toEqual(decided({ behavior: 'allow', updatedInput: BASH.tool_input }));
      expect(ask).toMatchObject({ request: { work_folder: cwd }, asked_from: { work_folder: cwd } });
      return bed.api.asks.get(ask?.ask_id ?? '');
    };
    const [first, moved] = [await allowed('/project'), await allowed('/project/sub')];
    expect(moved).toMatchObject({ session_id: first.session_id, delivery: { state: 'due', attempts: 1 } });
    expect(moved.request.digest).not.toBe(first.request.digest);
    await tell('Stop');
  });

  it('of a sub-agent says so, and is not settled by what the session itself does', async () => {
    const { tell, session } = claudeRuntime();
    const helper = { agent_id: 'a1', agent_type: 'reviewer' };
    await tell('UserPromptSubmit', { prompt: 'review it' });
    const tool_response = { status: 'async_launched', agentId: 'a1', description: 'read the tests' };
    await tell('PostToolUse', { tool_name: 'Agent', tool_input: {}, tool_use_id: 'toolu_agent', tool_response });
    await tell('PreToolUse', { ...BASH, ...helper, tool_use_id: 'toolu_sub' });
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_main' });
    const asked = tell('PermissionRequest', { ...BASH, ...helper });
    const [ask] = await bed.pending(session);
    expect(ask).toMatchObject({ tool_call_id: 'a1/toolu_sub', request: { lineage: ['reviewer: read the tests'] } });
    const systemMessage = expect.stringMatching(/^Holdpoint: reviewer waits for an answer there/);
    expect(await tell('Stop')).toEqual({ systemMessage });
    await tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_main' });
    if (ask) await bed.decide(ask, { behavior: 'deny', reason: 'no' });
    expect(await asked).toEqual(decided({ behavior: 'deny', message: 'A person denied this: no' }));
    await tell('SubagentStop', helper);
    expect(await bed.over(ask?.run_id ?? '')).toMatchObject({ status: 'completed' });
    await tell('UserPromptSubmit', { prompt: '<task-notification>a1 is done</task-notification>' });
    void tell('PermissionRequest', BASH);
    const [next] = await bed.pending(session);
    const { request } = await bed.api.runs.get(next?.run_id ?? '');
    expect(request.text_preview).toBe('review it');
    await tell('Stop');
  });

  it.each([
    ['PostToolUse', { ...BASH, tool_use_id: 'toolu_2' }, 'running', 'allowed'],
    ['PostToolUseFailure', { ...BASH, tool_use_id: 'toolu_2' }, 'running', 'allowed'],
    ['PermissionDenied', { ...BASH, tool_use_id: 'toolu_2' }, 'running', 'settled'],
    [
      'PostToolBatch',
      { tool_calls: [{ ...BASH, tool_use_id: 'toolu_2', tool_response: 'rejected' }] },
      'running',
      'settled',
    ],
    ['UserPromptSubmit', { prompt: 'no, stop' }, 'interrupted', 'settled'],
    ['Stop', {}, 'completed', 'settled'],
    ['StopFailure', { error: 'overloaded' }, 'failed', 'settled'],
    ['SessionEnd', { reason: 'exit' }, 'interrupted', 'settled'],
  ])('is withdrawn with what is known when the terminal was first: %s', async (event, more, status, how) => {
    const { tell, session } = claudeRuntime();
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_2' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    await tell(event, more);
    expect(await asked).toEqual({});
    const ended = await bed.api.asks.get(ask?.ask_id ?? '');
    expect(ended).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', justification: `${how} at the terminal of Claude Code` },
      delivery: { state: 'delivered' },
    });
    expect(ended.answer).not.toHaveProperty('behavior');
    expect(await bed.api.runs.get(ask?.run_id ?? '')).toMatchObject({ status });
  });

  it('that was given up at the terminal, by Esc or a plain no, ends with its run; the next prompt has a run of its own', async () => {
    const { tell, session } = claudeRuntime();
    const gone = new AbortController();
    await tell('UserPromptSubmit', { prompt: 'make x' });
    const asked = tell('PermissionRequest', BASH, gone.signal);
    const [ask] = await bed.pending(session);
    gone.abort();
    expect(await asked).toEqual({});
    expect(await bed.api.asks.get(ask?.ask_id ?? '')).toMatchObject({ status: 'cancelled' });
    expect(await bed.over(ask?.run_id ?? '')).toMatchObject({
      status: 'interrupted',
      error: 'interrupted at the terminal of Claude Code',
    });
    await tell('UserPromptSubmit', { prompt: 'make y' });
    void tell('PermissionRequest', BASH);
    const [next] = await bed.pending(session);
    expect(await bed.api.runs.get(next?.run_id ?? '')).toMatchObject({ request: { text_preview: 'make y' } });
    expect(next?.run_id).not.toBe(ask?.run_id);
    await tell('Stop');
  });

  it('of a sub-agent at work goes on when another one is given up', async () => {
    const { tell, session } = claudeRuntime();
    const gone = new AbortController();
    const first = tell('PermissionRequest', { ...BASH, agent_id: 'a1' }, gone.signal);
    const second = tell('PermissionRequest', { ...BASH, agent_id: 'a2' });
    await bed.pending(session, 2);
    gone.abort();
    expect(await first).toEqual({});
    const [left] = await bed.pending(session);
    expect(left).toMatchObject({ request: { lineage: ['a2'] } });
    if (left) await bed.decide(left, { behavior: 'allow' });
    expect(await second).toEqual(decided({ behavior: 'allow', updatedInput: BASH.tool_input }));
    await tell('Stop');
    expect(await bed.over(left?.run_id ?? '')).toMatchObject({ status: 'completed' });
  });

  it('is named after the only call that it can be, never after one that has ended', async () => {
    const { tell, session } = claudeRuntime();
    for (const tool_use_id of ['toolu_done', 'toolu_failed', 'toolu_new'])
      await tell('PreToolUse', { ...BASH, tool_use_id });
    await tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_done' });
    await tell('PostToolUseFailure', { ...BASH, tool_use_id: 'toolu_failed' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    expect(ask?.tool_call_id).toBe('toolu_new');
    await tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_new' });
    expect(await asked).toEqual({});
    await tell('Stop');
  });

  it.each(['PostToolUse', 'PostToolUseFailure'])(
    'that is denied here and runs all the same, because the terminal allowed it before, says so: %s',
    async (ran) => {
      const { tell, session } = claudeRuntime();
      await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_long' });
      const asked = tell('PermissionRequest', BASH);
      const [ask] = await bed.pending(session);
      if (ask) await bed.decide(ask, { behavior: 'deny', reason: 'no' });
      await asked;
      await tell(ran, { ...BASH, tool_use_id: 'toolu_long' });
      const { outputs } = await bed.api.runs.get(ask?.run_id ?? '');
      expect(outputs).toMatchObject([{ type: 'status', text: expect.stringContaining('denied here, but ran') }]);
      await tell('Stop');
    },
  );

  it('with suggestions of another shape is asked all the same, without them', async () => {
    const { tell, session } = claudeRuntime();
    void tell('PermissionRequest', { ...BASH, permission_suggestions: 'later, perhaps' });
    const [ask] = await bed.pending(session);
    expect(ask?.request).not.toHaveProperty('suggestions');
    await tell('Stop');
  });

  it('that expires here is left to the terminal', async () => {
    const { tell, session } = claudeRuntime();
    const asked = tell('PermissionRequest', BASH);
    await bed.pending(session);
    server.advance(HOOK_SECONDS * 1000);
    expect(await asked).toEqual({});
  });

  it('that the server refuses is left to the terminal', async () => {
    const { tell, session } = claudeRuntime();
    const first = tell('PermissionRequest', BASH);
    const [ask] = await bed.pending(session);
    await bed.api.sessions.end(ask?.session_id ?? '');
    expect(await first).toEqual({});
    expect(await tell('PermissionRequest', BASH)).toEqual({});
  });
});

it('a question is answered in the words of Claude Code', async () => {
  const { tell, session } = claudeRuntime();
  const questions = [
    { question: 'Which?', header: 'H', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] },
  ];
  const asked = tell('PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: { questions } });
  const [ask] = await bed.pending(session);
  if (ask) await bed.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
  expect(await asked).toEqual(decided({ behavior: 'allow', updatedInput: { questions, answers: { 'Which?': 'B' } } }));
});

it.each([undefined, null, 3, [], {}, { session_id: '../x', cwd: '/', hook_event_name: 'Stop' }])(
  'makes nothing of %j',
  async (payload) => {
    const before = (await bed.api.sessions.list({ limit: 500 })).items.length;
    expect(await door.handle(payload, never)).toEqual({});
    expect((await bed.api.sessions.list({ limit: 500 })).items).toHaveLength(before);
  },
);

it('what waits at one server is left alone by another that receives its first event of the conversation', async () => {
  const { tell, session } = claudeRuntime();
  const first = tell('PermissionRequest', BASH);
  const [left] = await bed.pending(session);
  const client = createClient({ url: bed.url, token: server.token });
  const other = serveHooks({ client, waits });
  const base = { session_id: session.slice('claude.'.length), cwd: '/project' };
  const asked = [1, 2, 3].map((n) =>
    other.handle({ ...base, ...BASH, agent_id: `a${n}`, hook_event_name: 'PermissionRequest' }, never),
  );
  const asks = await bed.pending(session, 4);
  expect(new Set(asks.map(({ run_id }) => run_id))).toEqual(new Set([left?.run_id]));
  for (const ask of asks) await bed.decide(ask, { behavior: 'allow' });
  const allowed = decided({ behavior: 'allow', updatedInput: BASH.tool_input });
  expect(await Promise.all([first, ...asked])).toEqual([allowed, allowed, allowed, allowed]);
  await other.close();
});

it('at the start of a server every conversation that was at work ends, and no other session', async () => {
  const { tell, session } = claudeRuntime();
  void tell('PermissionRequest', BASH);
  const [left] = await bed.pending(session);
  const other = await bed.api.sessions.create({ agent: 'external' });
  const { run_id } = await bed.api.runs.start(other.session_id, { input: { text: 'x' } });
  const client = createClient({ url: bed.url, token: server.token });
  await serveHooks({ client, waits }, { returnMs: 1 }).recover();
  const answer = async () => (await bed.api.asks.get(left?.ask_id ?? '')).answer;
  await expect.poll(answer).toMatchObject({ reason: 'worker_restart' });
  expect((await bed.api.runs.get(run_id)).status).toBe('running');
});

it('at the start of a server what others have asked is looked through once', async () => {
  const client = createClient({ url: bed.url, token: server.token });
  const list = vi.spyOn(client.asks, 'list');
  const begin = (returnMs: number) => serveHooks({ client, waits }, { returnMs }).recover();
  await begin(1);
  const unclaimed = async () =>
    (await unsettledAsksOf(client, ATTACHED)).filter(({ delivery }) => delivery.attempts === 0);
  await expect.poll(unclaimed).toEqual([]);
  list.mockClear();
  await begin(300);
  const looked = list.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(list.mock.calls).toHaveLength(looked);
});

it('a conversation that nothing is heard of any more is over, unless it still waits', async () => {
  const client = createClient({ url: bed.url, token: server.token });
  const short = serveHooks({ client, waits }, { lookMs: 1 });
  const id = randomUUID();
  const base = { session_id: id, cwd: '/project' };
  const asked = short.handle({ ...base, ...BASH, hook_event_name: 'PermissionRequest' }, never);
  const [ask] = await bed.pending(`claude.${id}`);
  expect((await bed.api.runs.get(ask?.run_id ?? '')).status).toBe('waiting_for_approval');
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  await asked;
  expect(await bed.over(ask?.run_id ?? '')).toMatchObject({
    status: 'interrupted',
    error: 'nothing more was heard of Claude Code',
  });
});

it('a waiting request is left to the terminal when the server shuts down', async () => {
  const { tell, session } = claudeRuntime();
  const asked = tell('PermissionRequest', BASH);
  await bed.pending(session);
  await door.close();
  expect(await asked).toEqual({});
});
