// The hook of a Codex without a daemon, called as Codex calls it: what it shows is what was wanted, calls at once do not
// disturb each other, and whatever is not allowed here is never left to a model to decide.
// Covers: src/agents/codex/socket-path.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/agents/codex/hook.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { temporaryFolder } from '../../support/process.ts';
import { attachedForAll } from './attach-test-bed.ts';

const attached = attachedForAll();

let made = 0;
const TURN = 'turn-1';
const BASH = { tool_name: 'Bash', tool_input: { command: 'ls', description: 'To look' } };

/** What Codex writes down about each turn, and tells its hooks where. */
function transcriptOf(approvals_reviewer: string, turn_id = TURN): string {
  const path = join(temporaryFolder(), 'rollout.jsonl');
  const line = (payload: object) => `${JSON.stringify({ type: 'turn_context', payload })}\n`;
  writeFileSync(path, line({ turn_id: 'before', approvals_reviewer: 'user' }) + line({ turn_id, approvals_reviewer }));
  return path;
}

function call(
  wanted: object,
  { url = attached.bed.url, session_id = `thread-${++made}`, stop = new AbortController() } = {},
) {
  const posts: string[] = [];
  const fetchNoted: typeof fetch = (input, init) => {
    if (init?.method === 'POST') posts.push(new URL(String(input)).pathname);
    return fetch(input, init);
  };
  const client = createClient({ url, token: attached.token, fetch: fetchNoted });
  const waits = new Waits(client.http);
  const open = () => Promise.reject(new Error('no daemon'));
  const event = { hook_event_name: 'PermissionRequest', session_id, turn_id: TURN, cwd: '/srv', ...BASH, ...wanted };
  const said = decide(event, () => ({
    client,
    waits,
    signal: stop.signal,
    machine: 'at=here',
    env: {},
    openSocket: open,
    record: () => async () => {},
  })).finally(() => waits.close());
  said.catch(() => {});
  return { said, stop, session: `codex-own-${session_id}`, session_id, posts };
}

async function asked(session: string) {
  const [ask] = await attached.bed.pending(session);
  if (!ask) throw new Error('nothing is pending');
  return ask;
}

const deny = (message: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision: { behavior: 'deny', message: expect.stringContaining(message) },
  },
});
const ALLOW = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } };

describe('what a call wants', () => {
  it.each(['mcp__demo__plain', 'request_permissions'])(
    'is shown untouched for %s, whatever its arguments are called',
    async (tool_name) => {
      const tool_input = { x: '1', cwd: '/etc', description: { hidden: 'rm -rf' } };
      const { said, session } = call({ tool_name, tool_input });
      const ask = await asked(session);
      const request = ask.request as ApprovalRequest;
      expect(request).toMatchObject({ tool_name, work_folder: '/srv' });
      expect(request.input).toEqual(tool_input);
      expect(request.reason).toBe('');
      await attached.bed.decide(ask, { behavior: 'allow' });
      expect(await said).toEqual(ALLOW);
    },
  );

  it('is shown with its reason and folder for a command, also when the reason is none', async () => {
    const plain = call({});
    const first = (await asked(plain.session)).request as ApprovalRequest;
    expect(first).toMatchObject({ input: { command: 'ls', cwd: '/srv' }, reason: 'To look' });
    expect(first.input).not.toHaveProperty('description');
    const odd = call({ tool_input: { command: 'ls', description: { hidden: 'rm -rf' } } });
    const second = (await asked(odd.session)).request as ApprovalRequest;
    expect(second.input).toEqual({ command: 'ls', description: { hidden: 'rm -rf' }, cwd: '/srv' });
    plain.stop.abort();
    odd.stop.abort();
  });
});

it('posts the ask once', async () => {
  const { said, session, posts } = call({});
  const ask = await asked(session);
  await attached.bed.decide(ask, { behavior: 'allow' });
  expect(await said).toEqual(ALLOW);
  expect(posts.filter((path) => path.endsWith('/asks'))).toEqual([`/v1/runs/${ask.run_id}/asks`]);
});

