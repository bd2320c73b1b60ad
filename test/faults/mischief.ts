// What goes wrong, and when: up to three hands that each draw from a bag of faults until it is empty, then fill it again, so
// that every fault happens and each meets each. Everything follows from the seed but the speed of the machine.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/seeded-random.ts';
import { type Fleet, type FleetNode, LEASE_MS } from './fleet.ts';
import type { Member } from './member.ts';
import type { TcpProxy } from './tcp-proxy.ts';

type Fault = (fleet: Fleet, random: Random) => Promise<void>;

const PROCESSES: Record<string, Fault> = {
  'kill -9 of a server': async (fleet, random) => random.pick(fleet.nodes).end('SIGKILL'),
  'kill -9 of a worker': async (fleet, random) => anyWorker(fleet, random)?.end('SIGKILL'),
  'SIGTERM to a server': async (fleet, random) => random.pick(fleet.nodes).end('SIGTERM'),
  'SIGTERM to a worker': async (fleet, random) => anyWorker(fleet, random)?.end('SIGTERM'),
  'pause of a server past the lease': (fleet, random) => pause(random.pick(fleet.nodes), random),
  'pause of a worker past the lease': (fleet, random) => pause(anyWorker(fleet, random), random),
  'restart with another clock': async (fleet, random) => {
    const node = random.pick(fleet.nodes);
    node.skewMs = random.int(-30_000, 30_000);
    await node.end('SIGKILL');
  },
};

const DATABASE: Record<string, Fault> = {
  'PostgreSQL restart': async ({ database }, random) => database?.restart('SIGINT', random.int(0, 1500)),
  'PostgreSQL immediate shutdown': async ({ database }, random) => database?.restart('SIGQUIT', random.int(0, 1500)),
  'all database connections cut': async ({ database }) => void (await database?.cutConnections(1)),
  'some database connections cut': async ({ database }, random) => {
    for (let i = random.int(2, 6); i > 0; i--) {
      await database?.cutConnections(0.3);
      await sleep(random.int(20, 300));
    }
  },
};

const LINES: Record<string, Fault> = {
  'slow line to the database': (fleet, random) => meanwhile(lineOf(fleet, random), random, slow),
  'silent line to the database': (fleet, random) => meanwhile(lineOf(fleet, random), random, silence),
  'line to the database cut': (fleet, random) => meanwhile(lineOf(fleet, random), random, cut),
  'line to the database half closed': (fleet, random) => meanwhile(lineOf(fleet, random), random, halfClose),
  'responses of the database lost': (fleet, random) => meanwhile(lineOf(fleet, random), random, swallow),
};

const DOORS: Record<string, Fault> = {
  'slow line to clients': (fleet, random) => meanwhile(doorOf(fleet, random), random, slow),
  'silent line to clients': (fleet, random) => meanwhile(doorOf(fleet, random), random, silence),
  'line to clients cut': (fleet, random) => meanwhile(doorOf(fleet, random), random, cut),
  'line to clients half closed': (fleet, random) => meanwhile(doorOf(fleet, random), random, halfClose),
  'responses to clients lost': (fleet, random) => meanwhile(doorOf(fleet, random), random, swallow),
};

export interface Mischief {
  counts: Record<string, number>;
  done: Promise<unknown>;
}

/** `pauseMs`: how long a hand rests between two faults, at most. */
export function wreak(fleet: Fleet, random: Random, stopping: () => boolean, pauseMs: number): Mischief {
  const counts: Record<string, number> = {};
  // A server with its own SQLite file has nothing between it and its database.
  const kinds = fleet.database ? [PROCESSES, DATABASE, { ...LINES, ...DOORS }] : [PROCESSES, DOORS];
  const hands = kinds.map(async (faults, i) => {
    // While the database is down nothing happens at all: it fails less often.
    const restMs = faults === DATABASE ? pauseMs * 3 : pauseMs;
    const own = random.fork(`hand ${i}`);
    let bag: string[] = [];
    while (!stopping()) {
      await sleep(own.int(restMs / 5, restMs));
      if (stopping()) return;
      if (bag.length === 0) bag = shuffled(Object.keys(faults), own);
      const name = bag.pop() as string;
      await faults[name]?.(fleet, own);
      counts[name] = (counts[name] ?? 0) + 1;
    }
  });
  return { counts, done: Promise.all(hands) };
}

async function pause(member: Member | undefined, random: Random): Promise<void> {
  member?.pause();
  await sleep(LEASE_MS + random.int(500, 3500));
  member?.wake();
}

async function meanwhile(proxy: TcpProxy | undefined, random: Random, spoil: typeof slow): Promise<void> {
  if (!proxy) return;
  await spoil(proxy, random);
  proxy.heal();
}

async function slow(proxy: TcpProxy, random: Random): Promise<void> {
  proxy.delayMs = random.int(20, 250);
  await sleep(random.int(500, 3000));
}

async function silence(proxy: TcpProxy, random: Random): Promise<void> {
  proxy.silent = true;
  await sleep(random.int(500, 4000));
}

async function cut(proxy: TcpProxy, random: Random): Promise<void> {
  proxy.refusing = random.chance(0.5);
  for (let i = random.int(1, 5); i > 0; i--) {
    proxy.cut(() => random.chance(0.7));
    await sleep(random.int(20, 400));
  }
}

async function halfClose(proxy: TcpProxy, random: Random): Promise<void> {
  for (let i = random.int(1, 4); i > 0; i--) {
    proxy.halfClose(() => random.chance(0.5));
    await sleep(random.int(20, 500));
  }
}

async function swallow(proxy: TcpProxy, random: Random): Promise<void> {
  proxy.swallowing = true;
  await sleep(random.int(200, 1500));
}

const anyWorker = ({ workers }: Fleet, random: Random): Member | undefined =>
  workers.length > 0 ? random.pick(workers) : undefined;
const lineOf = ({ nodes }: Fleet, random: Random): TcpProxy | undefined => random.pick<FleetNode>(nodes).line;
/** One server's door, or the one that workers come in by. */
const doorOf = ({ nodes, balancer }: Fleet, random: Random): TcpProxy =>
  random.pick([balancer, ...nodes.map((node) => node.door)]);

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.int(0, left.length - 1), 1)[0] as T);
}
