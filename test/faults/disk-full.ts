// The disk of an SQLite server is full, again and again, while everybody works. Full means the kernel's limit on the
// size of a file (RLIMIT_FSIZE, set on the running process with prlimit): writes beyond it fail as on a full disk.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../support/seeded-random.ts';
import { audit } from './auditor.ts';
import { Fleet } from './fleet.ts';
import { startLoad } from './load.ts';

export interface DiskReport {
  fills: number;
  kills: number;
  refused: number;
  asks: number;
  complaints: string[];
}

interface DiskOptions {
  seed: string;
  seconds: number;
  folder: string;
}

export async function fillDisk({ seed, seconds, folder }: DiskOptions): Promise<DiskReport> {
  const random = randomOf(`${seed}/disk`);
  mkdirSync(folder, { recursive: true });
  const historyPath = join(folder, 'history.ndjson');
  const fleet = await Fleet.start({ nodes: 1, workers: 0, random: random.fork('fleet'), historyPath });
  try {
    const load = await startLoad(fleet, random, 6, 3, { hosted: 3 });
    const [node] = fleet.nodes;
    let fills = 0;
    let kills = 0;
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await sleep(random.int(500, 2500));
      // Less than any of its files has by now: the next write fails, whichever file it goes to.
      if (limitFiles(node?.pid, random.int(0, 64) * 1024)) fills += 1;
      await sleep(random.int(300, 1500));
      if (random.chance(0.3)) {
        await node?.end('SIGKILL');
        kills += 1;
      } else limitFiles(node?.pid, undefined);
    }
    limitFiles(node?.pid, undefined);
    await fleet.heal();
    const account = await load.rest();
    const complaints = [...fleet.defects, ...audit(load.knowledge, account)];
    return { fills, kills, refused: fleet.refused, asks: account.asks.length, complaints };
  } finally {
    await fleet.stop();
  }
}

function limitFiles(pid: number | undefined, bytes: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:unlimited`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
