// kill -9 of the real Claude Code, of its worker and of the server, each with an ask open: the ask stays open, nothing
// goes on by itself, and the answer is taken up by the conversation as it was. Each answer is delivered once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { LONG_LEASE_MS, TestBed } from '../../support/test-bed.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, touch } from './claude-calls.ts';
import { ClaudeRig } from './claude-test-bed.ts';

let rig: ClaudeRig;
let workers = 0;
beforeAll(async () => {
  rig = await ClaudeRig.open({ concurrency: 0 });
});
afterAll(async () => {
  await endEverything();
  await rig.close();
});
afterEach(() => expect(rig.model.others).toEqual([]));

/** A server of its own, with its built-in worker unless told otherwise; everything it starts sees the rig's home. */
const serve = (args: string[] = [], data?: string) => startHoldpoint({ via: 'main', args, ...(data && { data }) });

async function begin(server: Holdpoint, input: Record<string, unknown> = {}) {
  const stage = new TestBed(server.url, server.token);
  const folder = rig.folder();
  const session = await stage.api.sessions.create({ agent: 'claude', work_folder: folder });
  const run = await stage.api.runs.start(session.session_id, { input: { text: 'go', ...input } });
  return { stage, folder, run };
}

async function askOf(stage: TestBed, run: RunView) {
  const [ask] = await stage.pending(run.session_id);
  if (!ask) throw new Error('nothing is pending');
  return ask;
}

async function deliveredOnce(stage: TestBed, run: RunView): Promise<void> {
  expect((await stage.events(run.session_id, 'ask.delivered')).length).toBe(1);
  expect(rig.processes(run)).toEqual([]);
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: kill -9 with an ask open`, () => {
  it('of the agent: the approval stays open; allowed, exactly that call is made, once', async () => {
    const server = await serve();
    rig.model.play([
      [touch('x', 'toolu_k1')],
      [touch('x', 'toolu_k1b')],
      [touch('x', 'toolu_k1c')],
      [{ text: 'Done.' }],
    ]);
    const { stage, folder, run } = await begin(server);
    const ask = await askOf(stage, run);
    await rig.kept('toolu_k1');
    for (const pid of rig.processes(run)) kill(pid);
    await rig.released(run);
    await stage.until(async () => (await stage.events(run.session_id, 'run.released'))[0]);
    expect(await stage.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_approval' });
    expect(rig.files({ folder })).toEqual([]);
    await stage.decide(ask, { behavior: 'allow' });
    // The same call again is what was allowed; a second time it is asked anew.
    const again = await askOf(stage, run);
    expect(again.tool_call_id).toBe('toolu_k1c');
    expect(rig.files({ folder })).toEqual(['x']);
    expect(rig.result('toolu_k1')?.text).toContain('interrupted');
    expect(rig.result('toolu_k1b')).toMatchObject({ isError: false });
    expect(rig.model.told.find((told) => told.includes('Meanwhile the person decided'))).toContain('touch x');
    await stage.decide(again, { behavior: 'deny' });
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect((await stage.events(run.session_id, 'ask.delivered')).length).toBe(2);
    await server.end('SIGTERM');
    expect(rig.processes(run)).toEqual([]);
  });

  it('of the worker: another one takes the question up with its answer', async () => {
    const server = await serve(['--no-worker']);
    const first = worker(server);
    rig.model.play([asksColour('toolu_k2'), [{ text: 'Blue.' }]]);
    const { stage, run } = await begin(server);
    const ask = await askOf(stage, run);
    expect(rig.processes(run).length).toBeGreaterThan(0);
    // It cannot notice that nobody listens any more: somebody else has to end it.
    rig.kill(run, 'SIGSTOP');
    await first.end('SIGKILL');
    await stage.lapse(first.id, run);
    await rig.released(run);
    await stage.answer(ask, BLUE);
    const second = worker(server);
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(rig.lastTold()).toContain('Which colour?');
    expect(rig.model.told.at(-1)).toContain('→ Blue');
    await deliveredOnce(stage, run);
    await second.end('SIGTERM');
    await server.end('SIGTERM');
  });

  it('of the worker, while the agent is held without a process: it is started again by another', async () => {
    const server = await serve(['--no-worker']);
    const first = worker(server);
    rig.model.play([[touch('x', 'toolu_k3')], [{ text: 'Done.' }]]);
    const { stage, folder, run } = await begin(server, { hold: 'everything', patience_ms: 0 });
    const ask = await askOf(stage, run);
    await rig.released(run);
    await first.end('SIGKILL');
    await stage.lapse(first.id, run);
    await stage.decide(ask, { behavior: 'allow' });
    const second = worker(server);
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(rig.files({ folder })).toEqual(['x']);
    expect(rig.result('toolu_k3')).toMatchObject({ isError: false });
    await deliveredOnce(stage, run);
    await second.end('SIGTERM');
    await server.end('SIGTERM');
  });

  it('of the server with its worker: the approval is there after the restart, and its denial reaches the model', async () => {
    const server = await serve();
    rig.model.play([[touch('x', 'toolu_k4')], [{ text: 'I leave it.' }]]);
    const { folder, run, stage } = await begin(server);
    const ask = await askOf(stage, run);
    await server.end('SIGKILL');
    await rig.released(run);
    const back = await serve(['--port', new URL(server.url).port], server.data);
    expect(await askOf(stage, run)).toMatchObject({ ask_id: ask.ask_id, status: 'pending' });
    await stage.decide(ask, { behavior: 'deny', reason: 'not on this machine' });
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(rig.files({ folder })).toEqual([]);
    expect(rig.lastTold()).toContain('not on this machine');
    await deliveredOnce(stage, run);
    await back.end('SIGTERM');
  });

  it('of the server alone: the agent goes on waiting in its process, and has the answer when the server is back', async () => {
    const server = await serve(['--no-worker']);
    const own = worker(server);
    rig.model.play([[touch('x', 'toolu_k5')], [{ text: 'Done.' }]]);
    const { folder, run, stage } = await begin(server);
    const ask = await askOf(stage, run);
    const processes = rig.processes(run);
    await server.end('SIGKILL');
    const back = await serve(['--no-worker', '--port', new URL(server.url).port], server.data);
    await stage.decide(ask, { behavior: 'allow' });
    expect(await stage.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(processes.length).toBeGreaterThan(0);
    expect(rig.files({ folder })).toEqual(['x']);
    expect(rig.result('toolu_k5')).toMatchObject({ isError: false });
    await deliveredOnce(stage, run);
    await own.end('SIGTERM');
    await back.end('SIGTERM');
  });
});

/** However slow this machine is, and however long its server is away, a run stays with it as long as it lives. */
function worker(server: Holdpoint): Started & { id: string } {
  workers += 1;
  const id = `worker-${workers}`;
  const args = ['--url', server.url, '--token', server.token, '--id', id, '--lease-ms', String(LONG_LEASE_MS)];
  return { ...spawnHoldpoint({ command: ['worker'], args, data: server.data, via: 'main' }), id };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with another one of them.
  }
}
