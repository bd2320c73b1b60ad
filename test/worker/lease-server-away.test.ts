// A server that is away for longer than a lease, as a process of its own: suspended, or killed and started again. Its worker
// was alive all the time, so its agent goes on, and its command is started once.
// Covers: src/gateway/lease-grace.ts, src/worker/lease.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import {
  endEverything,
  type Holdpoint,
  type Started,
  spawnHoldpoint,
  startHoldpoint,
  temporaryFolder,
} from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Its worker sends three heartbeats in that time, also on a busy machine. */
const LEASE_MS = 2000;
/** Longer than a lease, and than any server is merely busy. */
const SLEEP_MS = 6500;
const started: Started[] = [];
afterEach(() => Promise.all(started.splice(0).map((process) => process.end('SIGKILL'))));
afterAll(endEverything);

async function comesBack(server: Holdpoint): Promise<Holdpoint> {
  await server.end('SIGKILL');
  await sleep(LEASE_MS);
  return startHoldpoint({
    args: ['--no-worker'],
    data: server.data,
    env: { HOLDPOINT_PORT: new URL(server.url).port },
    via: 'main',
  });
}
async function wakesUp(server: Holdpoint): Promise<Holdpoint> {
  process.kill(server.pid, 'SIGSTOP');
  await sleep(SLEEP_MS);
  process.kill(server.pid, 'SIGCONT');
  return server;
}

it.each([
  ['is stopped and goes on', wakesUp],
  ['is killed and started again', comesBack],
])('keeps the run of a living worker when the server %s', async (_, away) => {
  const server = await startHoldpoint({ args: ['--no-worker'], via: 'main' });
  started.push(server);
  const bed = new TestBed(server.url, server.token);
  const { token } = await bed.api.tokens.create({ scope: 'worker' });
  const args = ['--url', server.url, '--lease-ms', `${LEASE_MS}`];
  started.push(spawnHoldpoint({ command: ['worker'], args, env: { HOLDPOINT_TOKEN: token }, via: 'main' }));
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const { session_id } = await bed.api.sessions.create({ agent: 'exec', work_folder: folder });
  const script = 'echo begun >> log; while [ ! -e go ]; do sleep 0.1; done; echo done >> log';
  const run = await bed.api.runs.start(session_id, { input: { command: ['sh', '-c', script] } });
  await bed.until(async () => existsSync(file('log')) || undefined);
  started.push(await away(server));
  // What the sweep would have taken away at its return it has had the time for.
  await sleep(2 * LEASE_MS);
  writeFileSync(file('go'), '');
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(readFileSync(file('log'), 'utf8')).toBe('begun\ndone\n');
  expect(await bed.events(session_id, 'run.recovered')).toEqual([]);
});
