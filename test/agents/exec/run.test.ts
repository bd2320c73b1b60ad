// How a dispatch ends when it is stopped from outside: no process of it is left. And how it fails when it cannot start.
// Covers: src/agents/workspace/occupancy.ts, src/worker/process-group.ts, src/worker/program-environment.ts
// Covers: src/agents/exec/agent.ts, src/agents/workspace/dispatch-failure.ts, src/agents/workspace/work-folder.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../../src/agents/exec/agent.ts';
import type { RunView } from '../../../src/core/views.ts';
import { identityOf } from '../../../src/worker/process-group.ts';
import { LONG_LEASE_MS } from '../../support/test-bed.ts';
import { asks, ExecTestBed, exitOf } from './test-bed.ts';

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open();
});
afterAll(() => d.close());

/** A program with a child, a grandchild in the background and one in a group of its own, none of which listens to TERM. */
const FAMILY = `trap '' TERM; echo $$ >> pids
sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.05; done' &
sh -c 'set -m; sh -c "trap \\"\\" TERM; echo \\$\\$ >> pids; while :; do sleep 0.05; done" & echo $! >> pids; wait' &
while :; do sleep 0.05; done`;

const pidsIn = (folder: string): number[] => readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const family = (folder: string): Promise<number[]> =>
  d.bed.until(async () => {
    if (!existsSync(join(folder, 'pids'))) return undefined;
    const pids = pidsIn(folder);
    return pids.length >= 4 ? pids : undefined;
  });
const allEnded = (pids: number[]) => d.bed.until(async () => (pids.some(isAlive) ? undefined : true));
const leftIn = (folder: string) =>
  d.bed.until(async () => (existsSync(join(folder, '.agora')) ? undefined : readdirSync(folder)));

describe('the processes of a program', () => {
  const ENDS: [string, (run: RunView) => Promise<unknown>, string][] = [
    ['the run is cancelled', (run) => d.bed.api.runs.cancel(run.run_id), 'cancelled'],
    ['the session is interrupted', (run) => d.bed.api.sessions.interrupt(run.session_id), 'interrupted'],
    ['the session is ended', (run) => d.bed.api.sessions.end(run.session_id), 'interrupted'],
  ];
  it.each(ENDS)('end when %s', async (_, end, status) => {
    const folder = d.workspace();
    const run = await d.sh(folder, FAMILY);
    const pids = await family(folder);
    expect(pids.every(isAlive)).toBe(true);
    await end(run);
    await allEnded(pids);
    expect((await d.over(run)).status).toBe(status);
    expect(await leftIn(folder)).toEqual(['pids']);
    expect((await d.bed.events(run.session_id)).at(-1)?.type).toMatch(/dispatch.cancelled|session.ended/);
  });

  it('end when its time limit is over', async () => {
    const past = async (timeout_ms: number) => {
      const folder = d.workspace();
      const run = await d.over(await d.sh(folder, FAMILY, { timeout_ms }));
      expect(run).toMatchObject({
        status: 'failed',
        outcome: 'timeout',
        error: expect.stringContaining(`${timeout_ms} ms`),
      });
      return { folder, run };
    };
    // A machine so slow that not all of them had begun is given more.
    let timeoutMs = 2000;
    let { folder, run } = await past(timeoutMs);
    while (!existsSync(join(folder, 'pids')) || pidsIn(folder).length < 4) {
      timeoutMs *= 2;
      ({ folder, run } = await past(timeoutMs));
    }
    expect(exitOf(run)).toMatchObject({ exit_code: 137, signal: 'SIGKILL', timed_out: true });
    expect(pidsIn(folder).filter(isAlive)).toEqual([]);
  });

  it('end when it exits and leaves a child process', async () => {
    const folder = d.workspace();
    const run = await d.over(
      await d.sh(folder, 'sh -c "echo \\$\\$ >> pids; exec sleep 60" & while [ ! -s pids ]; do :; done; exit 3'),
    );
    expect(run).toMatchObject({ status: 'failed', outcome: 'provider-failed' });
    expect(pidsIn(folder).filter(isAlive)).toEqual([]);
  });

  it('end when its worker stops, and another worker runs it again to completion', async () => {
    const own = await ExecTestBed.open({ concurrency: 0 });
    const first = await own.bed.worker({ agents: [exec], id: 'first' });
    const folder = own.workspace();
    const run = await own.sh(folder, `[ -f again ] && exit 0; ${FAMILY}`);
    const pids = await family(folder);
    await first.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await own.bed.api.runs.get(run.run_id)).status).toBe('running');
    writeFileSync(join(folder, 'again'), '');
    await own.bed.worker({ agents: [exec], id: 'second' });
    expect((await own.over(run)).status).toBe('completed');
    await own.close();
  });
});

