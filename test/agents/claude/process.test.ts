// The process of Claude Code in situations that the real one is rarely in: it starts slowly, dies at the wrong moment, or
// settles by itself what it had asked. A stand-in plays its side of the wire.
// Covers: src/agents/kit/restart-limit.ts
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('stand-in-claude.mjs');

type Step =
  | { say: object }
  | { hear: string }
  | { find: string }
  | { waitMs: number }
  | { leaves: string }
  | { exit: number };
const session_id = '6903f262-c0ff-869b-a74d-688697aa1e33';
const say = (type: string, more: object): Step => ({ say: { type, ...more } });
const ready = say('control_response', { response: { request_id: 'initialize' } });
const begun = say('system', { subtype: 'init', session_id });
const result = (more: object = {}) =>
  say('result', { subtype: 'success', is_error: false, session_id, stop_reason: 'end_turn', ...more });
const ends = [result()];
const settled = (tool_use_id: string) =>
  say('user', { uuid: tool_use_id, message: { content: [{ type: 'tool_result', tool_use_id, content: 'x' }] } });
const QUESTIONS = { questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] };
const BLUE = { question_id: 'question-1', selected_option_ids: ['option-2'] };
const hook = (tool_use_id: string): Step => {
  const input = { hook_event_name: 'PreToolUse', tool_name: 'AskUserQuestion', tool_input: QUESTIONS, tool_use_id };
  return say('control_request', { request_id: tool_use_id, request: { subtype: 'hook_callback', input } });
};
/** The one call of a message. */
const asks = (id: string): Step[] => {
  const content = [{ type: 'tool_use', id, name: 'AskUserQuestion', input: QUESTIONS }];
  return [say('assistant', { uuid: `call ${id}`, message: { id: `of ${id}`, content } }), hook(id)];
};
const permission = (id: string, more: object = {}, request_id = id) => {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: id }, tool_use_id: id, ...more };
  return say('control_request', { request_id, request });
};

