// `npm run bench`: everything in one run, in interleaved rounds, as ratios to the reference of the same run. Writes
// results.json, RESULTS.md and plot.svg beside this file. `--quick` takes about a minute and says so in its results.
// `--only sqlite` (or postgres, history, waiters) measures one part, prints its ratios and writes nothing.
import { constants, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ContenderName } from './contender.ts';
import { Generator } from './generator.ts';
import { describeMachine } from './machine.ts';
import { measureWaiters, type WaiterCost, type Waiters } from './memory.ts';
import { plot } from './plot.ts';
import { type OnPostgres, startOnPostgres } from './postgres.ts';
import { type Results, report } from './report.ts';
import { type History, seed } from './seed.ts';
import { type MeasuredServer, startServer } from './servers.ts';
import { measureStartUp, type StartUp, type StartUpSubject } from './start-up.ts';
import { measureThroughput, type Pace, type Subject, type Throughput } from './throughput.ts';

interface Plan {
  concurrencies: number[];
  pace: Pace;
  histories: History[];
  historyConcurrencies: number[];
  waiters: Waiters[];
  waiterPace: Pace;
  startUps: number;
}

const waiterCounts = (asks: number, polls: number, streams: number): Plan['waiters'] => [
  { what: 'asks', count: asks },
  { what: 'polls', count: polls },
  { what: 'streams', count: streams },
];

const FULL: Plan = {
  concurrencies: [1, 32, 256],
  pace: { rounds: 5, warmUpMs: 500, measureMs: 2500 },
  histories: [
    { pending: 0, ended: 1_000_000 },
    { pending: 10_000, ended: 1_000_000 },
    { pending: 100_000, ended: 1_000_000 },
  ],
  historyConcurrencies: [1, 32, 256],
  waiters: waiterCounts(5000, 5000, 1000),
  waiterPace: { rounds: 3, warmUpMs: 0, measureMs: 4000 },
  startUps: 7,
};

const QUICK: Plan = {
  ...FULL,
  pace: { rounds: 2, warmUpMs: 300, measureMs: 700 },
  histories: [{ pending: 10_000, ended: 20_000 }],
  historyConcurrencies: [32],
  waiters: waiterCounts(1000, 1000, 500),
  waiterPace: { rounds: 1, warmUpMs: 0, measureMs: 1500 },
  startUps: 2,
};

const PARTS = { sqlite: throughput, postgres, history: histories, waiters };

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, out: { type: 'string' } },
});
const plan = flags.quick ? QUICK : FULL;
const root = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
const generator = new Generator();
const secondGenerator = new Generator();
const servers: MeasuredServer[] = [];
let onPostgres: OnPostgres | undefined;
let folders = 0;

try {
  await main();
} finally {
  generator.stop();
  secondGenerator.stop();
  for (const server of servers) await server.stop();
  await onPostgres?.database.stop();
  rmSync(root, { recursive: true, force: true });
}

