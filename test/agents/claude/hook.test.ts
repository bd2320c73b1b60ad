// The program that the PermissionRequest hook of a person's own Claude Code runs, started as `connect` wrote it: its ask
// outlives the server, ends with Claude Code, and is decided by a person alone.
// Covers: src/agents/claude/hook-polls.ts, src/agents/claude/hook-protocol.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import {
  endEverything,
  type Holdpoint,
  spawnHoldpoint,
  startHoldpoint,
  temporaryFolder,
} from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

const PATIENT = { timeout: 120_000 };
const home = temporaryFolder();
const started: ChildProcess[] = [];
let server: Holdpoint;
let bed: TestBed;

beforeAll(async () => {
  server = await startHoldpoint({ via: 'main' });
  bed = new TestBed(server.url, server.token);
  const env = { HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token, CLAUDE_CONFIG_DIR: home };
  const connect = spawnHoldpoint({ command: ['connect', 'claude', '--yes'], env, data: server.data, via: 'main' });
  expect(await connect.exited, connect.stderr()).toEqual({ code: 0, signal: null });
});
afterEach(() => {
  for (const one of started.splice(0)) one.kill('SIGKILL');
});
afterAll(endEverything);

async function restart(end: NodeJS.Signals): Promise<void> {
  const { data, url } = server;
  await server.end(end);
  server = await startHoldpoint({ via: 'main', data, env: { HOLDPOINT_PORT: new URL(url).port } });
  bed = new TestBed(server.url, server.token);
}

const settings = () => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')).hooks;
const BASH = { tool_name: 'Bash', tool_input: { command: 'touch x' } };

/** A stand-in for Claude Code, which reports its call and runs the hook. */
async function claude(more: object = {}) {
  const event = { session_id: randomUUID(), cwd: '/', ...BASH, ...more };
  const [{ url, headers }] = settings().PreToolUse[0].hooks;
  const report = (hook_event_name: string) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: headers.Authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ ...event, hook_event_name, tool_use_id: 'toolu_1' }),
    });
  await report('PreToolUse');
  const [{ command }] = settings().PermissionRequest[0].hooks;
  const hook = spawn('sh', ['-c', command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, CLAUDE_CONFIG_DIR: home },
  });
  started.push(hook);
  hook.stdin.end(JSON.stringify({ ...event, hook_event_name: 'PermissionRequest' }));
  const printed = Promise.all([text(hook.stdout), text(hook.stderr)]).then(([out, errors]) => ({ out, errors }));
  const [ask] = await bed.pending(`claude.${event.session_id}`);
  return { hook, printed, report, ask: ask as AskView };
}
/** A process that knows its ask has left a note. */
const notes = () => readdirSync(join(server.data, 'hooks'));

const hooksOf = (data: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isHook(pid, data))
    .map(Number);

function isHook(pid: string, data: string): boolean {
  try {
    const words = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0');
    return words.includes('hook') && words.includes(data);
  } catch {
    return false;
  }
}

const delivery = async ({ ask_id }: AskView) => (await bed.api.asks.get(ask_id)).delivery;
const decided = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });

describe.each([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGTERM'],
] as const)('while the server is %s and started again', (_how, signal) => {
  it('waits with the same ask, and carries the answer to Claude Code once', PATIENT, async () => {
    const { ask, printed, report } = await claude();
    expect(ask).toMatchObject({ tool_call_id: expect.stringMatching(/^toolu_1~\d+$/), status: 'pending' });
    await restart(signal);
    await restart(signal);
    expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'pending' });
    await bed.decide(ask, { behavior: 'allow' });
    const { out, errors } = await printed;
    expect({ out: JSON.parse(out || '{}'), errors }).toEqual({
      out: decided({ behavior: 'allow', updatedInput: BASH.tool_input }),
      errors: '',
    });
    expect(await delivery(ask)).toMatchObject({ state: 'due', attempts: 1 });
    await report('PostToolUse');
    expect(await delivery(ask)).toMatchObject({ state: 'delivered' });
    expect(notes()).toEqual([]);
    expect((await bed.api.asks.list({ session_id: ask.session_id })).items).toHaveLength(1);
  });
});

it('finds its ask again where the server died before it could name it', PATIENT, async () => {
  const { ask, printed } = await claude({ agent_id: 'a1', agent_type: 'reviewer' });
  process.kill(server.pid, 'SIGSTOP');
  await restart('SIGKILL');
  await bed.decide(ask, { behavior: 'deny', reason: 'not now' });
  expect(JSON.parse((await printed).out)).toMatchObject(decided({ behavior: 'deny' }));
  expect((await bed.api.asks.list({ session_id: ask.session_id })).items).toHaveLength(1);
});

it('withdraws its ask and decides nothing when it is ended', PATIENT, async () => {
  const { ask, printed, hook } = await claude();
  await expect.poll(notes).toHaveLength(1);
  hook.kill('SIGTERM');
  expect(await printed).toEqual({ out: '', errors: '' });
  expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({
    answer: { reason: 'withdrawn', justification: 'Claude Code no longer waits for it' },
  });
  expect(await bed.over(ask.run_id)).toMatchObject({ status: 'interrupted' });
  expect(notes()).toEqual([]);
});

it('leaves the request to the terminal once it is settled there', PATIENT, async () => {
  const { ask, printed, report } = await claude();
  await report('PostToolUse');
  expect(await printed).toEqual({ out: '', errors: '' });
  expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ answer: { reason: 'withdrawn' } });
  expect(notes()).toEqual([]);
});

it('ends its ask after a restart of the server where the process was killed meanwhile', PATIENT, async () => {
  const { ask, hook } = await claude();
  await expect.poll(notes).toHaveLength(1);
  await server.end('SIGKILL');
  for (const pid of hooksOf(server.data)) process.kill(pid, 'SIGKILL');
  hook.kill('SIGKILL');
  await restart('SIGKILL');
  const answer = async () => (await bed.api.asks.get(ask.ask_id)).answer;
  await expect.poll(answer, { timeout: 60_000 }).toMatchObject({ reason: 'withdrawn' });
  await expect.poll(notes).toEqual([]);
});
