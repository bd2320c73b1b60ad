// Cycles per second, answer → delivered, and what a cycle costs the server: every subject in every round, in turn.
import type { Generator } from './generator.ts';
import { inTurn, median, ratioOf } from './rounds.ts';
import type { MeasuredServer } from './servers.ts';

export interface Subject {
  label: string;
  server: MeasuredServer;
  acknowledge: boolean;
  client?: 'socket' | 'fetch';
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
  generator: Generator,
  subjects: readonly Subject[],
  concurrency: number,
  pace: Pace,
): Promise<Throughput[]> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < pace.rounds; round++)
    for (const subject of inTurn(subjects, round))
      samples.get(subject)?.push(await sample(generator, subject, concurrency, pace));
  const first = samples.get(subjects[0] as Subject) ?? [];
  return subjects.map((subject) => summary(subject, concurrency, samples.get(subject) ?? [], first));
}

async function sample(
  generator: Generator,
  { server, acknowledge, client = 'socket' }: Subject,
  concurrency: number,
  { warmUpMs, measureMs }: Pace,
): Promise<Sample> {
  const { name: contender, agent, person } = server;
  let before = server.cost('cpu');
  const order = { contender, agent, person, concurrency, acknowledge, client, warmUpMs, measureMs };
  const { cycles, seconds, latencyMs, generatorShare } = await generator.load(order, () => {
    before = server.cost('cpu');
  });
  const cpuMs = (await server.cost('cpu')).cpuMs - (await before).cpuMs;
  return {
    cyclesPerSecond: cycles / seconds,
    p50Ms: latencyMs.p50,
    p99Ms: latencyMs.p99,
    cpuMsPerCycle: cpuMs / cycles,
    generatorShare,
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
