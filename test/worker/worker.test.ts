// Workers that die, stall and return, as processes of their own: the answer reaches the agent exactly once, whichever worker
// hosts it in the end. Asserted from the log: one delivery, and one output in which the agent repeats the answer.
// Covers: src/boot/worker.ts, src/cli/commands/worker.ts
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import type { AskView, RunView } from '../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../support/process.ts';
import { BASH, LONG_LEASE_MS, TestBed, WHICH } from '../support/test-bed.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: Holdpoint;
let bed: TestBed;
let workerToken: string;
type OwnWorker = Started & { id: string };
const workers: Started[] = [];
let made = 0;

beforeAll(async () => {
  server = await startHoldpoint({ args: ['--no-worker'] });
  bed = new TestBed(server.url, server.token);
  workerToken = (await bed.api.tokens.create({ scope: 'worker' })).token;
});
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL'))));
afterAll(endEverything);

async function startWorkerProcess(args: string[] = []): Promise<OwnWorker> {
  made += 1;
  const id = `worker-${made}`;
  const worker = spawnHoldpoint({
    command: ['worker'],
    args: ['--url', server.url, '--id', id, '--lease-ms', String(LONG_LEASE_MS), ...args],
    env: { HOLDPOINT_TOKEN: workerToken },
    via: 'main',
  });
  workers.push(worker);
  await bed.until(async () => (worker.stdout().includes('holdpoint worker ready') ? true : undefined));
  return { ...worker, id };
}

/** kill -9; the lease ends soon after. */
async function kill(worker: OwnWorker, run: RunView): Promise<void> {
  await worker.end('SIGKILL');
  await bed.lapse(worker.id, run);
}

const first = async (sessionId: string): Promise<AskView> => (await bed.pending(sessionId))[0] as AskView;
const chooseBread = (ask: AskView) => bed.answer(ask, { question_id: 'which', selected_option_ids: ['b'] });
const released = (run: RunView) =>
  bed.until(async () => ((await bed.events(run.session_id, 'run.released')).length > 0 ? true : undefined));

async function expectHeardOnce(run: RunView, heard: string[]): Promise<void> {
  const ended = await bed.over(run.run_id);
  expect(ended.status).toBe('completed');
  expect(bed.heard(ended)).toEqual(heard);
  expect(await bed.events(run.session_id, 'ask.delivered')).toHaveLength(heard.length);
  expect(await bed.events(run.session_id, 'ask.claimed')).toHaveLength(heard.length);
  const outputs = await bed.events(run.session_id, 'output');
  expect(outputs.map((e) => e.data.output_id)).toEqual([...new Set(outputs.map((e) => e.data.output_id))]);
}

const asking = (mode: 'blocking' | 'deferred'): Step[] => [
  { do: 'say', text: 'before' },
  { do: 'ask', id: 'q', mode, questions: [WHICH], answered: [{ do: 'say', text: 'took {{q}}' }] },
  { do: 'complete', text: 'done' },
];

async function askedFrom(mode: 'blocking' | 'deferred') {
  const worker = await startWorkerProcess();
  const run = await bed.play(asking(mode));
  return { worker, run, ask: await first(run.session_id) };
}

