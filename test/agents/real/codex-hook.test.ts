// `codex exec` and a Codex without a daemon, whose hook asks here. What was decided is what the model was told and what
// ran; where nobody could be asked here, Codex asks at its own prompt, and where it has none it is a no.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/codex/connect.ts';
import { createPeer, type Incoming, type Peer } from '../../../src/agents/wire/json-rpc.ts';
import type { ApprovalRequest, AskView } from '../../../src/core/views.ts';
import { olderNode } from '../../support/older-node.ts';
import { endEverything, type Holdpoint, root as repository, startHoldpoint } from '../../support/process.ts';
import { nothingLeftIn } from '../../support/process-table.ts';
import { TestBed } from '../../support/test-bed.ts';
import { codex, codexVersion } from './binaries.ts';
import { escalated, readIfThere, setUp } from './codex-test-bed.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

const { connected } = connector;

const root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-hook-'));
const children: ChildProcess[] = [];
let model: OpenAiModel;
let server: Holdpoint;
let bed: TestBed;
let made = 0;
beforeAll(async () => {
  if (!codex) return;
  model = await OpenAiModel.start();
  const args = [join(import.meta.dirname, 'mcp-demo.mjs')];
  const demo = `[mcp_servers.demo]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}`;
  setUp(root, model.url, `${demo}\nenv = { DEMO_LOG = ${JSON.stringify(join(root, 'demo.log'))} }`);
  server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  bed = new TestBed(server.url, server.token);
  const data = join(root, 'state');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'worker.token'), (await bed.api.tokens.create({ scope: 'worker' })).token);
  const place = { program: join(repository, 'bin', 'holdpoint'), url: bed.url, data, token: '' };
  writeFileSync(join(root, 'home', 'hooks.json'), connected(undefined, place));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await endEverything();
  if (codex) {
    model.close();
    await nothingLeftIn(root);
  }
  rmSync(root, { recursive: true, force: true });
});

/** The server is killed, and `back` starts it again where it was. */
async function killServer(): Promise<{ back(): Promise<void> }> {
  const { data, url } = server;
  await server.end('SIGKILL');
  return {
    async back() {
      server = await startHoldpoint({ via: 'main', data, args: ['--no-worker', '--port', new URL(url).port] });
    },
  };
}

function folderFor(key: string, script: Script): string {
  made += 1;
  const folder = join(root, `work-${made}`);
  mkdirSync(folder);
  model.play(key, script);
  return folder;
}

const asked = () => bed.until(async () => (await bed.api.asks.list({ status: 'pending' })).items[0]);
const ended = (ask: AskView) =>
  bed.until(async () => {
    const now = await bed.api.asks.get(ask.ask_id);
    return now.status === 'pending' ? undefined : now;
  });
const NODES: [string, string | undefined][] = [
  ['Node 24', process.execPath],
  ['an older Node', olderNode],
];

async function endsAsGivenUp(ask: AskView): Promise<void> {
  expect(await ended(ask)).toMatchObject({
    status: 'cancelled',
    answer: { reason: 'withdrawn', justification: 'Codex gave the hook up' },
  });
  const detail = expect.stringContaining('Codex gave the hook up');
  await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409, detail });
  expect(await bed.over(ask.run_id)).toMatchObject({ status: 'completed' });
}
const DONE = [{ text: 'Done.' }];

const FLAGS = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-s', 'workspace-write'];
const POLICY = ['-c', 'approvals_reviewer="auto_review"', '-c', 'approval_policy="on-request"'];

/** With this Node first in the PATH: the hook's launcher runs on it. */
function withNode(node: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, 'node-'));
  symlinkSync(node, join(folder, 'node'));
  return { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) };
}

function begin(key: string, script: Script, env = process.env) {
  const folder = folderFor(key, script);
  const child = spawn(codex ?? '', [...FLAGS, ...POLICY, `Do this: ${key}`], { cwd: folder, env, stdio: 'ignore' });
  children.push(child);
  const over = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, folder, over };
}

async function exec(key: string, script: Script, env?: NodeJS.ProcessEnv) {
  const begun = begin(key, script, env);
  return { ...begun, ask: await asked() };
}

