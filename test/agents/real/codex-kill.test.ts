// kill -9 of Codex, of its worker and of the server, with its worker in it or apart, each with an ask open: the ask stays
// open, the answer reaches the model, what was allowed happens once. And with a command under way: it does not go on.
// Nothing is left running. Server and worker are processes of their own.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { leaderOf } from '../../support/process-leader.ts';
import { nothingLeftIn, processesOf } from '../../support/process-table.ts';
import { LONG_LEASE_MS, TestBed } from '../../support/test-bed.ts';
import { codex, codexVersion } from './binaries.ts';
import { escalated, readIfThere, setUp } from './codex-test-bed.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

const root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-kill-'));
let model: OpenAiModel;
let server: Holdpoint;
let worker: Started;
let bed: TestBed;
let made = 0;
let workers = 0;

const newWorker = () => {
  workers += 1;
  const own = ['--id', `worker-${workers}`, '--lease-ms', String(LONG_LEASE_MS)];
  const args = ['--url', server.url, '--token', server.token, ...own];
  worker = spawnHoldpoint({ command: ['worker'], args, data: server.data, via: 'main' });
};
const killWorker = async (run: RunView) => {
  await worker.end('SIGKILL');
  await bed.lapse(`worker-${workers}`, run);
};
const workerIsUp = () => bed.until(async () => (worker.stdout().includes('worker ready') ? true : undefined));
beforeAll(async () => {
  model = await OpenAiModel.start();
  setUp(root, model.url, '');
  mkdirSync(join(root, 'home', 'rules'));
  writeFileSync(join(root, 'home', 'rules', 'own.rules'), 'prefix_rule(pattern=["mkdir"], decision="prompt")\n');
  server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  bed = new TestBed(server.url, server.token);
  newWorker();
});
afterEach(() => expect(model.others).toEqual([]));
afterAll(async () => {
  await worker.end('SIGTERM');
  await endEverything();
  model.close();
  await nothingLeftIn(root);
  rmSync(root, { recursive: true, force: true });
});

async function start(
  key: string,
  script: Script,
  bed_ = bed,
  settings: object = {},
): Promise<{ run: RunView; folder: string; ask: AskView }> {
  made += 1;
  const folder = join(root, `work-${made}`);
  mkdirSync(folder);
  model.play(key, script);
  const session = await bed_.api.sessions.create({ agent: 'codex', work_folder: folder });
  const input = { text: `Do this: ${key}`, sandbox: 'workspace-write', approval_policy: 'on-request', ...settings };
  const run = await bed_.api.runs.start(session.session_id, { input });
  const [ask] = await bed_.pending(session.session_id);
  if (!ask) throw new Error('nothing is pending');
  return { run, folder, ask };
}

/** The worker has seen that its agent is gone, and let go of the run. */
const released = (run: RunView) => bed.until(async () => (await bed.events(run.session_id, 'run.released')).at(0));
const gone = (run: RunView) => bed.until(async () => (processesOf(run).length === 0 ? true : undefined));
const stillOpen = async (ask: AskView) => {
  expect((await bed.api.asks.get(ask.ask_id)).status).toBe('pending');
  expect((await bed.api.runs.get(ask.run_id)).status).toMatch(/^waiting/);
};
/** Goes on for as long as it is left to, and tells so. */
const ENDLESS = escalated('while :; do date +%N >> ticks.txt; sleep 0.05; done');
/** The command has begun, after it was allowed. */
async function underWay({ folder, ask }: { folder: string; ask: AskView }, at = bed): Promise<void> {
  await at.decide(ask, { behavior: 'allow' });
  await at.until(async () => readIfThere(folder, 'ticks.txt'));
}
const COMMAND = escalated('date +%N >> done.txt');
const ASK = {
  call: 'ask_user',
  input: { questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] },
};
const DONE = [{ text: 'Done.' }];
const timesDone = (folder: string) => (readIfThere(folder, 'done.txt') ?? '').split('\n').length - 1;