describe('calls of one turn at once', () => {
  it('are asked together, each has its own answer, and the run ends with the last', async () => {
    const names = ['one', 'two', 'three'];
    const session_id = `thread-${++made}`;
    const calls = names.map((command) => call({ tool_input: { command }, cwd: `/srv/${command}` }, { session_id }));
    const asks = await attached.bed.pending(`codex-own-${session_id}`, 3);
    expect(new Set(asks.map((ask) => ask.run_id)).size).toBe(1);
    const askFor = (name: string) => asks.find((ask) => (ask.request as ApprovalRequest).input.command === name);
    const [one, two, three] = names.map(askFor);
    if (!one || !two || !three) throw new Error('one of them was not shown');
    await attached.bed.decide(one, { behavior: 'allow' });
    expect(await calls[0]?.said).toEqual(ALLOW);
    expect(await attached.bed.pending(`codex-own-${session_id}`, 2)).toHaveLength(2);
    calls[1]?.stop.abort();
    await expect(calls[1]?.said).resolves.toEqual(deny('Holdpoint could not ask a person'));
    expect(await attached.bed.pending(`codex-own-${session_id}`)).toMatchObject([{ ask_id: three.ask_id }]);
    await attached.bed.decide(three, { behavior: 'deny', reason: 'not that' });
    expect(await calls[2]?.said).toEqual(deny('not that'));
    expect(await attached.bed.over(one.run_id)).toMatchObject({ status: 'completed' });
    const later = call({}, { session_id });
    const [again] = await attached.bed.pending(`codex-own-${session_id}`);
    expect(again?.run_id).not.toBe(one.run_id);
    if (again) await attached.bed.decide(again, { behavior: 'allow' });
    expect(await later.said).toEqual(ALLOW);
  });

  it('leave those of a sub-agent alone, which has turns of its own', async () => {
    const main = call({});
    const sub = call(
      { turn_id: 'turn-sub', agent_id: `${main.session_id}-sub`, agent_type: 'w'.repeat(5000) },
      { session_id: main.session_id },
    );
    const ask = await asked(`${main.session}-sub`);
    expect(ask.request.lineage).toEqual([`${'w'.repeat(299)}…`]);
    await attached.bed.decide(await asked(main.session), { behavior: 'allow' });
    await attached.bed.decide(ask, { behavior: 'allow' });
    expect(await Promise.all([main.said, sub.said])).toEqual([ALLOW, ALLOW]);
  });
});

describe('an ask that ends without an answer', () => {
  it('is denied when its run was stopped, also in a turn that a person reviews', async () => {
    const { said, session } = call({ transcript_path: transcriptOf('user') });
    await attached.bed.api.runs.cancel((await asked(session)).run_id, { reason: 'not here' });
    expect(await said).toEqual(deny('cancelled: not here'));
  });

  it('is a no where its run failed', async () => {
    const { said, session } = call({ transcript_path: transcriptOf('user') });
    await attached.bed.api.runs.fail((await asked(session)).run_id, { error: 'broken' });
    expect(await said).toEqual(deny('failed: broken'));
  });

  it('is in time for Codex; then its own prompt asks, or it is a no where there is none', async () => {
    const prompting = call({ transcript_path: transcriptOf('user') });
    const reviewed = call({ transcript_path: transcriptOf('auto_review') });
    const { expires_at_ms = 0, created_at_ms } = await asked(prompting.session);
    expect(expires_at_ms - created_at_ms).toBe(12 * 3_600_000 - 60_000);
    await asked(reviewed.session);
    attached.server.advance(12 * 3_600_000 - 60_000);
    await expect(prompting.said).rejects.toThrow('the request expired without an answer');
    expect(await reviewed.said).toEqual(deny('the request expired without an answer'));
  });
});

it('a call that cannot be read is a no where a model would decide it, and another event is none of ours', async () => {
  expect(await call({ tool_input: 'ls' }).said).toEqual(deny('Holdpoint could not ask a person'));
  expect(await call({ turn_id: undefined }).said).toEqual(deny('Holdpoint could not ask a person'));
  expect(await call({ hook_event_name: 'Stop' }).said).toBeUndefined();
});

describe.concurrent('a server that is away', () => {
  const away = (transcript_path: string | null) => call({ transcript_path }, { url: 'http://127.0.0.1:9' }).said;

  it('leaves it to the prompt of a Codex that asks a person', async () => {
    await expect(away(transcriptOf('user'))).rejects.toThrow();
  });

  it.each([
    ['a model reviews', () => transcriptOf('auto_review')],
    ['the turn is not in the transcript', () => transcriptOf('user', 'another')],
    ['the transcript cannot be read', () => '/nowhere/rollout.jsonl'],
    ['there is no transcript', () => null],
  ])('is a no where %s', async (_name, transcript) => {
    expect(await away(transcript())).toEqual(deny('Holdpoint could not ask a person'));
  });
});