describe.skipIf(!codex)(`codex exec ${codexVersion} with the hook`, () => {
  it('runs what was allowed', async () => {
    const script: Script = [[{ ...escalated('echo hi > a.txt', 'Need it'), id: 'call_G' }], DONE];
    const { ask, folder, over } = await exec('hook-allowed', script);
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'echo hi > a.txt', cwd: folder },
      reason: 'Need it',
    });
    expect(readIfThere(folder, 'a.txt')).toBeUndefined();
    await bed.decide(ask, { behavior: 'allow' });
    expect(await over).toBe(0);
    expect(readIfThere(folder, 'a.txt')).toBe('hi\n');
    expect(model.resultOf('hook-allowed', 'call_G')).toContain('exited with code 0');
    expect(await bed.over(ask.run_id)).toMatchObject({ status: 'completed' });
  });

  it('tells the model why it was denied', async () => {
    const script: Script = [[{ ...escalated('echo hi > b.txt'), id: 'call_H' }], DONE];
    const { ask, folder, over } = await exec('hook-denied', script);
    await bed.decide(ask, { behavior: 'deny', reason: 'use git' });
    await over;
    expect(readIfThere(folder, 'b.txt')).toBeUndefined();
    expect(model.resultOf('hook-denied', 'call_H')).toContain('use git');
  });

  it('tells the model what the person would allow instead, and asks for that again', async () => {
    const changed = { ...escalated('echo some > c.txt'), id: 'call_J' };
    const script: Script = [[{ ...escalated('echo all > c.txt'), id: 'call_I' }], [changed], DONE];
    const { ask, folder, over } = await exec('hook-changed', script);
    const { input } = ask.request as ApprovalRequest;
    await bed.decide(ask, { behavior: 'allow', updated_input: { ...input, command: 'echo some > c.txt' } });
    await ended(ask);
    const again = await asked();
    expect(readIfThere(folder, 'c.txt')).toBeUndefined();
    expect(model.resultOf('hook-changed', 'call_I')).toContain('ask for exactly that');
    expect(model.resultOf('hook-changed', 'call_I')).toContain('echo some > c.txt');
    expect(again.request).toMatchObject({ input: { command: 'echo some > c.txt' } });
    await bed.decide(again, { behavior: 'allow' });
    await over;
    expect(readIfThere(folder, 'c.txt')).toBe('some\n');
  });

  it.for(NODES)(
    'is killed, with %s: the ask ends with that reason, and a late answer is refused',
    async ([name, node = ''], { skip }) => {
      skip(node === '', 'this machine has none');
      const script: Script = [[escalated('echo hi > d.txt')]];
      const { ask, folder, child } = await exec(`hook-agent-killed ${name}`, script, withNode(node));
      child.kill('SIGKILL');
      await endsAsGivenUp(ask);
      expect(readIfThere(folder, 'd.txt')).toBeUndefined();
      await nothingLeftIn(folder);
    },
  );

  it('is stopped here: it is a no, although Codex has a reviewer of its own', async () => {
    const script: Script = [[{ ...escalated('echo hi > i.txt'), id: 'call_X' }], DONE];
    const { ask, folder, over } = await exec('hook-exec-stopped', script);
    await bed.api.runs.cancel(ask.run_id, { reason: 'not here' });
    await over;
    expect(readIfThere(folder, 'i.txt')).toBeUndefined();
    expect(model.resultOf('hook-exec-stopped', 'call_X')).toContain('cancelled: not here');
  });

  it('cannot reach the server: it is a no, although Codex has a reviewer of its own', async () => {
    const { back } = await killServer();
    const script: Script = [[{ ...escalated('echo hi > j.txt'), id: 'call_Y' }], DONE];
    const { folder, over } = begin('hook-exec-away', script);
    await over;
    await back();
    expect(readIfThere(folder, 'j.txt')).toBeUndefined();
    expect(model.resultOf('hook-exec-away', 'call_Y')).toContain('Holdpoint could not ask a person');
  });
});

