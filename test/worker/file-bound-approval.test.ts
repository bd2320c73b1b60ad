// An approval is bound to the content of the files that its action names: where one has changed meanwhile, the same action
// is asked again with the difference. Real files, a real server, a worker in this process.
// Covers: src/worker/named-files.ts
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApprovalRequest, AskView } from '../../src/core/views.ts';
import type { HostedAgent } from '../../src/worker/host.ts';
import { openServer, type Server } from '../support/server.ts';
import { TestBed } from '../support/test-bed.ts';

let server: Server;
let bed: TestBed;
let root: string;
let folder: string;
let script: string;
/** What the agent was told. */
const told: string[] = [];

type Input = Record<string, unknown>;

const asks: HostedAgent = {
  name: 'asks',
  recovery: 'resume',
  async run(context) {
    const { isPatient, ...input } = context.input as Input;
    const spec = { id: 'call', mode: 'deferred' as const, tool_name: 'Bash', input, reason: 'To deploy.' };
    const patience = isPatient === false ? AbortSignal.abort() : new AbortController().signal;
    const outcome = await context.approve(spec, { patience });
    if (outcome.status === 'held') return { ended: 'held' };
    told.push(outcome.allowed ? `may ${outcome.input.command}` : `may not: ${outcome.reason}`);
    return { ended: 'completed' };
  },
};

beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  root = mkdtempSync(join(tmpdir(), 'holdpoint-bound-'));
  await bed.worker({ agents: [asks] });
});
afterAll(async () => {
  await bed.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  told.length = 0;
  folder = mkdtempSync(join(root, 'w-'));
  script = join(folder, 'deploy.sh');
  writeFileSync(script, 'echo staging\n');
});

async function asked(input: Input) {
  const { session_id } = await bed.api.sessions.create({ agent: 'asks', work_folder: folder });
  const run = await bed.api.runs.start(session_id, { input });
  return { run, ask: await next(session_id) };
}
const next = async (sessionId: string) => (await bed.pending(sessionId))[0] as AskView;
const requestOf = (ask: AskView) => ask.request as ApprovalRequest;
const allow = (ask: AskView) => bed.decide(ask, { behavior: 'allow' });
const deliveryOf = async (ask: AskView) => (await bed.api.asks.get(ask.ask_id)).delivery;

it('uses an approval while its files are unchanged, with the files in its digest', async () => {
  writeFileSync(join(folder, 'with space.txt'), 'x');
  const { run, ask } = await asked({ command: "bash ./deploy.sh --env=deploy.sh 'with space.txt' | tee none" });
  expect(requestOf(ask).files?.map(({ path }) => path)).toEqual([script, join(folder, 'with space.txt')]);
  await allow(ask);
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(told).toHaveLength(1);
  expect((await deliveryOf(ask)).state).toBe('delivered');
});

it('asks again with the difference when a file has changed, and does not use the first allow', async () => {
  const { run, ask } = await asked({ command: 'bash deploy.sh' });
  writeFileSync(script, 'echo production\n');
  await allow(ask);
  const again = await next(run.session_id);
  expect(again).toMatchObject({
    mode: 'deferred',
    request: { tool_name: 'Bash', input: { command: 'bash deploy.sh' } },
  });
  expect(requestOf(again).reason).toContain(`Asked again: ${script} has changed since this was asked.`);
  expect(requestOf(again).reason).toContain('To deploy.');
  expect(requestOf(again).diff).toMatch(/-echo staging\n\+echo production/);
  expect(requestOf(again).digest).not.toBe(requestOf(ask).digest);
  expect(await deliveryOf(ask)).toMatchObject({ state: 'undeliverable', reason: expect.stringContaining('changed') });
  expect(told).toEqual([]);
  await allow(again);
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(told).toEqual(['may bash deploy.sh']);
});

it('finding 15: asks again when a file has changed, although a twin without files was allowed', async () => {
  const { run, ask } = await asked({ command: 'bash deploy.sh' });
  const { tool_name, input } = requestOf(ask);
  const twin = { kind: 'approval' as const, tool_call_id: 'call~1700000000000', tool_name, input };
  await allow(await bed.api.asks.raise(run.run_id, twin));
  writeFileSync(script, 'echo production\n');
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).diff).toMatch(/-echo staging\n\+echo production/);
  expect(told).toEqual([]);
  await bed.decide(again, { behavior: 'deny', reason: 'not that' });
  await bed.over(run.run_id);
  expect(told).toEqual(['may not: not that']);
});

