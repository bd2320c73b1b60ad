// The door for a person's own Claude Code, event by event as its hooks call: who is first wins, both sides settle, and
// nothing that is no decision of a person here ever decides anything there.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClaudeDoor } from '../../src/agents/claude-attached.ts';
import { HOOK_SECONDS } from '../../src/agents/claude-settings.ts';
import { createClient } from '../../src/client/client.ts';
import { Waits } from '../../src/client/waits.ts';
import { openServer, type Server } from '../support/server.ts';
import { Stage } from '../worker/stage.ts';

let server: Server;
let stage: Stage;
let door: ReturnType<typeof createClaudeDoor>;
let waits: Waits;
const never = new AbortController().signal;
beforeAll(async () => {
  server = await openServer();
  stage = new Stage(await server.url(), server.token);
  const client = createClient({ url: stage.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
  door = createClaudeDoor(client, waits);
});
afterAll(async () => {
  waits.close();
  await server.close();
});

const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x', description: 'd' } };

function claudeCode(session_id: string = randomUUID()) {
  const base = { session_id, transcript_path: '/t', cwd: '/work', permission_mode: 'default' };
  return {
    session: `claude.${session_id}`,
    tell: (hook_event_name: string, more: object = {}, signal = never) =>
      door.handle({ ...base, hook_event_name, ...more }, signal),
  };
}
const decided = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

describe('a request for permission', () => {
  it('is the call that was announced, and is answered as decided here', async () => {
    const { tell, session } = claudeCode();
    await tell('UserPromptSubmit', { prompt: 'make x' });
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_1' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await stage.pending(session);
    expect(ask).toMatchObject({ tool_call_id: 'toolu_1', request: { tool_name: 'Bash', input: BASH.tool_input } });
    expect((ask?.expires_at_ms ?? 0) - (ask?.created_at_ms ?? 0)).toBeLessThan(HOOK_SECONDS * 1000);
    if (ask) await stage.decide(ask, { behavior: 'allow', updated_input: { command: 'touch y' } });
    expect(await asked).toEqual(decided({ behavior: 'allow', updatedInput: { command: 'touch y' } }));
    expect((await stage.api.asks.get(ask?.ask_id ?? '')).delivery.state).toBe('delivered');
    await tell('Stop');
    expect(await stage.over(ask?.run_id ?? '')).toMatchObject({
      status: 'completed',
      request: { text_preview: 'make x' },
    });
  });

  it('of a sub-agent says so, and is not settled by what the session itself does', async () => {
    const { tell, session } = claudeCode();
    const helper = { agent_id: 'a1', agent_type: 'reviewer' };
    await tell('PreToolUse', { ...BASH, ...helper, tool_use_id: 'toolu_sub' });
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_main' });
    const asked = tell('PermissionRequest', { ...BASH, ...helper });
    const [ask] = await stage.pending(session);
    expect(ask).toMatchObject({ tool_call_id: 'toolu_sub', request: { lineage: ['reviewer'] } });
    await tell('Stop');
    await tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_main' });
    if (ask) await stage.decide(ask, { behavior: 'deny', reason: 'no' });
    expect(await asked).toEqual(decided({ behavior: 'deny', message: 'A person denied this: no' }));
  });

  it.each([
    ['PostToolUse', { ...BASH, tool_use_id: 'toolu_2' }],
    ['PostToolUseFailure', { ...BASH, tool_use_id: 'toolu_2' }],
    ['UserPromptSubmit', { prompt: 'no, stop' }],
    ['Stop', {}],
    ['SessionEnd', { reason: 'exit' }],
  ])('is taken back when the terminal was first: %s', async (event, more) => {
    const { tell, session } = claudeCode();
    await tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_2' });
    const asked = tell('PermissionRequest', BASH);
    const [ask] = await stage.pending(session);
    await tell(event, more);
    expect(await asked).toEqual({});
    expect(await stage.api.asks.get(ask?.ask_id ?? '')).toMatchObject({
      status: 'cancelled',
      answer: { reason: 'withdrawn', behavior: 'deny' },
      delivery: { state: 'delivered' },
    });
  });

  it('is taken back when Claude Code no longer waits', async () => {
    const { tell, session } = claudeCode();
    const gone = new AbortController();
    const asked = tell('PermissionRequest', BASH, gone.signal);
    const [ask] = await stage.pending(session);
    gone.abort();
    expect(await asked).toEqual({});
    expect(await stage.api.asks.get(ask?.ask_id ?? '')).toMatchObject({ status: 'cancelled' });
  });

  it('that expires here is left to the terminal', async () => {
    const { tell, session } = claudeCode();
    const asked = tell('PermissionRequest', BASH);
    await stage.pending(session);
    server.advance(HOOK_SECONDS * 1000);
    expect(await asked).toEqual({});
  });

  it('that the server refuses is left to the terminal', async () => {
    const { tell, session } = claudeCode();
    const first = tell('PermissionRequest', BASH);
    const [ask] = await stage.pending(session);
    await stage.api.sessions.end(ask?.session_id ?? '');
    expect(await first).toEqual({});
    expect(await tell('PermissionRequest', BASH)).toEqual({});
  });
});

it('a question is answered in the words of Claude Code', async () => {
  const { tell, session } = claudeCode();
  const questions = [
    { question: 'Which?', header: 'H', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] },
  ];
  const asked = tell('PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: { questions } });
  const [ask] = await stage.pending(session);
  if (ask) await stage.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
  expect(await asked).toEqual(decided({ behavior: 'allow', updatedInput: { questions, answers: { 'Which?': 'B' } } }));
});

it.each([undefined, null, 3, [], {}, { session_id: '../x', cwd: '/', hook_event_name: 'Stop' }])(
  'makes nothing of %j',
  async (payload) => {
    const before = (await stage.api.sessions.list({ limit: 500 })).items.length;
    expect(await door.handle(payload, never)).toEqual({});
    expect((await stage.api.sessions.list({ limit: 500 })).items).toHaveLength(before);
  },
);

it('what an earlier life of the server left open is taken back, since nobody waits for it', async () => {
  const { tell, session } = claudeCode();
  void tell('PermissionRequest', BASH);
  const [left] = await stage.pending(session);
  const client = createClient({ url: stage.url, token: server.token });
  const later = createClaudeDoor(client, waits);
  await later.recover();
  expect(await stage.api.asks.get(left?.ask_id ?? '')).toMatchObject({ status: 'cancelled' });
});

it('whoever waits is sent back to the terminal when the server goes away', async () => {
  const { tell, session } = claudeCode();
  const asked = tell('PermissionRequest', BASH);
  await stage.pending(session);
  await door.close();
  expect(await asked).toEqual({});
});
