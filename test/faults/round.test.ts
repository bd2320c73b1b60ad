// Two servers on one PostgreSQL, two workers, and most faults, for some seconds. The long round is `npm run faults`; the
// auditor that judges it is tested by auditor.test.ts.
import { afterAll, expect, it } from 'vitest';
import { endEverything, temporaryFolder } from '../support/process.ts';
import { runRound } from './round.ts';

afterAll(endEverything);

it('loses no answer and delivers none twice while servers, workers, database and network fail', async () => {
  const seed = process.env.HOLDPOINT_SEED ?? String(Math.floor(Math.random() * 2 ** 32));
  console.log(`round: HOLDPOINT_SEED=${seed}`);
  const report = await runRound({
    seed,
    seconds: 18,
    nodes: 2,
    workers: 2,
    agents: 8,
    hosted: 5,
    answerers: 4,
    pauseMs: 3000,
    folder: temporaryFolder(),
  });
  console.log(JSON.stringify(report));
  expect(report.complaints).toEqual([]);
  expect(Object.values(report.faults).reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(4);
  expect(report.applied).toBeGreaterThan(10);
  expect(report.deliveries.delivered).toBeGreaterThan(10);
}, 600_000);
