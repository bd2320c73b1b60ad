// What the results are held against: one table with the target beside each figure. Says what was measured and whether
// it is enough; why, is in the tables below it.
import { PEERS } from './postgres.ts';
import type { Results } from './report.ts';
import type { Throughput } from './throughput.ts';

export interface Target {
  what: string;
  target: string;
  measured: string;
  isMet: boolean;
}

const ACKNOWLEDGED = 'holdpoint, acknowledged';
/** Of the reference's cycles per second, by how many are in flight. */
const SQLITE_RATIOS = [
  { label: 'holdpoint', concurrency: 1, least: 0.55 },
  { label: 'holdpoint', concurrency: 32, least: 0.4 },
  { label: 'holdpoint', concurrency: 256, least: 0.4 },
  { label: ACKNOWLEDGED, concurrency: 32, least: 0.3 },
  { label: ACKNOWLEDGED, concurrency: 256, least: 0.3 },
];

export function targetsOf(results: Results): Target[] {
  const { throughput, endToEnd, postgres, postgresAsks, history, waiters } = results;
  const at = (found: readonly Throughput[], label: string, concurrency: number): Throughput | undefined =>
    found.find((one) => one.label === label && one.concurrency === concurrency);
  const ratios = (found: readonly Throughput[], client: string): Target[] =>
    SQLITE_RATIOS.map(({ label, concurrency, least }) => {
      const what = `SQLite, ${label}: cycles/s at ${concurrency} to the reference's, ${client}`;
      return atLeast(what, least, at(found, label, concurrency)?.ratio.cyclesPerSecond);
    });
  const [alone, two] = ['holdpoint, one server', 'holdpoint, two servers'];
  const apart = `${two}, each session at one`;
  const atOne = (concurrency: number) => at(postgres, alone, concurrency);
  const peer = Math.max(...PEERS.map((name) => at(postgres, name, 32)?.cyclesPerSecond ?? Number.NaN));
  const onTwo = (label: string, concurrency: number): Target =>
    atMost(
      `PostgreSQL, ${label}: CPU a cycle at ${concurrency} to one server's`,
      1.25,
      over(at(postgres, label, concurrency)?.cpuMsPerCycle, atOne(concurrency)?.cpuMsPerCycle),
    );
  const [empty] = history;
  return [
    ...ratios(endToEnd, 'by fetch'),
    ...ratios(throughput, 'bare sockets'),
    atLeast('PostgreSQL, one server: cycles/s at 1 to the reference', 0.5, atOne(1)?.ratio.cyclesPerSecond),
    atLeast('PostgreSQL, one server: cycles/s at 32 to the reference', 0.45, atOne(32)?.ratio.cyclesPerSecond),
    atMost('PostgreSQL, one server: ms of CPU a cycle at 32, with the database', 1.1, atOne(32)?.cpuMsPerCycle),
    atLeast('PostgreSQL, one server: cycles/s at 32 to the best peer', 2.5, over(atOne(32)?.cyclesPerSecond, peer)),
    ...[two, apart].flatMap((label) => [onTwo(label, 32), onTwo(label, 256)]),
    ...history
      .filter((one) => one.label !== empty?.label && one.concurrency === 32)
      .map(({ label, ratio }) =>
        atLeast(`cycles/s at 32 with ${label}, to the empty database's`, 0.85, ratio.cyclesPerSecond),
      ),
    ...waiters
      .filter(({ contender }) => contender === 'holdpoint')
      .map(({ what, count, rssBytesEach }) =>
        what === 'asks'
          ? atMost(`resident kB for each of ${count} parked asks, on one stream`, 2.048, rssBytesEach / 1000)
          : atMost(`resident kB for each of ${count} parked ${what}`, 20, rssBytesEach / 1000),
      ),
    atMost(
      `PostgreSQL: resident kB for each of ${postgresAsks.count} parked asks, on one stream`,
      2.048,
      postgresAsks.rssBytesEach / 1000,
    ),
  ];
}

const over = (value = Number.NaN, base = Number.NaN): number => value / base;

const atLeast = (what: string, least: number, measured = Number.NaN): Target => ({
  what,
  target: `≥ ${least}`,
  measured: measured.toFixed(2),
  isMet: measured >= least,
});

const atMost = (what: string, most: number, measured = Number.NaN): Target => ({
  what,
  target: `≤ ${most}`,
  measured: measured.toFixed(2),
  isMet: measured <= most,
});
