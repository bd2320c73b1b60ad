// Threads through kill -9 and SIGTERM of a worker process: the prompt of an agent that cannot be resumed is cancelled, that of
// one that can stays open, and what a person posts meanwhile reaches the agent.
// Covers: src/gateway/kept-answers.ts, src/gateway/recover.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Step } from '../../src/agents/mock/input.ts';
import type { ItemView, RunView } from '../../src/core/views.ts';
import { endEverything, type Holdpoint, type Started, spawnHoldpoint, startHoldpoint } from '../support/process.ts';
import { BASH, LONG_LEASE_MS, TestBed, WHICH } from '../support/test-bed.ts';
import { short } from '../support/thread.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: Holdpoint;
let bed: TestBed;
let token: string;
const children: ChildProcess[] = [];
const workers: Started[] = [];

beforeAll(async () => {
  server = await startHoldpoint({ args: ['--no-worker'] });
  bed = new TestBed(server.url, server.token);
  token = (await bed.api.tokens.create({ scope: 'worker' })).token;
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => end(child, 'SIGKILL')));
  await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
});
afterAll(endEverything);

/** Hosts the agent that cannot be resumed. */
function fragileWorker(): ChildProcess {
  const program = join(import.meta.dirname, 'fragile-worker.ts');
  const args = [program, server.url, token, String(LONG_LEASE_MS)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  children.push(child);
  return child;
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

async function killFragile(worker: ChildProcess, run: RunView): Promise<void> {
  await end(worker, 'SIGKILL');
  await bed.lapse(`fragile-${worker.pid}`, run);
}

/** Hosts the scripted agent as it is: it can be resumed. */
function mockWorker(id = 'mock-worker'): Started {
  const args = ['--url', server.url, '--id', id, '--lease-ms', String(LONG_LEASE_MS)];
  const worker = spawnHoldpoint({ command: ['worker'], args, env: { HOLDPOINT_TOKEN: token }, via: 'main' });
  workers.push(worker);
  return worker;
}

const asking: Step[] = [
  { do: 'ask', id: 'q', questions: [WHICH] },
  { do: 'complete', text: 'chose {{q}}' },
];
const itemsOf = async (sessionId: string): Promise<ItemView[]> =>
  (await bed.api.threads.items(`thr_${sessionId}`, { limit: 500 })).items;
const chat = async (sessionId: string) => (await itemsOf(sessionId)).map(short);
const until = (sessionId: string, last: string) =>
  bed.until(async () => ((await chat(sessionId)).at(-1) === last ? chat(sessionId) : undefined));
const post = (sessionId: string, text: string) =>
  bed.api.threads.post(`thr_${sessionId}`, { content: [{ type: 'text', text }] });
const OPENING = 'operator: play';
const PROMPT = '? Which one?';

it('gives the agent the label of the option whose number was posted', async () => {
  mockWorker();
  const run = await bed.play(asking);
  await bed.pending(run.session_id);
  await post(run.session_id, '2');
  expect(await until(run.session_id, 'end completed')).toEqual([
    OPENING,
    PROMPT,
    'operator: 2',
    '! ✓ Answered: Bread',
    'q: answered: Bread',
    'chose Bread',
    'end completed',
  ]);
});

it('cancels the prompt of an agent that cannot be resumed when a worker is back after kill -9', async () => {
  const worker = fragileWorker();
  const run = await bed.play(asking, { agent: 'fragile' });
  await bed.pending(run.session_id);
  await killFragile(worker, run);
  fragileWorker();
  expect(await until(run.session_id, 'end interrupted')).toEqual([
    OPENING,
    PROMPT,
    '! ✗ Cancelled: the worker was lost',
    'end interrupted',
  ]);
  const [, , audit] = await itemsOf(run.session_id);
  expect(audit?.metadata).toMatchObject({
    type: 'pending_prompt_resolved',
    prompt: { prompt_state: 'cancelled', reason: 'worker_restart', answers: [] },
  });
});

it('delivers a post of the meantime to an agent that is resumed after kill -9', async () => {
  const worker = mockWorker('killed');
  const run = await bed.play(asking);
  await bed.pending(run.session_id);
  await worker.end('SIGKILL');
  await bed.lapse('killed', run);
  await post(run.session_id, '1');
  expect(await chat(run.session_id)).toEqual([OPENING, PROMPT, 'operator: 1']);
  mockWorker();
  expect(await until(run.session_id, 'end completed')).toContain('! ✓ Answered: Apples');
  expect(bed.heard(await bed.over(run.run_id))).toEqual(['q: answered: Apples']);
});

it('keeps a post of the meantime for an agent that asks again after kill -9', async () => {
  const worker = fragileWorker();
  const run = await bed.play(asking, { agent: 'fragile' });
  const [first] = await bed.pending(run.session_id);
  await killFragile(worker, run);
  await bed.until(async () => ((await bed.events(run.session_id, 'run.recovered')).length > 0 ? true : undefined));
  await post(run.session_id, 'Bread');
  await until(run.session_id, 'end interrupted');
  fragileWorker();
  const again = await bed.api.runs.start(run.session_id, { input: { text: 'again', script: asking } });
  expect(bed.heard(await bed.over(again.run_id))).toEqual(['q: answered: Bread']);
  const [ask] = (await bed.api.asks.list({ run_id: again.run_id })).items;
  const { answer } = await bed.api.asks.get(first?.ask_id ?? '');
  expect(ask?.answer).toMatchObject({ answered_by: 'operator', surface: 'system', kept_from: first?.ask_id });
  expect(ask?.answer?.answered_at_ms).toBe(answer?.answered_at_ms);
});

it('denies the open approval of an agent that cannot be resumed on SIGTERM', async () => {
  const worker = fragileWorker();
  const allowed: Step[] = [{ do: 'say', text: 'ran' }];
  const run = await bed.play([{ do: 'approve', id: 'p', ...BASH, allowed }], { agent: 'fragile' });
  const [ask] = await bed.pending(run.session_id);
  worker.stdin?.end();
  await until(run.session_id, 'end failed');
  expect((await chat(run.session_id)).slice(2)).toEqual(['! ✗ Cancelled: the worker was shut down', 'end failed']);
  expect((await bed.api.asks.get(ask?.ask_id ?? '')).answer).toMatchObject({
    outcome: 'cancelled',
    behavior: 'deny',
  });
});