/** A Codex with a prompt of its own and no daemon: its person is the client of its app-server. */
async function prompting(key: string, script: Script, env = process.env) {
  const folder = folderFor(key, script);
  const child = spawn(codex ?? '', ['app-server'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  const prompts: Incoming[] = [];
  const end = Promise.withResolvers<void>();
  const peer: Peer = createPeer({
    send: (text) => child.stdin.write(`${text}\n`),
    onRequest: (request) => prompts.push(request),
    onNotification: (method) => method === 'turn/completed' && end.resolve(),
  });
  createInterface({ input: child.stdout }).on('line', peer.receive);
  await peer.request('initialize', { clientInfo: { name: 'person', version: '1' } });
  peer.notify('initialized');
  const given = { cwd: folder, sandbox: 'workspace-write', approvalPolicy: 'on-request' };
  const config = { bypass_hook_trust: true };
  const { thread } = (await peer.request('thread/start', { ...given, config })) as { thread: { id: string } };
  const input = [{ type: 'text', text: `Do this: ${key}` }];
  const { turn } = (await peer.request('turn/start', { threadId: thread.id, input })) as { turn: { id: string } };
  const interrupt = () => peer.request('turn/interrupt', { threadId: thread.id, turnId: turn.id });
  const close = () => {
    child.stdin.end();
    return new Promise((resolve) => child.once('exit', resolve));
  };
  return { peer, prompts, folder, over: end.promise, interrupt, close };
}

describe.skipIf(!codex)(`Codex ${codexVersion} without a daemon, with the hook`, () => {
  it('is asked at its own prompt while the server is away', async () => {
    const { back } = await killServer();
    const own = await prompting('hook-away', [[escalated('echo hi > e.txt')], DONE]);
    const prompt = await bed.until(async () => own.prompts[0]);
    expect(prompt.method).toBe('item/commandExecution/requestApproval');
    expect(readIfThere(own.folder, 'e.txt')).toBeUndefined();
    own.peer.respond(prompt.id, { decision: 'accept' });
    await own.over;
    expect(readIfThere(own.folder, 'e.txt')).toBe('hi\n');
    await own.close();
    await back();
    expect((await bed.api.asks.list({ status: 'pending' })).items).toEqual([]);
  });

  it('goes on waiting when the server is killed meanwhile, and has the answer that is given when it is back', async () => {
    const own = await prompting('hook-server-killed', [[{ ...escalated('echo hi > f.txt'), id: 'call_F' }], DONE]);
    const ask = await asked();
    const { back } = await killServer();
    await back();
    expect((await bed.api.asks.get(ask.ask_id)).status).toBe('pending');
    expect(own.prompts).toEqual([]);
    await bed.decide(ask, { behavior: 'allow' });
    await own.over;
    expect(own.prompts).toEqual([]);
    expect(readIfThere(own.folder, 'f.txt')).toBe('hi\n');
    expect(model.resultOf('hook-server-killed', 'call_F')).toContain('exited with code 0');
    await own.close();
  });

  it('hears a no when the run here is stopped: its own prompt is not asked', async () => {
    const own = await prompting('hook-cancelled', [[{ ...escalated('echo hi > g.txt'), id: 'call_G' }], DONE]);
    const ask = await asked();
    await bed.api.runs.cancel(ask.run_id, { reason: 'not here' });
    await own.over;
    expect(own.prompts).toEqual([]);
    expect(readIfThere(own.folder, 'g.txt')).toBeUndefined();
    expect(model.resultOf('hook-cancelled', 'call_G')).toContain('cancelled: not here');
    await own.close();
  });

  it.for(NODES)(
    'is interrupted, with %s: the ask ends, and a late answer is refused, while Codex goes on',
    async ([name, node = ''], { skip }) => {
      skip(node === '', 'this machine has none');
      const own = await prompting(`hook-interrupted ${name}`, [[escalated('echo hi > z.txt')], DONE], withNode(node));
      const ask = await asked();
      await own.interrupt();
      await own.over;
      await endsAsGivenUp(ask);
      expect(readIfThere(own.folder, 'z.txt')).toBeUndefined();
      await own.close();
      await nothingLeftIn(own.folder);
    },
  );

  it('asks for several calls at once, and for a tool with exactly what it is given', async () => {
    const input = { x: '1', cwd: '/etc', description: { hidden: 'rm -rf' } };
    const tool = { call: 'plain', namespace: 'mcp__demo', id: 'call_M', input };
    const calls = ['k', 'l'].map((name) => ({ ...escalated(`echo ${name} > ${name}.txt`), id: `call_${name}` }));
    const own = await prompting('hook-parallel', [calls, [tool], DONE]);
    const asks = await bed.until(async () => {
      const { items } = await bed.api.asks.list({ status: 'pending' });
      return items.length === 2 ? items : undefined;
    });
    for (const ask of asks) {
      const isFirst = (ask.request as ApprovalRequest).input.command === 'echo k > k.txt';
      await bed.decide(ask, isFirst ? { behavior: 'allow' } : { behavior: 'deny', reason: 'not l' });
      await ended(ask);
    }
    const ask = await asked();
    expect((ask.request as ApprovalRequest).input).toEqual(input);
    await bed.decide(ask, { behavior: 'allow' });
    await own.over;
    expect(own.prompts).toEqual([]);
    expect([readIfThere(own.folder, 'k.txt'), readIfThere(own.folder, 'l.txt')]).toEqual(['k\n', undefined]);
    expect(readIfThere(root, 'demo.log')).toBe(`plain ${JSON.stringify(input)}\n`);
    expect(model.resultOf('hook-parallel', 'call_k')).toContain('exited with code 0');
    expect(model.resultOf('hook-parallel', 'call_l')).toContain('not l');
    await own.close();
  });
});
