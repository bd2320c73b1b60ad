// `holdpoint hook` as a process, started through the launcher as Codex starts it: whichever process is killed, and whichever
// Node the launcher finds in the PATH, the ask ends with that reason and no process is left.
// Covers: src/boot/hook.ts
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { olderNode } from '../../support/older-node.ts';
import { endEverything, type Holdpoint, root, startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { PATIENT } from '../test-bed.ts';

const BIN = join(root, 'bin', 'holdpoint');
const agents = new Set<ChildProcess>();
let server: Holdpoint;
let stage: TestBed;
let made = 0;
beforeAll(async () => {
  server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  stage = new TestBed(server.url, server.token);
});
afterAll(async () => {
  for (const agent of agents) agent.kill('SIGKILL');
  for (const pid of [...hooksOf(server.data)]) process.kill(pid, 'SIGKILL');
  await endEverything();
});

const read = (...path: string[]): string => {
  try {
    return readFileSync(join(...path), 'utf8');
  } catch {
    return '';
  }
};

/** Outermost first, as the agent knows it. */
const hooksOf = (data: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => {
      const words = read('/proc', pid, 'cmdline').split('\0');
      return words.includes(BIN) && words.includes(data);
    })
    .map(Number)
    .sort((a, b) => a - b);

/** A stand-in for the agent: starts the hook with what it wants, waits for it, and does nothing else. */
async function asking(node: string, url = server.url, data = server.data, env: Record<string, string> = {}) {
  const thread = `hooked-${process.pid}-${++made}`;
  const event = { hook_event_name: 'PermissionRequest', session_id: thread, turn_id: 'turn', cwd: '/' };
  const payload = JSON.stringify({ ...event, tool_name: 'Bash', tool_input: { command: `touch ${thread}` } });
  const argv = JSON.stringify([BIN, 'hook', 'codex', '--url', url, '--data', data]);
  const script = `const hook = require('node:child_process').spawn(${JSON.stringify(node)}, ${argv}, {
    stdio: ['pipe', 'ignore', 'ignore'] });
    hook.stdin.end(${JSON.stringify(payload)});`;
  const agent = spawn(process.execPath, ['-e', script], {
    stdio: 'ignore',
    cwd: temporaryFolder(),
    env: { ...process.env, ...env },
  });
  agents.add(agent);
  const [ask] = await stage.pending(`codex-own-${thread}`);
  if (!ask) throw new Error('nothing is pending');
  return { agent, ask, hooks: hooksOf(data) };
}

type Asking = Awaited<ReturnType<typeof asking>>;
const gone = (data: string) => expect.poll(() => hooksOf(data), { timeout: 30_000 }).toEqual([]);

async function endsAsGivenUp({ ask }: Asking): Promise<void> {
  await expect.poll(async () => (await stage.api.asks.get(ask.ask_id)).status, { timeout: 30_000 }).toBe('cancelled');
  expect(await stage.over(ask.run_id)).toMatchObject({ status: 'completed' });
  const late = await stage.decide(ask, { behavior: 'allow' }).catch((error: unknown) => error);
  expect(late).toMatchObject({ status: 409, detail: expect.stringContaining('Codex gave the hook up') });
  expect(await stage.api.asks.get(ask.ask_id)).toMatchObject({
    answer: { reason: 'withdrawn', justification: 'Codex gave the hook up' },
    delivery: { state: 'delivered' },
  });
}

describe.each([
  ['Node 24', process.execPath],
  ['an older Node', olderNode],
])('a hook with %s in the PATH', (_name, node = '') => {
  it.skipIf(node === '').each([
    ['the agent', ({ agent }: Asking) => agent.kill('SIGKILL')],
    ['the hook that the agent started', ({ hooks }: Asking) => process.kill(hooks[0] ?? 0, 'SIGKILL')],
    ['the hook, with a request to end', ({ hooks }: Asking) => process.kill(hooks[0] ?? 0, 'SIGTERM')],
  ])('withdraws its ask when %s is killed', PATIENT, async (_who, kill) => {
    const asked = await asking(node);
    kill(asked);
    await endsAsGivenUp(asked);
    await gone(server.data);
    asked.agent.kill('SIGKILL');
  });
});

it('asks with the token of its state folder, not with the one in the environment', PATIENT, async () => {
  const env = { HOLDPOINT_TOKEN: 'of another server', HOLDPOINT_RUN_ID: '42' };
  const asked = await asking(process.execPath, server.url, server.data, env);
  asked.agent.kill('SIGKILL');
  await endsAsGivenUp(asked);
  await gone(server.data);
});

describe('a hook that was killed with SIGKILL', () => {
  it('has its ask withdrawn by the server on its machine', PATIENT, async () => {
    const own = await startHoldpoint({ via: 'main' });
    stage = new TestBed(own.url, own.token);
    const asked = await asking(process.execPath, own.url, own.data);
    const other = await asking(process.execPath, own.url, own.data);
    writeFileSync(join(own.data, 'hooks', 'codex-0.json'), 'nothing that could be read');
    for (const pid of asked.hooks) process.kill(pid, 'SIGKILL');
    await endsAsGivenUp(asked);
    expect((await stage.api.asks.get(other.ask.ask_id)).status).toBe('pending');
    await expect.poll(() => readdirSync(join(own.data, 'hooks'))).toHaveLength(2);

    await own.end('SIGKILL');
    for (const pid of hooksOf(own.data)) process.kill(pid, 'SIGKILL');
    await startHoldpoint({ via: 'main', data: own.data, args: ['--port', new URL(own.url).port] });
    await endsAsGivenUp(other);
    await expect.poll(() => readdirSync(join(own.data, 'hooks'))).toEqual(['codex-0.json']);
  });
});

it.each([
  ['a run that a worker hosts', { HOLDPOINT_RUN_ID: 'run_1' }],
  ['an agent that an editor starts through the proxy', { HOLDPOINT_PROXY: 'some' }],
])('a hook in %s leaves at once, without a second process', async (_, mark) => {
  const counts = '--import=data:text/javascript,process.stderr.write(`started`)';
  const env = { ...process.env, ...mark, NODE_OPTIONS: counts };
  const args = [BIN, 'hook', 'codex', '--url', server.url, '--data', server.data];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  expect([stdout, stderr]).toEqual(['', 'started']);
});

describe('finding 23: a hook call with a key that occurs twice', () => {
  const call = async (more: object) => {
    const thread = `ambiguous-${process.pid}-${++made}`;
    const event = { hook_event_name: 'PermissionRequest', session_id: thread, turn_id: 'turn', cwd: '/', ...more };
    const input = JSON.stringify({ ...event, tool_name: 'Bash' }).slice(0, -1);
    const args = [BIN, 'hook', 'codex', '--url', server.url, '--data', server.data];
    const hook = promisify(execFile)(process.execPath, args);
    hook.child.stdin?.end(`${input},"tool_input":{"command":"rm -rf /","command":"ls"}}`);
    const { stdout, stderr } = await hook;
    const { api } = new TestBed(server.url, server.token);
    await expect(api.sessions.get(`codex-own-${thread}`)).rejects.toMatchObject({ code: 'session_not_found' });
    return { stdout, stderr };
  };

  it(
    'is never allowed: the decision stays with Codex, or is a denial where a model would decide',
    PATIENT,
    async () => {
      const { stdout, stderr } = await call({});
      expect(stdout === '' || JSON.parse(stdout).hookSpecificOutput.decision.behavior === 'deny', stdout).toBe(true);
      expect(stdout + stderr).toContain('tool_input.command occurs twice');
    },
  );
});