describe('a workspace', () => {
  it('runs one dispatch at a time', async () => {
    const folder = d.workspace();
    const script = 'echo begin >> log; sleep 0.3; echo end >> log';
    const runs = await Promise.all([1, 2, 3].map(() => d.sh(folder, script)));
    for (const run of runs) expect((await d.over(run)).status).toBe('completed');
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('begin\nend\n'.repeat(3));
  });

  it.each([
    ['as it left it', 'dispatch.json'],
    ['also when the one that took over died before it had ended it', 'left-a'],
  ])('ends the program that a dead worker left running before the next dispatch, %s', async (_, name) => {
    const folder = d.workspace();
    const orphan = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { AGORA_DISPATCH_ID: 'run_x' } });
    const gone = spawn('true', { stdio: 'ignore' });
    await new Promise((resolve) => gone.once('exit', resolve));
    const dead = { ...identityOf(gone.pid as number), began: 'earlier' };
    mkdirSync(join(folder, '.agora'));
    const record = { token: 't', dispatch_id: 'run_x', worker: dead, program: identityOf(orphan.pid as number) };
    writeFileSync(join(folder, '.agora', name), JSON.stringify(record));
    const run = await d.over(await d.sh(folder, `kill -0 ${orphan.pid} 2>/dev/null && exit 9; exit 0`));
    expect(run.status).toBe('completed');
    expect(isAlive(orphan.pid as number)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves a process alone that only has the same process id', async () => {
    const folder = d.workspace();
    const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const self = identityOf(stranger.pid as number);
    mkdirSync(join(folder, '.agora'));
    const other = { ...self, began: 'earlier' };
    const record = { token: 't', dispatch_id: 'run_x', worker: other, program: other };
    writeFileSync(join(folder, '.agora/dispatch.json'), JSON.stringify(record));
    expect((await d.over(await d.sh(folder, 'true'))).status).toBe('completed');
    expect(isAlive(stranger.pid as number)).toBe(true);
    stranger.kill('SIGKILL');
  });

  it('finding 19: signals no process that a record of the repository names, unless it has the mark of that dispatch', async () => {
    const strangers = [{ PATH: '/bin' }, { AGORA_DISPATCH_ID: 'run_other' }].map((env) =>
      spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore', env }),
    );
    for (const stranger of strangers) {
      const gone = { ...identityOf(stranger.pid as number), began: 'earlier' };
      const program = identityOf(stranger.pid as number);
      const record = JSON.stringify({ token: 't', dispatch_id: 'run_x', worker: gone, program });
      expect((await d.over(await d.sh(d.workspace({ '.agora/dispatch.json': record }), 'true'))).status).toBe(
        'completed',
      );
      expect(isAlive(stranger.pid as number)).toBe(true);
      stranger.kill('SIGKILL');
    }
  });

  it('waits for a dispatch of another machine', async () => {
    const worker = { host: 'another-machine', pid: 1, began: 'x' };
    const record = JSON.stringify({ token: 't', dispatch_id: 'run_x', worker });
    const run = await d.over(await d.sh(d.workspace({ '.agora/dispatch.json': record }), 'true'));
    expect(run).toMatchObject({
      status: 'failed',
      outcome: 'worker-failed',
      error: expect.stringContaining('another-machine'),
    });
  });
});