it('shows the text of the scripts that run, and of no file that is only read', async () => {
  writeFileSync(join(folder, '.env'), 'TOKEN=secret\n');
  writeFileSync(join(folder, 'secrets.json'), '{"token":"secret"}\n');
  const { run, ask } = await asked({ command: 'sh ./deploy.sh --env .env; cp secrets.json x; . ./.env' });
  const hashOf = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(requestOf(ask).files).toEqual([
    { path: script, sha256: hashOf, text: 'echo staging\n' },
    { path: join(folder, '.env'), sha256: hashOf },
    { path: join(folder, 'secrets.json'), sha256: hashOf },
  ]);
  expect(JSON.stringify(ask)).not.toContain('secret"');
  const { delivery } = ask;
  expect(delivery).toMatchObject({ state: 'none' });
  await allow(ask);
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect((await deliveryOf(ask)).state).toBe('delivered');
});

it('finds the script of a folder that the command changes to first', async () => {
  mkdirSync(join(folder, 'api'));
  writeFileSync(join(folder, 'api', 'deploy.sh'), 'echo api\n');
  const { run, ask } = await asked({ command: 'cd api && sh deploy.sh' });
  const shown = requestOf(ask).files?.filter(({ text }) => text !== undefined);
  expect(shown).toMatchObject([{ path: join(folder, 'api', 'deploy.sh'), text: 'echo api\n' }]);
  writeFileSync(join(folder, 'api', 'deploy.sh'), 'echo production\n');
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).diff).toMatch(/-echo api\n\+echo production/);
  expect(requestOf(again).files).toContainEqual(expect.objectContaining({ text: 'echo production\n' }));
  await bed.decide(again, { behavior: 'deny' });
  await bed.over(run.run_id);
});

it('shows the text of a file that is replaced as a whole, and of none that holds secrets', async () => {
  writeFileSync(join(folder, 'CHANGELOG.md'), '# 2.3.0\n');
  writeFileSync(join(folder, '.env'), 'TOKEN=1\n');
  const { ask } = await asked({ file_path: 'CHANGELOG.md', content: '# 2.4.0\n' });
  expect(requestOf(ask).files).toMatchObject([{ path: join(folder, 'CHANGELOG.md'), text: '# 2.3.0\n' }]);
  expect(ask.risk).toEqual([{ risk: 'replaces', why: 'CHANGELOG.md exists and has 1 line' }]);
  const { ask: secret } = await asked({ file_path: '.env', content: 'TOKEN=2\n' });
  expect(requestOf(secret).files?.map(({ text }) => text)).toEqual([undefined]);
});

it('leaves out the text of a script that is long, is not UTF-8, or exceeds what a request carries', async () => {
  const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  write('long.sh', 'x'.repeat(16 * 1024 + 1));
  write('bytes.sh', Buffer.from([0x65, 0xff, 0x0a]));
  for (const name of ['a.sh', 'b.sh', 'c.sh']) write(name, `#${name}`.padEnd(16 * 1024, 'x'));
  const command = 'sh long.sh; sh bytes.sh; sh a.sh; sh b.sh; sh c.sh; sh deploy.sh';
  const { run, ask } = await asked({ command });
  const shown = requestOf(ask).files?.filter(({ text }) => text !== undefined);
  expect(requestOf(ask).files).toHaveLength(6);
  expect(shown?.map(({ path }) => path)).toEqual([join(folder, 'a.sh'), join(folder, 'b.sh')]);
  expect(ask.risk).toMatchObject([{ risk: 'unclear', why: 'runs long.sh, whose content is not shown' }]);
  await bed.decide(ask, { behavior: 'deny' });
  await bed.over(run.run_id);
});

it('asks again when the file is gone, and uses a denial without reading files', async () => {
  const { run, ask } = await asked({ command: 'bash deploy.sh' });
  rmSync(script);
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).reason).toContain(`${script} is gone`);
  expect(again.tool_call_id).toMatch(/^call~\d{13}$/);
  expect(requestOf(again).files).toEqual([]);
  await bed.decide(again, { behavior: 'deny', reason: 'no file' });
  await bed.over(run.run_id);
  expect(told).toEqual(['may not: no file']);
});

async function changedWhileHeld() {
  const { run, ask } = await asked({ command: 'bash deploy.sh', isPatient: false });
  await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[0]);
  writeFileSync(script, 'echo production\n');
  await allow(ask);
  const again = await next(run.session_id);
  return { run, again };
}

it('notices a change that was made while the run was held without a process', async () => {
  const { run, again } = await changedWhileHeld();
  expect(requestOf(again).reason).toContain('has changed since this was asked');
  expect(requestOf(again).diff).toMatch(/-echo staging\n\+echo production/);
  expect(told).toEqual([]);
  // The restarted agent raises the call under its own id, and gets the repeated ask.
  await allow(again);
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(told).toEqual(['may bash deploy.sh']);
  const { items } = await bed.api.asks.list({ run_id: run.run_id });
  expect(items.map(({ delivery }) => delivery.state)).toEqual(['undeliverable', 'delivered']);
});