let made = 0;
async function start(script: Step[], resumed: Step[] = [], text = 'go') {
  const folder = join(standIn.root, `w${made++}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'script.json'), JSON.stringify([ready, begun, ...script]));
  writeFileSync(join(folder, 'resumed.json'), JSON.stringify(resumed));
  const session = await standIn.bed.api.sessions.create({ agent: 'claude', work_folder: folder });
  const run = await standIn.bed.api.runs.start(session.session_id, { input: { text, patience_ms: 0 } });
  return { ...run, folder };
}
type Begun = Awaited<ReturnType<typeof start>>;
const heard = ({ folder }: Begun) =>
  readFileSync(join(folder, 'heard.jsonl'), { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; message?: { content: string }; response?: Reply });
type Reply = { request_id: string; response: object };
const replyTo = (run: Begun, id: string) =>
  heard(run).find((line) => line.response?.request_id === id)?.response?.response;
const told = (run: Begun) => heard(run).flatMap((line) => line.message?.content ?? []);
const pending = async (run: RunView) => (await standIn.bed.pending(run.session_id))[0] as AskView;
const released = (run: RunView, times = 1) =>
  standIn.bed.until(async () => (await standIn.bed.events(run.session_id, 'run.released'))[times - 1]);
const pidIn = (file: string): number | undefined =>
  Number(readFileSync(file, { encoding: 'utf8', flag: 'a+' })) || undefined;
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
const make = (run: Begun, file: string) => writeFileSync(join(run.folder, file), '');

describe('an answer to a call that Claude Code was held on', () => {
  const held = (id: string) => [...asks(id), { hear: '"defer"' }, result({ stop_reason: 'tool_deferred' })];

  it('is told once, however long it takes to start; and in words where it has not kept the call', async () => {
    const takesUp = [{ waitMs: 6000 }, ready, hook('toolu_slow'), { hear: 'Blue' }, settled('toolu_slow'), ...ends];
    const slow = await start(held('toolu_slow'), takesUp);
    const lost = await start(
      [...asks('toolu_lost'), { hear: '"defer"' }, { exit: 1 }],
      [ready, { hear: 'Blue' }, begun, ...ends],
    );
    for (const run of [slow, lost]) {
      const ask = await pending(run);
      await released(run);
      expect(await standIn.bed.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_user_question' });
      await standIn.bed.answer(ask, BLUE);
    }
    for (const run of [slow, lost]) expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(told(slow)).toEqual(['go']);
    expect(told(lost)).toEqual(['go', expect.stringContaining('Which colour?\n→ Blue')]);
  });
});

describe('an ask that is open', () => {
  /** The request `id` is allowed when the hook of a question has its reply. */
  async function allowedAfterHook(request: Step, id: string) {
    const both = [{ hear: '"toolu_q"' }, { hear: `"${id}"` }];
    const run = await start([request, { find: 'asked' }, ...asks('toolu_q'), ...both, ...ends]);
    const ask = await pending(run);
    make(run, 'asked');
    await standIn.bed.until(async () => replyTo(run, 'toolu_q'));
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    return run;
  }

  it('keeps the process for another that could be held without one', async () => {
    const run = await allowedAfterHook(permission('toolu_sub', { agent_id: 'sub' }), 'toolu_sub');
    expect(replyTo(run, 'toolu_q')).toEqual({});
  });

  it('keeps the process also where it is one of an MCP server', async () => {
    const request = {
      subtype: 'elicitation',
      mcp_server_name: 'demo',
      message: 'Sign in',
      mode: 'url',
      url: 'https://x/',
    };
    const run = await allowedAfterHook(say('control_request', { request_id: 'page', request }), 'page');
    expect([replyTo(run, 'toolu_q'), replyTo(run, 'page')]).toEqual([{}, { action: 'accept' }]);
  });

  it('is for the call of one sub-agent, also where another uses the same id', async () => {
    const two = ['left', 'right'].map((agent_id) => permission('toolu_same', { agent_id }, agent_id));
    const run = await start([...two, { hear: '"left"' }, { hear: '"right"' }, ...ends]);
    const [first, second] = (await standIn.bed.pending(run.session_id, 2)) as [AskView, AskView];
    await standIn.bed.decide(first, { behavior: 'allow' });
    await standIn.bed.decide(second, { behavior: 'deny', reason: 'once' });
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    const replies = ['left', 'right'].map((id) => replyTo(run, id) as { behavior: string });
    expect(replies.map(({ behavior }) => behavior).sort()).toEqual(['allow', 'deny']);
  });

  it('is taken back from the person when Claude Code takes it back', async () => {
    const cancel = say('control_cancel_request', { request_id: 'toolu_back' });
    const run = await start([permission('toolu_back'), { find: 'asked' }, cancel, { find: 'gone' }, ...ends]);
    const { ask_id } = await pending(run);
    make(run, 'asked');
    const ask = await standIn.bed.until(async () => {
      const seen = await standIn.bed.api.asks.get(ask_id);
      return seen.answer && seen;
    });
    expect(ask.answer).toMatchObject({ justification: 'settled in Claude Code itself' });
    make(run, 'gone');
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  });

  it('is not asked at all, or taken back, where Claude Code takes it back at once', async () => {
    const words = { uuid: 'words', message: { id: 'words', content: [{ type: 'text', text: 'I do it.' }] } };
    const cancel = say('control_cancel_request', { request_id: 'toolu_once' });
    const script = [say('assistant', words), permission('toolu_once'), cancel, permission('toolu_next')];
    const run = await start([...script, { find: 'seen' }, ...ends]);
    await standIn.bed.until(async () => {
      const { items } = await standIn.bed.api.asks.list({ run_id: run.run_id, status: 'pending' });
      return items.map((ask) => ask.tool_call_id).join() === 'toolu_next' || undefined;
    });
    make(run, 'seen');
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(replyTo(run, 'toolu_once')).toBeUndefined();
  });

  it('is over with a turn that ended in an error', async () => {
    const fails = result({ subtype: 'error_during_execution', is_error: true, errors: ['out of words'] });
    const run = await start([permission('toolu_error'), { find: 'asked' }, fails]);
    await pending(run);
    make(run, 'asked');
    expect(await standIn.bed.over(run.run_id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('out of words'),
    });
  });

  it('is taken back when the work ends well without it, and a late answer is told so', async () => {
    const sub = permission('toolu_left', { agent_id: 'sub' });
    const run = await start([sub, { find: 'asked' }, ...ends]);
    const ask = await pending(run);
    make(run, 'asked');
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    const justification = 'the agent ended its work without waiting for an answer';
    expect(await standIn.bed.api.asks.get(ask.ask_id)).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', justification },
    });
    await expect(standIn.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
  });

  it('is not spent on a process that is dead, while what it has left is ended', async () => {
    const run = await start(
      [permission('toolu_left'), { leaves: 'pid' }, { find: 'die' }, { exit: 1 }],
      [ready, begun, permission('toolu_left', {}, 'again'), { hear: '"again"' }, settled('toolu_left'), ...ends],
    );
    const ask = await pending(run);
    const pid = await standIn.bed.until(async () => pidIn(join(run.folder, 'pid')));
    make(run, 'die');
    await standIn.bed.until(async () => !isAlive(pid) || undefined);
    await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(replyTo(run, 'toolu_left')).toBeUndefined();
    expect(replyTo(run, 'again')).toMatchObject({ behavior: 'allow' });
    expect(await standIn.bed.events(run.session_id, 'ask.delivered')).toHaveLength(1);
  });

  it('outlives its process, which may not go on dying', async () => {
    const dies = [permission('toolu_{{pid}}'), { find: 'asked-{{pid}}' }, { exit: 1 }];
    const run = await start(dies, [ready, begun, ...dies]);
    for (let death = 1; death <= 4; death++) {
      const ask = await pending(run);
      make(run, ask.tool_call_id.replace('toolu', 'asked').replace('_', '-'));
      if (death === 4) break;
      await released(run, death);
      await standIn.bed.decide(ask, { behavior: 'allow' });
    }
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'failed' });
  });
});

describe('what is typed', () => {
  const nothing = result({ num_turns: 0 });
  const says = async (run: RunView) => (await standIn.bed.over(run.run_id)).outputs.map(({ text }) => text ?? '');

  it('is words where several messages became one, so that no command swallows the rest', async () => {
    const run = await start([{ find: 'posted' }, ...ends], [ready, begun, { hear: 'fix the build' }, ...ends]);
    const { say: post } = standIn.bed.api.sessions;
    const next = await post(run.session_id, { text: '/clear' });
    expect(await post(run.session_id, { text: 'fix the build' })).toMatchObject({ run_id: next.run_id });
    make(run, 'posted');
    await standIn.bed.over(next.run_id);
    expect(told(run)).toEqual(['go', ' /clear\n\nfix the build']);
  });

  it('is said to have reached no model only where none was asked', async () => {
    const agent = say('system', { subtype: 'task_started', task_id: 'forked' });
    const [own, forked] = await Promise.all(
      [[nothing], [agent, nothing]].map((script) => start(script, [], '/review')),
    );
    expect((await says(own as Begun)).join()).toContain('its model was told nothing');
    expect((await says(forked as Begun)).join()).not.toContain('its model was told nothing');
  });

  it('fails with the reason of a hook that refuses it', async () => {
    const prompt_submit_outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason: 'not on fridays' };
    const run = await start(
      [say('system', { subtype: 'informational', prompt_submit_outcome }), nothing],
      [],
      '/review',
    );
    const error = 'A hook of Claude Code refused the prompt: not on fridays';
    expect(await standIn.bed.over(run.run_id)).toMatchObject({ status: 'failed', error });
    expect((await says(run)).join()).not.toContain('its model was told nothing');
  });
});

describe('planning that the model began', () => {
  it('goes on in later runs, until one of them is given another mode', async () => {
    const mode = (permissionMode: string) => say('system', { subtype: 'status', permissionMode });
    const run = await start([mode('plan'), ...ends]);
    await standIn.bed.over(run.run_id);
    const { api } = standIn.bed;
    const next = async (input: object | string, ...script: Step[]) => {
      writeFileSync(join(run.folder, 'resumed.json'), JSON.stringify([ready, begun, ...script, ...ends]));
      const { run_id } =
        typeof input === 'string'
          ? await api.sessions.say(run.session_id, { text: input })
          : await api.runs.start(run.session_id, { input: { text: 'go', ...input } });
      expect(await standIn.bed.over(run_id)).toMatchObject({ status: 'completed' });
    };
    await next({}, mode('plan'));
    await next({ permission_mode: 'acceptEdits' }, mode('acceptEdits'));
    await next({}, mode('default'), mode('plan'));
    await next('a post', mode('plan'));
    await next({ permission_mode: 'default' }, mode('default'), mode('plan'));
    await next('a post that goes on with a mode', mode('plan'));
    const started = readFileSync(join(run.folder, 'started.jsonl'), 'utf8').trim().split('\n');
    const modes = started.map((line) => /"--permission-mode","(\w+)"/.exec(line)?.[1]);
    expect(modes).toEqual(['default', 'plan', 'acceptEdits', 'default', 'plan', 'default', 'plan']);
  });
});

it('a model that Claude Code cannot reach is reported once, and once more when it responds', async () => {
  const retry = (error_status: number | null) =>
    say('system', { subtype: 'api_retry', error_status, error: 'unknown' });
  const responds = say('stream_event', { event: { type: 'message_start', message: { id: 'msg_1' } } });
  const run = await start([retry(null), retry(null), responds, retry(529), ...ends]);
  const { outputs } = await standIn.bed.over(run.run_id);
  expect(outputs.filter(({ type }) => type === 'status').map(({ text }) => text)).toEqual([
    'The model cannot be reached. The agent tries again by itself.',
    'The model responds again.',
    'The model cannot be reached (HTTP 529). The agent tries again by itself.',
  ]);
});
