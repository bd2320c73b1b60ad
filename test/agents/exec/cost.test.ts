// What the sentinel costs a dispatch that does not ask, counted in system calls of the worker: one check after the program
// has ended, and one rename that keeps a leftover from being read when it begins.
// Covers: src/agents/exec/run.ts
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExecTestBed } from './test-bed.ts';

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open({ concurrency: 0 });
});
afterAll(() => d.close());

const DISPATCHES = 10;
const canTrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;

it.skipIf(!canTrace)(
  'makes one stat and one failing rename for the sentinel of a dispatch that does not ask (needs strace)',
  async () => {
    const traces = d.workspace();
    // The lease is long: a worker slowed by tracing must not lose it, and run a dispatch again.
    const given = [d.bed.url, d.server.token, '60000'];
    const program = [process.execPath, join(import.meta.dirname, 'worker-alone.ts'), ...given];
    // -ff: a file for each thread, so that no call is split by another's line.
    const into = ['-ff', '-o', join(traces, 'thread')];
    const worker = spawn('strace', ['-qq', '-s', '4096', '-e', 'trace=%file', ...into, ...program], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const folder = d.workspace();
    for (let i = 0; i < DISPATCHES; i++) expect((await d.over(await d.sh(folder, 'true'))).status).toBe('completed');
    worker.stdin.end();
    await ended;
    const calls = readdirSync(traces)
      .flatMap((thread) => readFileSync(join(traces, thread), 'utf8').split('\n'))
      .filter((line) => /needs_input\.json"/.test(line) && !/execve\(/.test(line));
    const counted = (call: RegExp) => calls.filter((line) => call.test(line)).length;
    expect(counted(/\b(statx|lstat|newfstatat)\(/)).toBe(DISPATCHES);
    expect(counted(/\brename(at2?)?\(.*ENOENT/)).toBe(DISPATCHES);
    expect(calls).toHaveLength(2 * DISPATCHES);
  },
);
