// kill -9 of the real Claude Code, of its worker and of the server, each with an ask open: the ask stays open, nothing
// goes on by itself, and the answer is taken up by the conversation as it was. Each answer is delivered once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { LONG_LEASE_MS, TestBed } from '../../support/test-bed.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, touch } from './claude-calls.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';

let testBed: ClaudeTestBed;
let workers = 0;
beforeAll(async () => {
  testBed = await ClaudeTestBed.open({ concurrency: 0 });
});
afterAll(async () => {
  await endEverything();
  await testBed.close();
});
afterEach(() => expect(testBed.model.others).toEqual([]));

/** A server of its own, with its built-in worker unless told otherwise; everything it starts sees the test bed's home. */
const serve = (args: string[] = [], data?: string) => startHoldpoint({ via: 'main', args, ...(data && { data }) });

async function begin(server: Holdpoint, input: Record<string, unknown> = {}) {
  const bed = new TestBed(server.url, server.token);
  const folder = testBed.folder();
  const session = await bed.api.sessions.create({ agent: 'claude', work_folder: folder });
  const run = await bed.api.runs.start(session.session_id, { input: { text: 'go', ...input } });
  return { bed, folder, run };
}

async function askOf(bed: TestBed, run: RunView) {
  const [ask] = await bed.pending(run.session_id);
  if (!ask) throw new Error('nothing is pending');
  return ask;
}

async function deliveredOnce(bed: TestBed, run: RunView): Promise<void> {
  expect((await bed.events(run.session_id, 'ask.delivered')).length).toBe(1);
  expect(testBed.processes(run)).toEqual([]);
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: kill -9 with an ask open`, () => {
  it('of the agent: the approval stays open; allowed, exactly that call is made, once', async () => {
    const server = await serve();
    testBed.model.play([
      [touch('x', 'toolu_k1')],
      [touch('x', 'toolu_k1b')],
      [touch('x', 'toolu_k1c')],
      [{ text: 'Done.' }],
    ]);
    const { bed, folder, run } = await begin(server);
    const ask = await askOf(bed, run);
    await testBed.kept('toolu_k1');
    for (const pid of testBed.processes(run)) kill(pid);
    await testBed.released(run);
    await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[0]);
    expect(await bed.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_approval' });
    expect(testBed.files({ folder })).toEqual([]);
    await bed.decide(ask, { behavior: 'allow' });
    // The same call again is what was allowed; a second time it is asked anew.
    const again = await askOf(bed, run);
    expect(again.tool_call_id).toBe('toolu_k1c');
    expect(testBed.files({ folder })).toEqual(['x']);
    expect(testBed.result('toolu_k1')?.text).toContain('interrupted');
    expect(testBed.result('toolu_k1b')).toMatchObject({ isError: false });
    expect(testBed.model.told.find((told) => told.includes('Meanwhile the person decided'))).toContain('touch x');
    await bed.decide(again, { behavior: 'deny' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect((await bed.events(run.session_id, 'ask.delivered')).length).toBe(2);
    await server.end('SIGTERM');
    expect(testBed.processes(run)).toEqual([]);
  });

  it('of the worker: another one takes the question up with its answer', async () => {
    const server = await serve(['--no-worker']);
    const first = worker(server);
    testBed.model.play([asksColour('toolu_k2'), [{ text: 'Blue.' }]]);
    const { bed, run } = await begin(server);
    const ask = await askOf(bed, run);
    expect(testBed.processes(run).length).toBeGreaterThan(0);
    // It cannot notice that nobody listens any more: somebody else has to end it.
    testBed.kill(run, 'SIGSTOP');
    await first.end('SIGKILL');
    await bed.lapse(first.id, run);
    await testBed.released(run);
    await bed.answer(ask, BLUE);
    const second = worker(server);
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(testBed.lastTold()).toContain('Which colour?');
    expect(testBed.model.told.at(-1)).toContain('→ Blue');
    await deliveredOnce(bed, run);
    await second.end('SIGTERM');
    await server.end('SIGTERM');
  });

  it('of the worker, while the agent is held without a process: it is started again by another', async () => {
    const server = await serve(['--no-worker']);
    const first = worker(server);
    testBed.model.play([[touch('x', 'toolu_k3')], [{ text: 'Done.' }]]);
    const { bed, folder, run } = await begin(server, { hold: 'everything', patience_ms: 0 });
    const ask = await askOf(bed, run);
    await testBed.released(run);
    await first.end('SIGKILL');
    await bed.lapse(first.id, run);
    await bed.decide(ask, { behavior: 'allow' });
    const second = worker(server);
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(testBed.files({ folder })).toEqual(['x']);
    expect(testBed.result('toolu_k3')).toMatchObject({ isError: false });
    await deliveredOnce(bed, run);
    await second.end('SIGTERM');
    await server.end('SIGTERM');
  });

  it('of the server with its worker: the approval is there after the restart, and its denial reaches the model', async () => {
    const server = await serve();
    testBed.model.play([[touch('x', 'toolu_k4')], [{ text: 'I leave it.' }]]);
    const { folder, run, bed } = await begin(server);
    const ask = await askOf(bed, run);
    await server.end('SIGKILL');
    await testBed.released(run);
    const back = await serve(['--port', new URL(server.url).port], server.data);
    expect(await askOf(bed, run)).toMatchObject({ ask_id: ask.ask_id, status: 'pending' });
    await bed.decide(ask, { behavior: 'deny', reason: 'not on this machine' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(testBed.files({ folder })).toEqual([]);
    expect(testBed.lastTold()).toContain('not on this machine');
    await deliveredOnce(bed, run);
    await back.end('SIGTERM');
  });

  it('of the server alone: the agent goes on waiting in its process, and has the answer when the server is back', async () => {
    const server = await serve(['--no-worker']);
    const own = worker(server);
    testBed.model.play([[touch('x', 'toolu_k5')], [{ text: 'Done.' }]]);
    const { folder, run, bed } = await begin(server);
    const ask = await askOf(bed, run);
    const processes = testBed.processes(run);
    await server.end('SIGKILL');
    const back = await serve(['--no-worker', '--port', new URL(server.url).port], server.data);
    await bed.decide(ask, { behavior: 'allow' });
    expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(processes.length).toBeGreaterThan(0);
    expect(testBed.files({ folder })).toEqual(['x']);
    expect(testBed.result('toolu_k5')).toMatchObject({ isError: false });
    await deliveredOnce(bed, run);
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
