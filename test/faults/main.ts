// `npm run faults -- --minutes N --seed S`: a long round with every fault. Prints what happened; exits 1 when the
// auditor has anything to say, and then leaves the history and all evidence in a folder. `--earlier` names the folder of an
// earlier release: its servers are upgraded one by one under load, and only then do faults begin.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endEverything } from '../support/process.ts';
import { fillDisk } from './disk-full.ts';
import { runRound } from './round.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    asks: { type: 'string', default: '0' },
    nodes: { type: 'string', default: '3' },
    workers: { type: 'string', default: '4' },
    agents: { type: 'string', default: '24' },
    hosted: { type: 'string', default: '12' },
    answerers: { type: 'string', default: '6' },
    'pause-ms': { type: 'string', default: '5000' },
    earlier: { type: 'string' },
    sqlite: { type: 'boolean' },
    'no-disk': { type: 'boolean' },
  },
});
const { seed } = values;
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-faults-'));
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`seed ${seed}, history in ${folder}`);

const report = await runRound({
  seed,
  seconds: Number(values.minutes) * 60,
  leastAsks: Number(values.asks),
  nodes: Number(values.nodes),
  workers: Number(values.workers),
  agents: Number(values.agents),
  hosted: Number(values.hosted),
  answerers: Number(values.answerers),
  pauseMs: Number(values['pause-ms']),
  earlier: values.earlier,
  sqlite: values.sqlite,
  folder,
  onProgress: print,
});
const disk = values['no-disk'] ? undefined : await fillDisk({ seed, seconds: 30, folder: join(folder, 'disk') });
await endEverything();
print(JSON.stringify({ ...report, complaints: report.complaints.slice(0, 50), disk }, null, 2));
const complaints = [...report.complaints, ...(disk?.complaints ?? [])];
print(
  complaints.length === 0
    ? 'verdict: nothing to complain about'
    : `verdict: ${complaints.length} complaints, evidence in ${folder}`,
);
if (complaints.length === 0) rmSync(folder, { recursive: true, force: true });
process.exit(complaints.length === 0 ? 0 : 1);
