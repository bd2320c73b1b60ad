// SQLite beside one server on PostgreSQL beside three servers on the same PostgreSQL, all on this machine, in one run:
// `node bench/scaling.ts [--rounds N] [--seconds N]`. Three load generators for every subject; on three servers an ask
// raised at one is answered at the next. Prints a table of cycles per second and ratios to one server on PostgreSQL.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../test/faults/database.ts';
import { Generator } from './generator.ts';
import { describeMachine } from './machine.ts';
import { inTurn, median, ratioOf } from './rounds.ts';
import { type MeasuredServer, startServer } from './servers.ts';

const GENERATORS = 3;
const WARM_UP_MS = 500;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '3,30,120' },
  },
});

interface Subject {
  label: string;
  servers: MeasuredServer[];
}

interface Sample {
  cyclesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

const root = mkdtempSync(join(tmpdir(), 'holdpoint-scaling-'));
const machine = describeMachine();
const generators = Array.from({ length: GENERATORS }, () => new Generator());
const database = await Database.start();
const open: MeasuredServer[] = [];

try {
  const onPostgres = {
    HOLDPOINT_DATABASE_URL: database.url(),
    HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
  };
  const sqlite = [await start('sqlite', {})];
  const nodes = [
    await start('node-1', onPostgres),
    await start('node-2', onPostgres),
    await start('node-3', onPostgres),
  ];
  const subjects: Subject[] = [
    { label: 'PostgreSQL, one server', servers: nodes.slice(0, 1) },
    { label: 'PostgreSQL, three servers', servers: nodes },
    { label: 'SQLite, one server', servers: sqlite },
  ];
  print(`${machine.cpu}, ${machine.cores} cores, load before ${machine.loadBefore.toFixed(1)}, Node ${machine.node}`);
  print('| in flight | what | cycles/s | ratio | p50 ms | p99 ms |');
  print('|---|---|---|---|---|---|');
  for (const concurrency of values.concurrency.split(',').map(Number)) await compare(subjects, concurrency);
} finally {
  for (const generator of generators) generator.stop();
  for (const server of open) await server.stop();
  await database.stop();
  rmSync(root, { recursive: true, force: true });
}

async function start(name: string, env: Record<string, string>): Promise<MeasuredServer> {
  const folder = join(root, name);
  mkdirSync(folder);
  const server = await startServer('holdpoint', folder, [], env);
  open.push(server);
  return server;
}

async function compare(subjects: readonly Subject[], concurrency: number): Promise<void> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const subject of inTurn(subjects, round)) samples.get(subject)?.push(await sample(subject, concurrency));
  const all = (subject: Subject, key: keyof Sample) => (samples.get(subject) ?? []).map((one) => one[key]);
  const base = all(subjects[0] as Subject, 'cyclesPerSecond');
  for (const subject of subjects) {
    const [cycles, p50, p99] = (['cyclesPerSecond', 'p50Ms', 'p99Ms'] as const).map((key) => median(all(subject, key)));
    const ratio = ratioOf(all(subject, 'cyclesPerSecond'), base);
    print(
      `| ${concurrency} | ${subject.label} | ${cycles?.toFixed(0)} | ${ratio.toFixed(2)} | ${p50?.toFixed(1)} | ${p99?.toFixed(0)} |`,
    );
  }
}

async function sample({ servers }: Subject, concurrency: number): Promise<Sample> {
  const results = await Promise.all(
    generators.map((generator, i) => {
      const agent = (servers[i % servers.length] as MeasuredServer).agent;
      const person = (servers[(i + 1) % servers.length] as MeasuredServer).person;
      const lanes = { concurrency: concurrency / GENERATORS, acknowledge: true };
      const pace = { warmUpMs: WARM_UP_MS, measureMs: Number(values.seconds) * 1000 };
      return generator.load({ contender: 'holdpoint', agent, person, ...lanes, ...pace }, () => {});
    }),
  );
  return {
    cyclesPerSecond: results.reduce((sum, { cycles, seconds }) => sum + cycles / seconds, 0),
    p50Ms: median(results.map(({ latencyMs }) => latencyMs.p50)),
    p99Ms: median(results.map(({ latencyMs }) => latencyMs.p99)),
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
