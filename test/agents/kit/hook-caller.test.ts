// Conversations of attached agents belong to the hook token that they began with: another valid one neither ends them nor
// reads their answers; a later one takes them up.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveHooks } from '../../../src/agents/claude/attach.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';

let server: Server;
let bed: TestBed;
let door: ReturnType<typeof serveHooks>;
let waits: Waits;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const client = createClient({ url: bed.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
  door = serveHooks({ client, waits });
});
afterAll(async () => {
  waits.close();
  await server.close();
});

const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x' } };

async function callers(session_id: string = randomUUID()) {
  const as = async () => {
    const { token_id: tokenId } = await server.makeToken('attached');
    const caller = { tokenId, isValid: server.gateway.isTokenGood };
    const tell = (hook_event_name: string, more: object = {}) =>
      door.handle(
        { session_id, cwd: '/srv/app', hook_event_name, ...more },
        AbortSignal.timeout(60_000),
        undefined,
        caller,
      );
    return { tokenId, tell };
  };
  return { session: `claude.${session_id}`, owner: await as(), other: await as() };
}

it('finding 25: a hook token neither ends nor answers for a conversation that began with another one', async () => {
  const { session, owner, other } = await callers();
  const asked = owner.tell('PermissionRequest', { ...BASH, session_label: 'hook:planted' });
  const [ask] = await bed.pending(session);
  if (!ask) throw new Error('nothing is asked');
  const { ask_id, run_id, tool_call_id: call_id } = ask;
  expect((await bed.api.sessions.get(session)).labels).toEqual(['attached', `hook:${owner.tokenId}`].sort());
  const polled = { holdpoint: { key: 1, ask: { ask_id, run_id, call_id } }, session_label: `hook:${owner.tokenId}` };
  for (const [event, more] of [
    ['SessionEnd', {}],
    ['Stop', {}],
    ['StopFailure', { error: 'made up' }],
    ['UserPromptSubmit', { prompt: 'another' }],
    ['PostToolUse', { ...BASH, tool_use_id: call_id }],
    ['PermissionDenied', { ...BASH, tool_use_id: call_id }],
    ['PermissionRequest', BASH],
    ['PermissionRequest', { ...BASH, ...polled }],
    ['PermissionRequest', { ...BASH, holdpoint: { key: 1, is_given_up: true } }],
  ] as const)
    expect(await other.tell(event, more), event).toEqual({});
  expect(await bed.api.asks.get(ask_id)).toMatchObject({ status: 'pending', delivery: { attempts: 0 } });
  expect(await bed.pending(session)).toHaveLength(1);
  await bed.decide(ask, { behavior: 'deny', reason: 'no' });
  expect(await asked).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
  expect(await other.tell('PermissionRequest', { ...BASH, ...polled })).toEqual({});
});

it('a later hook token takes up the conversations of one that was revoked', async () => {
  const { session, owner, other } = await callers();
  void owner.tell('PermissionRequest', BASH);
  const [ask] = await bed.pending(session);
  await server.call('DELETE', `/v1/tokens/${owner.tokenId}`);
  await other.tell('SessionEnd');
  expect((await bed.api.asks.get(ask?.ask_id ?? '')).status).toBe('cancelled');
});

it('a hook token reports its own conversation before and after it has asked', async () => {
  const { session, owner } = await callers();
  await owner.tell('UserPromptSubmit', { prompt: 'make x' });
  await owner.tell('PreToolUse', { ...BASH, tool_use_id: 'toolu_1' });
  const asked = owner.tell('PermissionRequest', BASH);
  const [ask] = await bed.pending(session);
  expect(ask).toMatchObject({ tool_call_id: 'toolu_1' });
  if (ask) await bed.decide(ask, { behavior: 'allow' });
  expect(await asked).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
  await owner.tell('PostToolUse', { ...BASH, tool_use_id: 'toolu_1' });
  expect((await bed.api.asks.get(ask?.ask_id ?? '')).delivery.state).toBe('delivered');
  expect(await owner.tell('Stop')).toEqual({});
});