async function main(): Promise<void> {
  if (flags.only !== undefined) {
    const part = PARTS[flags.only as keyof typeof PARTS];
    if (!part) throw new Error(`There is no part “${flags.only}”; expected one of ${Object.keys(PARTS).join(', ')}.`);
    await part();
    return;
  }
  const startedAt = Date.now();
  const machine = describeMachine();
  const results: Results = {
    date: new Date(startedAt).toISOString().slice(0, 10),
    quick: flags.quick === true,
    machine,
    pace: plan.pace,
    ...(await throughput()),
    ...(await postgres()),
    ...(await histories()),
    waiters: await waiters(),
    minutes: 0,
    loadAfter: 0,
  };
  results.minutes = (Date.now() - startedAt) / 60_000;
  results.loadAfter = loadavg()[0] ?? 0;
  const out = flags.out ?? import.meta.dirname;
  writeFileSync(join(out, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(out, 'plot.svg'), plot(results));
  writeFileSync(join(out, 'RESULTS.md'), report(results));
  say(`written to ${join(out, 'RESULTS.md')}`);
}

async function throughput(): Promise<{ throughput: Throughput[]; endToEnd: Throughput[] }> {
  const reference = await start('reference', newFolder());
  const holdpoint = await start('holdpoint', newFolder());
  const subjects: Subject[] = [
    { label: 'reference', servers: [reference], acknowledge: false },
    { label: 'holdpoint', servers: [holdpoint], acknowledge: false },
    { label: 'holdpoint, acknowledged', servers: [holdpoint], acknowledge: true },
  ];
  await measure(subjects, 32, { ...plan.pace, rounds: 1 }, 'warming up');
  const found: Throughput[] = [];
  for (const concurrency of plan.concurrencies)
    found.push(...(await measure(subjects, concurrency, plan.pace, `concurrency ${concurrency}`)));
  const endToEnd: Throughput[] = [];
  const fetching = subjects.map((subject) => ({ ...subject, client: 'fetch' as const }));
  for (const concurrency of plan.concurrencies)
    endToEnd.push(...(await measure(fetching, concurrency, plan.pace, `with fetch, concurrency ${concurrency}`)));
  await reference.stop();
  await holdpoint.stop();
  return { throughput: found, endToEnd };
}

async function postgres(): Promise<{ postgres: Throughput[]; postgresAsks: WaiterCost }> {
  const { subjects, another } = await onPostgresServers();
  const both = [generator, secondGenerator];
  await measure(subjects, 32, { ...plan.pace, rounds: 1 }, 'warming up on PostgreSQL', both);
  const found: Throughput[] = [];
  for (const concurrency of plan.concurrencies)
    found.push(...(await measure(subjects, concurrency, plan.pace, `on PostgreSQL, concurrency ${concurrency}`, both)));
  for (const { servers: own } of subjects) for (const server of own) await server.stop();
  const [asks] = plan.waiters as [Waiters];
  let databases = 0;
  const env = () => another(`parked${databases++}`);
  const postgresAsks = await measureWaiters(generator, newFolder, 'holdpoint', asks, plan.waiterPace, env);
  say(`${asks.count} parked asks on PostgreSQL: ${(postgresAsks.rssBytesEach / 1000).toFixed(1)} kB each`);
  return { postgres: found, postgresAsks };
}

async function onPostgresServers(): Promise<OnPostgres> {
  onPostgres = await startOnPostgres(start, newFolder);
  return onPostgres;
}

async function measure(
  subjects: Subject[],
  concurrency: number,
  pace: Pace,
  what: string,
  generators = [generator],
): Promise<Throughput[]> {
  say(`cycles: ${what}`);
  const found = await measureThroughput(generators, subjects, concurrency, pace);
  for (const f of found)
    say(
      `  ${f.label}: ${f.cyclesPerSecond.toFixed(0)}/s, ratio ${f.ratio.cyclesPerSecond.toFixed(2)}, ` +
        `${f.cpuMsPerCycle.toFixed(3)} ms of CPU a cycle`,
    );
  return found;
}

/** The same load on databases with history, all running side by side, and how long each takes to start. */
async function histories(): Promise<{ history: Throughput[]; startUp: StartUp[] }> {
  const template = newFolder();
  const [{ ended }] = plan.histories as [History];
  say(`seeding ${ended} ended asks`);
  await seed(template, { pending: 0, ended }, '1');
  const empty: StartUpSubject = { label: 'holdpoint, empty', contender: 'holdpoint', folder: newFolder() };
  const starts = [empty];
  for (const [i, { pending }] of plan.histories.entries()) {
    const isLast = i === plan.histories.length - 1;
    const folder = isLast ? template : newFolder();
    if (!isLast) cpSync(template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
    if (pending > 0) say(`seeding ${pending} pending asks`);
    await seed(folder, { pending, ended: 0 }, '2');
    starts.push({ label: labelOf({ pending, ended }), contender: 'holdpoint', folder });
  }
  say('start-up');
  const reference: StartUpSubject = { label: 'reference, empty', contender: 'reference', folder: newFolder() };
  const startUp = await measureStartUp([empty, starts.at(-1) as StartUpSubject, reference], plan.startUps);
  const subjects: Subject[] = [];
  for (const { label, folder } of starts)
    subjects.push({ label, servers: [await start('holdpoint', folder)], acknowledge: true });
  const history: Throughput[] = [];
  await measure(subjects, 32, { ...plan.pace, rounds: 1 }, 'warming up');
  for (const concurrency of plan.historyConcurrencies)
    history.push(...(await measure(subjects, concurrency, plan.pace, `with history, concurrency ${concurrency}`)));
  for (const { servers: own } of subjects) for (const server of own) await server.stop();
  return { history, startUp };
}

function labelOf({ pending, ended }: History): string {
  return `${pending.toLocaleString('en')} pending, ${ended.toLocaleString('en')} ended`;
}

async function waiters(): Promise<WaiterCost[]> {
  const found: WaiterCost[] = [];
  for (const wanted of plan.waiters)
    for (const contender of ['reference', 'holdpoint'] as const) {
      const cost = await measureWaiters(generator, newFolder, contender, wanted, plan.waiterPace);
      say(`${wanted.count} parked ${wanted.what}, ${contender}: ${(cost.rssBytesEach / 1000).toFixed(1)} kB each`);
      found.push(cost);
    }
  return found;
}

async function start(name: ContenderName, folder: string, env: Record<string, string> = {}): Promise<MeasuredServer> {
  const server = await startServer(name, folder, [], env);
  servers.push(server);
  return server;
}

function newFolder(): string {
  const folder = join(root, String(folders++));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
