// What a parked waiter costs the server: resident memory after a forced collection, with and without the waiters. Each
// figure comes from fresh servers that were warmed up first, because a process never gives all of its memory back.
import type { ContenderName } from './contender.ts';
import type { Generator } from './generator.ts';
import type { ParkOrder } from './park.ts';
import { median } from './rounds.ts';
import { type MeasuredServer, startServer } from './servers.ts';
import type { Pace } from './throughput.ts';

export interface WaiterCost {
  contender: ContenderName;
  what: ParkOrder['what'];
  count: number;
  rssBytesEach: number;
  /** The part that is V8's heap and buffers; the rest is the allocator, sockets and the database's page cache. */
  heapBytesEach: number;
}

export interface Waiters {
  what: ParkOrder['what'];
  count: number;
}

const WARM_UP_CONCURRENCY = 64;
/** Until the last request has arrived and the server is idle. */
const SETTLE_MS = 1500;

export async function measureWaiters(
  generator: Generator,
  folder: () => string,
  contender: ContenderName,
  waiters: Waiters,
  pace: Pace,
  env: () => Promise<Record<string, string>> = async () => ({}),
): Promise<WaiterCost> {
  const rss: number[] = [];
  const heap: number[] = [];
  for (let round = 0; round < pace.rounds; round++) {
    const server = await startServer(contender, folder(), [], await env());
    await warmUp(generator, server, pace);
    const order = { contender, agent: server.agent, ...waiters };
    await generator.preparePark(order);
    const before = await server.cost('memory');
    await generator.park(order);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const after = await server.cost('memory');
    await generator.release();
    await server.stop();
    rss.push((after.rssBytes - before.rssBytes) / waiters.count);
    heap.push((after.heapBytes - before.heapBytes) / waiters.count);
  }
  return { contender, ...waiters, rssBytesEach: median(rss), heapBytesEach: median(heap) };
}

async function warmUp(generator: Generator, server: MeasuredServer, { measureMs }: Pace): Promise<void> {
  const { name: contender, agent, person } = server;
  const order = { contender, agent, person, concurrency: WARM_UP_CONCURRENCY, warmUpMs: 0, measureMs };
  await generator.load({ ...order, acknowledge: contender === 'holdpoint' }, () => {});
}
