// `npm run test:agents` fails when its tests leave a process running: one that works in their folder, or was told of it.
// Covers: scripts/left-running.mjs
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'left-running.mjs');
const { leftRunning }: { leftRunning(folder: string): string[] } = await import(script);

it('finds a process by its folder, its environment and its arguments, and none that has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hp-'));
  const wait = 'setInterval(() => {}, 1000)';
  const ways = [
    { args: [], cwd: folder, env: {} },
    { args: [], cwd: '/', env: { SOME: join(folder, 'home') } },
    { args: [folder], cwd: '/', env: {} },
  ];
  const children = ways.map(({ args, ...how }) =>
    spawn(process.execPath, ['-e', wait, '--', ...args], { ...how, stdio: 'ignore' }),
  );
  const pids = () => leftRunning(folder).map((found) => Number.parseInt(found, 10));
  await expect.poll(pids).toEqual(children.map(({ pid }) => pid).sort((a = 0, b = 0) => a - b));
  const gone = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(gone);
  expect(pids()).toEqual([]);
  rmSync(folder, { recursive: true });
});
