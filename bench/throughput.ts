// Cycles per second, answer → delivered, and what a cycle costs the servers: every subject in every round, in turn. The
// generators share the lanes of a subject.
import type { Generator } from './generator.ts';
import type { LoadResult } from './load.ts';
import { inTurn, median, ratioOf } from './rounds.ts';
import type { MeasuredServer } from './servers.ts';

export interface Subject {
  label: string;
  /** With two, an ask that is raised at one is answered at the other. */
  servers: readonly MeasuredServer[];
  /** It is answered at the same one: each session is used at one server. */
  isApart?: boolean;
  acknowledge: boolean;
  client?: 'socket' | 'fetch';
  /** CPU of processes that work for the servers, so far. */
  otherCpuMs?(): number;
}

export interface Pace {
  rounds: number;
  warmUpMs: number;
  measureMs: number;
}

export interface Throughput {
  label: string;
  concurrency: number;
  cyclesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMsPerCycle: number;
  /** CPU of the load generator as a share of one core. */
  generatorShare: number;
  /** To the first subject of the same rounds. */
  ratio: { cyclesPerSecond: number; p50Ms: number; p99Ms: number; cpuMsPerCycle: number };
}

interface Sample {
  cyclesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMsPerCycle: number;
  generatorShare: number;
}

export async function measureThroughput(
  generators: readonly Generator[],
  subjects: readonly Subject[],
  concurrency: number,
  pace: Pace,
): Promise<Throughput[]> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < pace.rounds; round++)
    for (const subject of inTurn(subjects, round))
      samples.get(subject)?.push(await sample(generators, subject, concurrency, pace));
  const first = samples.get(subjects[0] as Subject) ?? [];
  return subjects.map((subject) => summary(subject, concurrency, samples.get(subject) ?? [], first));
}

async function sample(
  generators: readonly Generator[],
  { servers, isApart = false, acknowledge, client = 'socket', otherCpuMs = () => 0 }: Subject,
  concurrency: number,
  pace: Omit<Pace, 'rounds'>,
): Promise<Sample> {
  const { warmUpMs, measureMs } = pace;
  const cpuMs = async () => {
    const costs = await Promise.all(servers.map((server) => server.cost('cpu')));
    return costs.reduce((sum, cost) => sum + cost.cpuMs, otherCpuMs());
  };
  let before: Promise<number> | undefined;
  const loaded = generators.slice(0, concurrency);
  const results = await Promise.all(
    loaded.map((generator, i) => {
      const { agent, name: contender } = servers[i % servers.length] as MeasuredServer;
      const { person } = servers[(i + (isApart ? 0 : 1)) % servers.length] as MeasuredServer;
      const lanes = { concurrency: concurrency / loaded.length, acknowledge, client, warmUpMs, measureMs };
      return generator.load({ contender, agent, person, ...lanes }, () => {
        before ??= cpuMs();
      });
    }),
  );
  const spentMs = (await cpuMs()) - ((await before) ?? 0);
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    cyclesPerSecond: sum(({ cycles, seconds }) => cycles / seconds),
    p50Ms: median(results.map(({ latencyMs }) => latencyMs.p50)),
    p99Ms: median(results.map(({ latencyMs }) => latencyMs.p99)),
    cpuMsPerCycle: spentMs / sum(({ cycles }) => cycles),
    generatorShare: sum(({ generatorShare }) => generatorShare) / results.length,
  };
}

function summary({ label }: Subject, concurrency: number, own: Sample[], first: Sample[]): Throughput {
  const all = (key: keyof Sample) => own.map((s) => s[key]);
  const ratio = (key: keyof Sample) =>
    ratioOf(
      all(key),
      first.map((s) => s[key]),
    );
  return {
    label,
    concurrency,
    cyclesPerSecond: median(all('cyclesPerSecond')),
    p50Ms: median(all('p50Ms')),
    p99Ms: median(all('p99Ms')),
    cpuMsPerCycle: median(all('cpuMsPerCycle')),
    generatorShare: median(all('generatorShare')),
    ratio: {
      cyclesPerSecond: ratio('cyclesPerSecond'),
      p50Ms: ratio('p50Ms'),
      p99Ms: ratio('p99Ms'),
      cpuMsPerCycle: ratio('cpuMsPerCycle'),
    },
  };
}
