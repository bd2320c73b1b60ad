// What the results are held against: one table with the target beside each figure. Says what was measured and whether
// it is enough; why, is in the tables below it.
import type { Results } from './report.ts';
import type { Throughput } from './throughput.ts';

export interface Target {
  what: string;
  target: string;
  measured: string;
  isMet: boolean;
}

const LABELS = ['holdpoint', 'holdpoint, acknowledged'];

export function targetsOf({ throughput, endToEnd, history, waiters }: Results): Target[] {
  const at = (found: readonly Throughput[], label: string, concurrency: number): Throughput[] =>
    found.filter((one) => one.label === label && one.concurrency === concurrency);
  const [empty] = history;
  return [
    ...LABELS.flatMap((label) => at(throughput, label, 32)).map(({ label, ratio }) =>
      atLeast(`cycles/s at 32 to the reference's, bare sockets (${label})`, 0.5, ratio.cyclesPerSecond),
    ),
    ...LABELS.flatMap((label) => at(endToEnd, label, 32)).map(({ label, ratio }) =>
      atLeast(`cycles/s at 32 to the reference's, end to end by fetch (${label})`, 0.5, ratio.cyclesPerSecond),
    ),
    ...at(throughput, 'holdpoint', 32).map(({ ratio }) =>
      atMost("CPU of the server a cycle at 32 to the reference's", 2, ratio.cpuMsPerCycle),
    ),
    ...at(throughput, 'holdpoint', 1).map(({ ratio }) =>
      atMost("answer → delivered p50 at 1 to the reference's", 1.5, ratio.p50Ms),
    ),
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
  ];
}

const atLeast = (what: string, least: number, measured: number): Target => ({
  what,
  target: `≥ ${least}`,
  measured: measured.toFixed(2),
  isMet: measured >= least,
});

const atMost = (what: string, most: number, measured: number): Target => ({
  what,
  target: `≤ ${most}`,
  measured: measured.toFixed(2),
  isMet: measured <= most,
});
