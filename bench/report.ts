// RESULTS.md from the results: what was measured, how, and what it says against the targets. Ratios first; absolute
// figures are there to be checked, not to be compared with another machine's.
import type { Machine } from './machine.ts';
import type { WaiterCost } from './memory.ts';
import type { StartUp } from './start-up.ts';
import { targetsOf } from './targets.ts';
import type { Pace, Throughput } from './throughput.ts';

export interface Results {
  date: string;
  quick: boolean;
  machine: Machine;
  pace: Pace;
  throughput: Throughput[];
  /** The same cycles by the HTTP client that users have. */
  endToEnd: Throughput[];
  postgres: Throughput[];
  postgresAsks: WaiterCost;
  history: Throughput[];
  startUp: StartUp[];
  waiters: WaiterCost[];
  minutes: number;
  /** One-minute load average after the run; about 2 is the bench's own. */
  loadAfter: number;
}

export function report(results: Results): string {
  return [
    '# Bench results',
    `Written by \`npm run bench${results.quick ? ' -- --quick' : ''}\` on ${results.date} in ${results.minutes.toFixed(0)} minutes; do not edit.`,
    results.quick ? '**A quick run: short rounds and small databases. Good for a glance, not for a comparison.**' : '',
    machineText(results),
    '![Cycles per second as ratios](plot.svg)',
    '## Against the targets',
    targetTable(results),
    '## Cycles',
    CYCLE_TEXT,
    throughputTable(results.throughput, 'contender'),
    '## Cycles, end to end',
    END_TO_END_TEXT,
    throughputTable(results.endToEnd, 'contender, by fetch'),
    '## On PostgreSQL',
    POSTGRES_TEXT,
    throughputTable(results.postgres, 'contender'),
    '## With history',
    'Acknowledged cycles on databases that already hold asks, as ratios to the empty one of the same rounds. The servers run side by side; each has all of its history on disk, with its events and indexes.',
    throughputTable(results.history, 'database'),
    '## Parked waiters',
    WAITER_TEXT,
    waiterTable([...results.waiters.map(onSqlite), { ...results.postgresAsks, server: 'holdpoint, PostgreSQL' }]),
    '## Start-up',
    'From the spawned process to its ready line.',
    startUpTable(results.startUp),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

const CYCLE_TEXT = `One **cycle**: an agent asks → another client answers by id → the answer has reached the agent on its event stream and the
answerer has its response. Everything that was confirmed is on disk (\`synchronous=FULL\`) before anyone is told. *Acknowledged* cycles also send
\`POST /v1/asks/{id}/delivered\`, a third durable write that the reference does not have. Each lane is a session and a run of its own;
the agents share one event stream; both sides use the operator token.

The **reference** is [reference.ts](reference.ts): \`node:http\` + \`node:sqlite\`, group commit, one event stream, and no identity, validation, history,
events, hashes, expiry or redelivery. Ratios are medians of each round's own ratio. CPU is what the server process used while cycles ran.
The generator's share is its own CPU as a part of one core: it is not the limit while that stays well below 1. It speaks HTTP by hand over bare sockets, so
that next to nothing is measured but the servers.`;

const END_TO_END_TEXT = `The same cycles by the client that users have: both sides of each lane call with Node's own \`fetch\` instead of a bare socket, for both servers alike.
Here the client takes most of the time of a cycle: where the generator's share is near 1, what is compared is what a program that uses the server sees.`;

const POSTGRES_TEXT = `The same cycles over bare sockets from two generators, with one PostgreSQL for all. On two servers every ask is answered at another server than the one
it was raised at, except for *each session at one*, as where a proxy keeps the people and the agent of a session on one server. The reference is [reference-postgres.ts](reference-postgres.ts): one statement for all requests that arrived during the one before it, and a
notification to the other server. CPU is that of the servers and of the database together. The peers have their own durable defaults: Restate a handler for each ask that waits for an
awakeable, in its own store; DBOS a workflow for each ask that receives a message, on the same PostgreSQL (\`bench/peers\`).`;

const WAITER_TEXT = `Resident memory of the server after a forced collection, with the waiters minus without them, divided by their number. *asks*: pending asks with one
event stream open. *polls*: one \`GET /v1/asks/{id}?wait_ms=60000\` for each of so many asks that were raised and read before. *streams*: idle event streams. The reference's
polls are bare \`node:http\` responses that are never written to.`;

function machineText({ machine, pace, loadAfter }: Results): string {
  const { cpu, cores, memoryGiB, system, node, loadBefore } = machine;
  return `${cores} cores (${cpu}), ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}; load before the run ${loadBefore.toFixed(1)}, after it ${loadAfter.toFixed(1)} (about 2 is the bench's own). Servers and load generator share these cores, nothing is pinned.
${pace.rounds} interleaved rounds of ${pace.measureMs / 1000} s after ${pace.warmUpMs / 1000} s of warm-up; medians.`;
}

function targetTable(results: Results): string {
  const rows = targetsOf(results).map(({ what, target, measured, isMet }) => [
    what,
    target,
    measured,
    isMet ? 'yes' : '**no**',
  ]);
  return table(['what', 'target', 'measured', 'met'], rows);
}

function throughputTable(found: readonly Throughput[], subject: string): string {
  const head = [
    subject,
    'at',
    'cycles/s',
    'ratio',
    'answer → delivered p50 ms',
    'ratio',
    'p99 ms',
    'ratio',
    'CPU ms a cycle',
    'ratio',
    'generator',
  ];
  const rows = found.map((f) => [
    f.label,
    String(f.concurrency),
    fixed(f.cyclesPerSecond, 0),
    `**${fixed(f.ratio.cyclesPerSecond, 2)}**`,
    fixed(f.p50Ms, 2),
    fixed(f.ratio.p50Ms, 2),
    fixed(f.p99Ms, 2),
    fixed(f.ratio.p99Ms, 2),
    fixed(f.cpuMsPerCycle, 3),
    fixed(f.ratio.cpuMsPerCycle, 2),
    fixed(f.generatorShare, 2),
  ]);
  return table(head, rows);
}

const onSqlite = (cost: WaiterCost) => ({ ...cost, server: `${cost.contender}, SQLite` });

function waiterTable(waiters: readonly (WaiterCost & { server: string })[]): string {
  const rows = waiters.map((w) => [
    w.what,
    String(w.count),
    w.server,
    `${fixed(w.rssBytesEach / 1000, 1)} kB`,
    `${fixed(w.heapBytesEach / 1000, 1)} kB`,
  ]);
  return table(['parked', 'how many', 'server', 'resident, each', 'of it heap and buffers'], rows);
}

const startUpTable = (found: readonly StartUp[]): string =>
  table(
    ['server', 'ms', 'ratio'],
    found.map((s) => [s.label, fixed(s.ms, 0), fixed(s.ratio, 2)]),
  );

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const fixed = (value: number | undefined, digits: number): string =>
  value === undefined ? '–' : value.toFixed(digits);
