// One server alone and two servers together on PostgreSQL beside the reference on PostgreSQL with two servers, and SQLite
// beside its reference, in one run: `node bench/scaling.ts [--rounds N] [--seconds N]`. On two servers an ask raised at one
// is answered at the other. Prints cycles per second, ratios to the reference of the same database, and the CPU of servers
// and database that one cycle costs.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../test/faults/database.ts';
import { Generator } from './generator.ts';
import { describeMachine } from './machine.ts';
import { inTurn, median, ratioOf } from './rounds.ts';
import { type MeasuredServer, startServer } from './servers.ts';

const WARM_UP_MS = 700;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1,32,256' },
  },
});

interface Subject {
  label: string;
  servers: MeasuredServer[];
  /** What it is compared with. */
  reference: string;
  /** The reference on SQLite has one stream for all clients. */
  generators: number;
}

interface Sample {
  cyclesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMsPerCycle: number;
}

const root = mkdtempSync(join(tmpdir(), 'holdpoint-scaling-'));
const machine = describeMachine();
const generators = [new Generator(), new Generator()];
const database = await Database.start();
const open: MeasuredServer[] = [];

try {
  const on = (HOLDPOINT_DATABASE_URL: string) => ({
    HOLDPOINT_DATABASE_URL,
    HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
  });
  const shared = on(database.url());
  const alone = await start('alone', on(await database.another('alone')));
  const nodes = [await start('node-1', shared), await start('node-2', shared)];
  const references = [await start('bare-1', shared, 'reference'), await start('bare-2', shared, 'reference')];
  const onPg = 'reference on PostgreSQL, two servers';
  const onSqlite = 'reference on SQLite';
  const subjects: Subject[] = [
    { label: onPg, servers: references, reference: onPg, generators: 2 },
    { label: 'PostgreSQL, one server', servers: [alone], reference: onPg, generators: 2 },
    { label: 'PostgreSQL, two servers', servers: nodes, reference: onPg, generators: 2 },
    { label: onSqlite, servers: [await start('bare-sqlite', {}, 'reference')], reference: onSqlite, generators: 1 },
    { label: 'SQLite', servers: [await start('sqlite', {})], reference: onSqlite, generators: 1 },
  ];
  print(`${machine.cpu}, ${machine.cores} cores, load before ${machine.loadBefore.toFixed(1)}, Node ${machine.node}`);
  print('| in flight | what | cycles/s | ratio | answer → delivered p50 ms | p99 ms | CPU ms a cycle |');
  print('|---|---|---|---|---|---|---|');
  for (const concurrency of values.concurrency.split(',').map(Number)) await compare(subjects, concurrency);
} finally {
  for (const generator of generators) generator.stop();
  for (const server of open) await server.stop();
  await database.stop();
  rmSync(root, { recursive: true, force: true });
}

async function start(
  name: string,
  env: Record<string, string>,
  contender: MeasuredServer['name'] = 'holdpoint',
): Promise<MeasuredServer> {
  const folder = join(root, name);
  mkdirSync(folder, { mode: 0o700 });
  const server = await startServer(contender, folder, [], env);
  open.push(server);
  return server;
}

async function compare(subjects: readonly Subject[], concurrency: number): Promise<void> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const subject of inTurn(subjects, round)) samples.get(subject)?.push(await sample(subject, concurrency));
  const all = (label: string, key: keyof Sample) =>
    [...samples].flatMap(([subject, own]) => (subject.label === label ? own.map((one) => one[key]) : []));
  for (const { label, reference } of subjects) {
    const middle = (key: keyof Sample) => median(all(label, key));
    const ratio = ratioOf(all(label, 'cyclesPerSecond'), all(reference, 'cyclesPerSecond')).toFixed(2);
    const times = `${middle('p50Ms').toFixed(1)} | ${middle('p99Ms').toFixed(0)} | ${middle('cpuMsPerCycle').toFixed(2)}`;
    print(`| ${concurrency} | ${label} | ${middle('cyclesPerSecond').toFixed(0)} | ${ratio} | ${times} |`);
  }
}

async function sample({ servers, generators: most }: Subject, concurrency: number): Promise<Sample> {
  const cpu = async () => {
    const costs = await Promise.all(servers.map((server) => server.cost('cpu')));
    return costs.reduce((sum, { cpuMs }) => sum + cpuMs, databaseCpuMs());
  };
  let before: Promise<number> | undefined;
  const loaded = generators.slice(0, Math.min(most, concurrency));
  const results = await Promise.all(
    loaded.map((generator, i) => {
      const { agent, name: contender } = servers[i % servers.length] as MeasuredServer;
      const { person } = servers[(i + 1) % servers.length] as MeasuredServer;
      const lanes = { concurrency: concurrency / loaded.length, acknowledge: false };
      const pace = { warmUpMs: WARM_UP_MS, measureMs: Number(values.seconds) * 1000 };
      return generator.load({ contender, agent, person, ...lanes, ...pace }, () => {
        before ??= cpu();
      });
    }),
  );
  const cpuMs = (await cpu()) - ((await before) ?? 0);
  return {
    cyclesPerSecond: results.reduce((sum, { cycles, seconds }) => sum + cycles / seconds, 0),
    p50Ms: median(results.map(({ latencyMs }) => latencyMs.p50)),
    p99Ms: median(results.map(({ latencyMs }) => latencyMs.p99)),
    cpuMsPerCycle: cpuMs / results.reduce((sum, { cycles }) => sum + cycles, 0),
  };
}

/** Of the database's process and its children, in hundredths of a second as the kernel counts them. */
function databaseCpuMs(): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/stat`, 'utf8')];
      } catch {
        return [];
      }
    })
    .map((stat) => ({ pid: Number.parseInt(stat, 10), fields: stat.slice(stat.lastIndexOf(')') + 2).split(' ') }));
  const own = stats.filter(({ pid, fields }) => pid === database.pid || Number(fields[1]) === database.pid);
  return own.reduce((sum, { fields }) => sum + 10 * (Number(fields[11]) + Number(fields[12])), 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