describe('kill -9 of a worker whose program goes on', () => {
  const killed = async (script: string) => {
    const own = await ExecTestBed.open({ concurrency: 0 });
    const program = join(import.meta.dirname, 'worker-alone.ts');
    const worker = spawn(process.execPath, [program, own.bed.url, own.server.token, String(LONG_LEASE_MS)], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const folder = own.workspace();
    const run = await own.sh(folder, script);
    const begun = () => existsSync(join(folder, 'pids')) || undefined;
    await own.bed.until(async () => begun());
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    await own.bed.lapse('alone', run);
    return { own, folder, run };
  };

  it('raises a question that the program asks meanwhile, and does not run it again', async () => {
    const { own, folder, run } = await killed(
      `echo $$ >> pids; while [ ! -f go ]; do sleep 0.02; done; ${asks({ question: 'Now?' })}`,
    );
    writeFileSync(join(folder, 'go'), '');
    await own.bed.until(async () => (pidsIn(folder).some(isAlive) ? undefined : true));
    await own.bed.worker({ agents: [exec] });
    expect(await own.paused(run)).toMatchObject({ status: 'waiting_for_user_question' });
    expect(pidsIn(folder)).toHaveLength(1);
    await own.bed.until(async () => (existsSync(join(folder, '.agora')) ? undefined : true));
    await own.close();
  });

  it('ends a program that still runs before it is run again', async () => {
    const { own, folder, run } = await killed(
      `for p in $(cat pids 2>/dev/null); do grep -qs '^State:.[^ZX]' /proc/$p/status && touch overlap; done
      echo $$ >> pids; [ -f go ] || sleep 60`,
    );
    writeFileSync(join(folder, 'go'), '');
    await own.bed.worker({ agents: [exec] });
    expect(await own.over(run)).toMatchObject({ status: 'completed' });
    expect(pidsIn(folder)).toHaveLength(2);
    expect(pidsIn(folder).filter(isAlive)).toEqual([]);
    expect(existsSync(join(folder, 'overlap'))).toBe(false);
    await own.close();
  });
});

describe('a dispatch that cannot start', () => {
  const fails = async (folder: string | undefined, input: Record<string, unknown>) =>
    d.over(await d.start(folder, input));
  it.each([
    ['no command', {}, /command/],
    ['an empty command', { command: [] }, /command/],
    ['a command of something else', { command: { ls: true } }, /: command must be an array, not an object\.$/],
    ['a misspelt field', { command: ['true'], timeout: 5 }, /timeout/],
    ['a bad name in env', { command: ['true'], env: { 'A=B': 'x' } }, /env/],
    ['no time at all', { command: ['true'], timeout_ms: 0 }, /timeout_ms/],
    ['an unknown runtime', { command: ['true'], runtime: 'x' }, /Known are: claude-code, exec/],
    [
      'a prompt too long for an argument',
      { command: ['echo', '{{prompt}}'], prompt_template: 'x'.repeat(200_000) },
      /too long/,
    ],
  ])('fails with the reason: %s', async (_, input, error) => {
    const run = await fails(d.workspace(), input);
    expect(run).toMatchObject({ status: 'failed', outcome: 'worker-failed', error: expect.stringMatching(error) });
  });

  it('fails without a work folder, with a relative one and with a missing one', async () => {
    const command = ['true'];
    expect(await fails(undefined, { command })).toMatchObject({
      outcome: 'worker-failed',
      error: expect.stringContaining('work_folder'),
    });
    expect(await fails('relative', { command })).toMatchObject({
      outcome: 'worker-failed',
      error: expect.stringContaining('absolute'),
    });
    expect(await fails('/nowhere/at/all', { command })).toMatchObject({ outcome: 'fetch-failed' });
  });

  it('fails when .agora is not a folder', async () => {
    expect(await fails(d.workspace({ '.agora': 'x' }), { command: ['true'] })).toMatchObject({
      outcome: 'integrity-failed',
    });
  });

  it('fails when a record in .agora was altered, until it is removed', async () => {
    const folder = d.workspace({ '.agora/left-a': 'x' });
    expect(await fails(folder, { command: ['true'] })).toMatchObject({
      outcome: 'integrity-failed',
      error: expect.stringContaining('.agora/left-a'),
    });
    rmSync(join(folder, '.agora/left-a'));
    expect(await fails(folder, { command: ['true'] })).toMatchObject({ status: 'completed' });
  });

  it('finding 12: writes its input beside a link of the repository, never through it', async () => {
    const folder = d.workspace({ '.agora/keep': '' });
    const outside = join(d.workspace({ profile: 'mine' }), 'profile');
    symlinkSync(outside, join(folder, '.agora/input.json'));
    await fails(folder, { command: ['true'], data: { note: 'planted' } });
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  it('fails when the workspace cannot be written', async () => {
    const run = await fails(d.workspace({ '.agora/input.json/x': '' }), { command: ['true'] });
    expect(run).toMatchObject({ outcome: 'worker-failed', error: expect.stringContaining('could not be used') });
  });

  it('fails with exit code 127 when the program does not exist', async () => {
    const run = await fails(d.workspace(), { command: ['no-such-program'] });
    expect(run).toMatchObject({
      status: 'failed',
      outcome: 'provider-failed',
      error: expect.stringContaining('no-such-program'),
    });
    expect(exitOf(run)?.exit_code).toBe(127);
  });
});

it('gives a program the environment of the worker and its own, but no setting of the worker', async () => {
  process.env.HOLDPOINT_TOKEN = 'operator-secret';
  process.env.EXEC_TEST_SEEN = 'worker';
  const env = { EXEC_TEST_OWN: 'run', AGORA_DISPATCH_ID: 'not mine' };
  const run = await d.over(await d.start(d.workspace(), { command: ['env'], env, data: { a: [1] } }));
  delete process.env.HOLDPOINT_TOKEN;
  const seen = exitOf(run)?.stdout.split('\n') ?? [];
  expect(seen).toEqual(
    expect.arrayContaining([
      'EXEC_TEST_SEEN=worker',
      'EXEC_TEST_OWN=run',
      'AGORA_INPUT_JSON={"a":[1]}',
      `AGORA_DISPATCH_ID=${run.run_id}`,
    ]),
  );
  expect(seen.filter((line) => line.includes('operator-secret'))).toEqual([]);
});

it('keeps the beginning and the end of the output of a program, whatever its bytes', async () => {
  const script = `printf 'first\\000\\377'; head -c 300000 /dev/zero | tr '\\0' x; echo last; echo problem >&2`;
  const exit = exitOf(await d.over(await d.sh(d.workspace(), script)));
  expect(exit?.stdout).toMatch(/^first\u2400\ufffdx+\n\[… \d+ bytes left out …\]\nx+last\n$/);
  expect(exit?.stdout.length).toBeLessThan(70_000);
  expect(exit?.stderr).toBe('problem\n');
});

it('raises no question of a run that was cancelled meanwhile', async () => {
  const folder = d.workspace();
  const run = await d.sh(folder, `${asks({ question: 'Late?' })} echo $$ > pids; sleep 60`);
  await d.bed.until(async () => (existsSync(join(folder, 'pids')) ? true : undefined));
  await d.bed.api.runs.cancel(run.run_id);
  expect(await leftIn(folder)).toEqual(['pids']);
  expect((await d.bed.api.asks.list({ session_id: run.session_id })).items).toEqual([]);
});