describe('kill -9 of a worker with an ask open', () => {
  it.each(['blocking', 'deferred'] as const)(
    'delivers a %s ask once that is answered after another worker came',
    async (mode) => {
      const { worker, run, ask } = await askedFrom(mode);
      await kill(worker, run);
      await startWorkerProcess();
      await chooseBread(ask);
      await expectHeardOnce(run, ['q: answered: Bread']);
    },
  );

  it.each(['blocking', 'deferred'] as const)(
    'delivers a %s ask once that is answered while no worker runs',
    async (mode) => {
      const { worker, run, ask } = await askedFrom(mode);
      if (mode === 'deferred') await released(run);
      await kill(worker, run);
      await chooseBread(ask);
      expect((await bed.api.asks.get(ask.ask_id)).delivery.state).toBe('due');
      await startWorkerProcess();
      await expectHeardOnce(run, ['q: answered: Bread']);
    },
  );

  it('delivers several asks once each, some answered before and some after', async () => {
    const worker = await startWorkerProcess();
    const asks = [1, 2, 3, 4].map((n) => ({ do: 'approve' as const, id: `p${n}`, ...BASH, input: { n } }));
    const run = await bed.play([{ do: 'parallel', asks }, { do: 'complete' }]);
    const open = await bed.pending(run.session_id, 4);
    for (const ask of open.slice(0, 2)) await bed.decide(ask, { behavior: 'allow' });
    await kill(worker, run);
    await startWorkerProcess();
    for (const ask of open.slice(2)) await bed.decide(ask, { behavior: 'deny', reason: 'no' });
    await expectHeardOnce(run, [
      ...[1, 2].map((n) => `p${n}: answered: allowed {"n":${n}}`),
      ...[3, 4].map((n) => `p${n}: answered: no`),
    ]);
  });

  it('delivers the clarification of a sub-agent once', async () => {
    const worker = await startWorkerProcess();
    const script: Step[] = [{ do: 'clarify', id: 'c', questions: [WHICH] }];
    const run = await bed.play([{ do: 'subagent', id: 'kid', script }, { do: 'complete' }]);
    const ask = await first(run.session_id);
    const kid = `${run.run_id}.kid`;
    const [childRun] = (await bed.api.runs.list({ session_id: kid })).items;
    if (!childRun) throw new Error('the sub-agent has no run');
    await kill(worker, run);
    await bed.lapse(worker.id, childRun);
    await chooseBread(ask);
    await startWorkerProcess();
    expect(bed.heard(await bed.over(childRun.run_id))).toEqual(['c: answered: Bread']);
    expect(await bed.events(kid, 'mailbox.acknowledged')).toHaveLength(1);
  });
});

describe('other ways to lose a run', () => {
  it('resumes an agent that crashes without repeating an output', async () => {
    const worker = await startWorkerProcess();
    const script: Step[] = [
      { do: 'say', text: 'before' },
      { do: 'ask', id: 'q', questions: [WHICH] },
      { do: 'crash' },
      { do: 'say', text: 'after {{q}}' },
    ];
    const run = await bed.play(script);
    await chooseBread(await first(run.session_id));
    // Its last sign of life; it does not let go of the run.
    await bed.until(async () => (await bed.api.runs.get(run.run_id)).outputs.find(({ type }) => type === 'checkpoint'));
    await bed.lapse(worker.id, run);
    await expectHeardOnce(run, ['q: answered: Bread']);
    const { outputs } = await bed.api.runs.get(run.run_id);
    expect(outputs.map((o) => o.text).filter(Boolean)).toEqual(['before', 'q: answered: Bread', 'after Bread']);
    expect(await bed.events(run.session_id, 'run.recovered')).toHaveLength(1);
  });

  it('refuses a stalled worker after its lease, and its successor continues', async () => {
    // Short enough that it looks after its lease soon after it wakes up.
    const stalled = await startWorkerProcess(['--log', 'info', '--lease-ms', '5000']);
    const run = await bed.play(asking('blocking'));
    const ask = await first(run.session_id);
    process.kill(stalled.pid, 'SIGSTOP');
    await bed.lapse(stalled.id, run);
    await bed.until(async () => ((await bed.events(run.session_id, 'run.recovered')).length > 0 ? true : undefined));
    await startWorkerProcess();
    await chooseBread(ask);
    await expectHeardOnce(run, ['q: answered: Bread']);
    process.kill(stalled.pid, 'SIGCONT');
    await bed.until(async () => (stalled.stderr().includes('stopped an agent') ? true : undefined));
    await expectHeardOnce(run, ['q: answered: Bread']);
  });

  it('releases the run at once on SIGTERM, so that the next worker waits for no lease', async () => {
    const worker = await startWorkerProcess();
    const run = await bed.play(asking('blocking'));
    const ask = await first(run.session_id);
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await bed.events(run.session_id, 'run.released')).toHaveLength(1);
    await startWorkerProcess();
    await chooseBread(ask);
    await expectHeardOnce(run, ['q: answered: Bread']);
  });
});

describe('a worker without permission', () => {
  it('exits with an explanation when its token is not a worker token', async () => {
    const viewer = await bed.api.tokens.create({ scope: 'viewer' });
    const worker = spawnHoldpoint({
      command: ['worker'],
      args: ['--url', server.url],
      env: { HOLDPOINT_TOKEN: viewer.token },
      via: 'main',
    });
    workers.push(worker);
    expect((await worker.exited).code).toBeGreaterThan(0);
    expect(worker.stderr()).toContain('"viewer"');
  });
});
