// The long run of the shell fuzz: `npm run fuzz:shell -- --lines 20000`. Ends with 1 if anything ran that was not evaluated.
import { parseArgs } from 'node:util';
import { seeded } from '../support/seeded-random.ts';
import { fuzzShell } from './shell-run.ts';

const { values } = parseArgs({ options: { lines: { type: 'string', default: '20000' } } });
const random = seeded('shell fuzz');
const BATCH = 500;
const total = { lines: 0, ran: 0, allowed: 0, complaints: 0 };
for (let left = Number(values.lines); left > 0; left -= BATCH) {
  const report = fuzzShell(random, Math.min(BATCH, left));
  for (const complaint of report.complaints) console.log(complaint);
  total.lines += report.lines;
  total.ran += report.ran;
  total.allowed += report.allowed;
  total.complaints += report.complaints.length;
  console.log(JSON.stringify(total));
}
process.exitCode = total.complaints === 0 ? 0 : 1;