describe.skipIf(!codex)(`kill -9 of Codex ${codexVersion} itself`, () => {
  it('an approval stays open; allowed, it is done once the model asks for it again', async () => {
    const { run, folder, ask } = await start('agent-killed-allowed', [[COMMAND], [COMMAND], DONE]);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await stillOpen(ask);
    await bed.decide(ask, { behavior: 'allow' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    const [prompt, taken] = model.heard('agent-killed-allowed');
    expect(prompt).toBe('Do this: agent-killed-allowed');
    expect(taken).toContain('You asked to use Bash: {"command":"date +%N >> done.txt"');
    expect(taken).toContain('→ allowed');
    expect(timesDone(folder)).toBe(1);
    expect((await bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
    expect((await bed.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
    await gone(run);
  });

  it('answered when it could not hear any more: not delivered, told as perhaps heard, and asked anew', async () => {
    const { run, folder, ask } = await start('agent-killed-deaf', [[COMMAND], [COMMAND], DONE]);
    const deliveryOf = async () => (await bed.api.asks.get(ask.ask_id)).delivery;
    const pid = leaderOf(run.run_id);
    process.kill(pid, 'SIGSTOP');
    await bed.decide(ask, { behavior: 'allow' });
    await bed.until(async () => ((await deliveryOf()).attempts === 1 ? true : undefined));
    expect((await deliveryOf()).state).toBe('due');
    process.kill(pid, 'SIGKILL');
    const [anew] = await bed.pending(run.session_id);
    expect(anew?.ask_id).not.toBe(ask.ask_id);
    expect(model.heard('agent-killed-deaf').at(-1)).toContain('you may or may not have acted on it');
    expect([timesDone(folder), (await deliveryOf()).state]).toEqual([0, 'delivered']);
    await bed.decide(anew as AskView, { behavior: 'allow' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(timesDone(folder)).toBe(1);
    expect(await bed.events(run.session_id, 'ask.delivered')).toHaveLength(2);
  });

  it('allowed in the sandbox, the same command outside of it is asked anew', async () => {
    const target = join(root, 'outside');
    const inside = { call: 'exec_command', input: { cmd: `mkdir ${target}` } };
    const { run, ask } = await start('agent-killed-inside', [[inside], [escalated(`mkdir ${target}`)], DONE]);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await bed.decide(ask, { behavior: 'allow' });
    const [anew] = await bed.pending(run.session_id);
    expect(anew?.request).toMatchObject({ input: { command: `mkdir ${target}` } });
    expect(existsSync(target)).toBe(false);
    await bed.decide(anew as AskView, { behavior: 'deny' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(existsSync(target)).toBe(false);
    await gone(run);
  });

  it('allowed in the sandbox, where a rule asks, the same command there has it once', async () => {
    const inside = (id: string) => [{ call: 'exec_command', id, input: { cmd: 'mkdir made' } }];
    const script = [inside('call_1'), inside('call_2'), inside('call_3'), DONE];
    const { run, folder, ask } = await start('agent-killed-rule', script);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await bed.decide(ask, { behavior: 'allow' });
    const [anew] = await bed.pending(run.session_id);
    expect(anew?.tool_call_id).toMatch(/^call_3@/);
    expect(existsSync(join(folder, 'made'))).toBe(true);
    await bed.decide(anew as AskView, { behavior: 'deny' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.resultOf('agent-killed-rule', 'call_2')).toContain('exited with code 0');
    expect(model.resultOf('agent-killed-rule', 'call_3')).toContain('rejected by user');
    expect((await bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(2);
    expect(await bed.events(run.session_id, 'ask.delivered')).toHaveLength(2);
  });

  it('allowed where every command is asked for: not outside of the sandbox, whatever was said; inside, once', async () => {
    const { cmd } = COMMAND.input;
    const inside = {
      call: 'exec_command',
      input: { cmd, sandbox_permissions: 'use_default', justification: 'May I?' },
    };
    const script = [[inside], [COMMAND], [inside], [inside], DONE];
    const settings = { approval_policy: 'untrusted' };
    const { run, folder, ask } = await start('agent-killed-untrusted', script, bed, settings);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await bed.decide(ask, { behavior: 'allow' });
    for (const times of [0, 1]) {
      const [anew] = await bed.pending(run.session_id);
      expect([anew?.ask_id === ask.ask_id, timesDone(folder)]).toEqual([false, times]);
      await bed.decide(anew as AskView, { behavior: 'deny' });
    }
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(timesDone(folder)).toBe(1);
    expect((await bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(3);
  });

  it('denied, the model hears it and nothing is done; another command is asked anew', async () => {
    const { run, folder, ask } = await start('agent-killed-denied', [[COMMAND], [escalated('touch other.txt')], DONE]);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await bed.decide(ask, { behavior: 'deny', reason: 'too late' });
    const [other] = await bed.pending(run.session_id);
    expect(model.heard('agent-killed-denied').at(-1)).toContain('→ not allowed: too late');
    if (other) await bed.decide(other, { behavior: 'deny' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(timesDone(folder)).toBe(0);
    expect(readIfThere(folder, 'other.txt')).toBeUndefined();
  });

  it('a question stays open, and the answer is told', async () => {
    const { run, ask } = await start('agent-killed-question', [[ASK], DONE]);
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await stillOpen(ask);
    await bed.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.heard('agent-killed-question').at(-1)).toContain('You asked: Which colour?\n→ Blue');
  });

  it('with a sub-agent waiting: its ask stays open, and the conversation is told the answer and does it once', async () => {
    model.play('lost-part', [[COMMAND]]);
    const input = { message: 'Do lost-part', agent_type: 'worker' };
    const spawned = { call: 'spawn_agent', namespace: 'multi_agent_v1', input };
    const script = [[spawned], DONE, [COMMAND], DONE];
    const { run, folder, ask } = await start('agent-killed-with-sub-agent', script);
    await bed.until(async () => (model.told('agent-killed-with-sub-agent').length === 2 ? true : undefined));
    process.kill(leaderOf(run.run_id), 'SIGKILL');
    await released(run);
    await stillOpen(ask);
    await bed.decide(ask, { behavior: 'allow' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    const told = model.heard('agent-killed-with-sub-agent').at(-1);
    expect(told).toMatch(/Your sub-agent \(worker .+: Do lost-part\) asked to use Bash: .+\n→ allowed/);
    expect(timesDone(folder)).toBe(1);
    expect((await bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
  });

  it('a command under way does not go on, and the run has failed', async () => {
    const begun = await start('agent-killed-busy', [[ENDLESS]]);
    await underWay(begun);
    process.kill(leaderOf(begun.run.run_id), 'SIGKILL');
    const over = await bed.over(begun.run.run_id);
    expect(over).toMatchObject({ status: 'failed', outcome: 'provider-failed' });
    expect(over.error).toContain('SIGKILL');
    await nothingLeftIn(begun.folder);
  });
});

describe.skipIf(!codex)(`kill -9 of the worker of Codex ${codexVersion}`, () => {
  it.each([
    ['while no worker runs', true],
    ['after another one came', false],
  ])('answered %s: the model is told, and what was allowed is done once', async (when, isBefore) => {
    const key = `worker-killed-${isBefore}`;
    const { run, folder, ask } = await start(key, [[COMMAND], [COMMAND], DONE]);
    // It cannot notice that nobody listens any more: somebody else has to end it.
    process.kill(leaderOf(run.run_id), 'SIGSTOP');
    await killWorker(run);
    await gone(run);
    await stillOpen(ask);
    if (isBefore) await bed.decide(ask, { behavior: 'allow' });
    newWorker();
    if (!isBefore) {
      await workerIsUp();
      await bed.decide(ask, { behavior: 'allow' });
    }
    expect(await bed.over(run.run_id), when).toMatchObject({ status: 'completed' });
    expect(model.heard(key).at(-1)).toContain('→ allowed');
    expect(timesDone(folder)).toBe(1);
    await gone(run);
  });

  it('a command under way does not go on; the next worker tells the model that it was interrupted', async () => {
    const begun = await start('worker-killed-busy', [[ENDLESS], DONE]);
    await underWay(begun);
    await killWorker(begun.run);
    await nothingLeftIn(begun.folder);
    const ticks = readIfThere(begun.folder, 'ticks.txt');
    newWorker();
    expect(await bed.over(begun.run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.heard('worker-killed-busy').at(-1)).toContain('You were interrupted before you had finished');
    expect(model.heard('worker-killed-busy').at(-1)).toContain('you may or may not have acted on it');
    expect(readIfThere(begun.folder, 'ticks.txt')).toBe(ticks);
    await gone(begun.run);
  });

  it('stopped by SIGTERM it lets go, and the next one takes the answer', async () => {
    const { run, ask } = await start('worker-stopped', [[ASK], DONE]);
    await worker.end('SIGTERM');
    await gone(run);
    await stillOpen(ask);
    newWorker();
    await bed.answer(ask, { question_id: 'question-1', freeform_answer: 'green' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.heard('worker-stopped').at(-1)).toContain('→ green');
  });
});

describe.skipIf(!codex)(`kill -9 of the server, with Codex ${codexVersion} waiting`, () => {
  it('the same process goes on with the answer', async () => {
    const { run, folder, ask } = await start('server-killed', [[{ ...COMMAND, id: 'call_S' }], DONE]);
    const pid = leaderOf(run.run_id);
    const { data, url } = server;
    await server.end('SIGKILL');
    server = await startHoldpoint({ data, via: 'main', args: ['--no-worker', '--port', new URL(url).port] });
    await stillOpen(ask);
    expect(leaderOf(run.run_id)).toBe(pid);
    await bed.decide(ask, { behavior: 'allow' });
    const over = await bed.over(run.run_id);
    expect(over).toMatchObject({ status: 'completed' });
    expect(over.outputs.filter(({ type }) => type === 'codex-thread')).toHaveLength(1);
    expect(model.resultOf('server-killed', 'call_S')).toContain('exited with code 0');
    expect(timesDone(folder)).toBe(1);
    await gone(run);
  });
});

describe.skipIf(!codex)(`kill -9 of the server with the worker of Codex ${codexVersion} in it`, () => {
  let whole: Holdpoint;
  let there: TestBed;
  const serve = async (data?: string) => {
    whole = await startHoldpoint({ via: 'main', ...(data && { data }) });
    there = new TestBed(whole.url, whole.token);
  };

  it('an approval stays open; allowed, it is done once', async () => {
    await serve();
    const { run, folder, ask } = await start('whole-killed', [[COMMAND], [COMMAND], DONE], there);
    await whole.end('SIGKILL');
    await gone(run);
    await serve(whole.data);
    expect((await there.api.asks.get(ask.ask_id)).status).toBe('pending');
    await there.decide(ask, { behavior: 'allow' });
    expect(await there.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.heard('whole-killed').at(-1)).toContain('→ allowed');
    expect(timesDone(folder)).toBe(1);
    expect((await there.events(run.session_id, 'ask.delivered')).length).toBe(1);
    await gone(run);
  });

  it('a command under way does not go on', async () => {
    const begun = await start('whole-killed-busy', [[ENDLESS], DONE], there);
    await underWay(begun, there);
    await whole.end('SIGKILL');
    await nothingLeftIn(begun.folder);
    const ticks = readIfThere(begun.folder, 'ticks.txt');
    await serve(whole.data);
    expect(await there.over(begun.run.run_id)).toMatchObject({ status: 'completed' });
    expect(model.heard('whole-killed-busy').at(-1)).toContain('You were interrupted before you had finished');
    expect(readIfThere(begun.folder, 'ticks.txt')).toBe(ticks);
    await gone(begun.run);
    await whole.end('SIGTERM');
  });
});
