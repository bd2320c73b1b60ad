// A full disk under a working SQLite server: nothing of a refused write is stored, every acknowledged one is, and the server
// works on when there is room again.
import { afterAll, expect, it } from 'vitest';
import { endEverything, temporaryFolder } from '../support/process.ts';
import { fillDisk } from './disk-full.ts';

afterAll(endEverything);

it.skipIf(process.platform !== 'linux')(
  'keeps what it acknowledged and nothing that it refused while its disk is full',
  async () => {
    const seed = process.env.HOLDPOINT_SEED ?? String(Math.floor(Math.random() * 2 ** 32));
    console.log(`disk: HOLDPOINT_SEED=${seed}`);
    const report = await fillDisk({ seed, seconds: 12, folder: temporaryFolder() });
    console.log(JSON.stringify(report));
    expect(report.complaints).toEqual([]);
    expect(report.fills).toBeGreaterThan(0);
    expect(report.refused).toBeGreaterThan(0);
    expect(report.asks).toBeGreaterThan(0);
  },
  600_000,
);