it('does not use the first allow when the file has its first content again', async () => {
  const { run, again } = await changedWhileHeld();
  await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[1]);
  writeFileSync(script, 'echo staging\n');
  await allow(again);
  const third = await next(run.session_id);
  expect(third.ask_id).not.toBe(again.ask_id);
  expect(told).toEqual([]);
  await bed.decide(third, { behavior: 'deny', reason: 'make up your mind' });
  await bed.over(run.run_id);
  expect(told).toEqual(['may not: make up your mind']);
});

it.each([
  ['a link that leads out', () => symlinkSync(join(root, 'outside.txt'), script)],
  ['too large to be read', () => writeFileSync(script, 'x'.repeat(5_000_000))],
  ['a pipe', () => execFileSync('sh', ['-c', 'mkfifo "$0"', script])],
  ['a folder', () => mkdirSync(script)],
])('asks again without reading the file when it has become %s', async (_, become) => {
  writeFileSync(join(root, 'outside.txt'), 'secret');
  const { run, ask } = await asked({ command: 'bash deploy.sh' });
  rmSync(script);
  become();
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).reason).toContain(`${script} is no file any more that can be looked at.`);
  expect(JSON.stringify(again)).not.toContain('secret');
  await bed.decide(again, { behavior: 'deny' });
  await bed.over(run.run_id);
  expect(told).toEqual(['may not: approval denied']);
});

it('never shows what has changed in a file of secrets', async () => {
  const secrets = join(folder, '.env');
  writeFileSync(secrets, 'TOKEN=first');
  const { run, ask } = await asked({ command: 'cat .env' });
  writeFileSync(secrets, 'TOKEN=second');
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).reason).toContain(`What has changed in ${secrets} cannot be shown here`);
  expect(JSON.stringify(again)).not.toContain('TOKEN');
  await bed.decide(again, { behavior: 'deny' });
  await bed.over(run.run_id);
});

it('says that the difference is too large to be shown', async () => {
  const lines = (word: string) => Array.from({ length: 5000 }, (_, at) => `${word}${at}`).join('\n');
  writeFileSync(script, lines('a'));
  const { run, ask } = await asked({ command: 'bash deploy.sh' });
  writeFileSync(script, lines('b'));
  await allow(ask);
  const again = await next(run.session_id);
  expect(requestOf(again).reason).toContain(`What has changed in ${script} cannot be shown here`);
  expect(requestOf(again)).not.toHaveProperty('diff');
  await bed.decide(again, { behavior: 'deny' });
  await bed.over(run.run_id);
});

it('stops watching a file that keeps changing, and says so', async () => {
  const { run, ask } = await asked({ command: 'tail -n 3 deploy.sh' });
  let open = ask;
  for (const line of ['one', 'two']) {
    writeFileSync(script, line);
    await allow(open);
    open = await next(run.session_id);
  }
  expect(requestOf(open).reason).toContain(`${script} keeps changing: what it holds is not looked at any more.`);
  expect(requestOf(open).files).toEqual([]);
  writeFileSync(script, 'three');
  await allow(open);
  await bed.over(run.run_id);
  expect(told).toEqual(['may tail -n 3 deploy.sh']);
});

it('finds files in a very long command, and in one with an unclosed quote', async () => {
  const hostile = `bash deploy.sh ${'"\\'.repeat(100_000)} ${'x '.repeat(50_000)}`;
  const { run, ask } = await asked({ command: hostile });
  expect(requestOf(ask).files?.map(({ path }) => path)).toEqual([script]);
  await bed.decide(ask, { behavior: 'deny' });
  await bed.over(run.run_id);
  const open = await asked({ command: "bash 'deploy.sh" });
  expect(requestOf(open.ask).files?.map(({ path }) => path)).toEqual([script]);
  await bed.decide(open.ask, { behavior: 'deny' });
  await bed.over(open.run.run_id);
});

it('reads no file outside the work folder, not even through a link', async () => {
  const outside = join(root, 'outside.txt');
  writeFileSync(outside, 'secret');
  symlinkSync(outside, join(folder, 'link'));
  const { run, ask } = await asked({ command: `cat link ../outside.txt ${outside} /etc/hostname .` });
  expect(requestOf(ask)).not.toHaveProperty('files');
  await bed.decide(ask, { behavior: 'deny' });
  await bed.over(run.run_id);
});
