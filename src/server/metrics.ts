// Collects Prometheus metrics: what the log says happened, what is open now, how long requests take, what the process
// costs. What concerns asks is true of the whole database, at every server on it.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Gateway } from '../gateway/gateway.ts';
import type { Notices } from '../notices/notices.ts';
import { type AskEvent, askMetrics } from './ask-metrics.ts';
import { requestDurations } from './request-durations.ts';
import { SYSTEM_READER } from './system-reader.ts';

export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  countRequest(method: string, route: string, status: number): void;
  /** Of a request that waited for nothing but its own work. */
  timeRequest(method: string, route: string, ms: number): void;
  stop(): void;
}

export interface MetricsOptions {
  gateway: Gateway;
  notices: Notices;
  version: string;
  openStreams(): number;
  /** Connections of the pool of a database server. */
  pool?: (() => { total: number; idle: number; waiting: number }) | undefined;
}

/** Gauges that the collector calls totals, which promtool refuses. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export async function createMetrics(options: MetricsOptions): Promise<Metrics> {
  const { gateway, version, openStreams, pool } = options;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const requests = tally(registers, 'holdpoint_http_requests_total', 'HTTP requests answered', [
    'method',
    'route',
    'status',
  ]);
  const timeRequest = requestDurations(registry);
  const events = tally(registers, 'holdpoint_events_total', 'Events appended since this process started', ['type']);
  const asks = askMetrics(registers);
  new Gauge({
    name: 'holdpoint_build_info',
    help: 'Always 1; its labels name the version and the Node.js that runs it',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  // First: the reads of a scrape must not appear in it as waiting for connections.
  if (pool) addPool(registers, pool);
  addState(registers, gateway, openStreams);
  addNotices(registers, options.notices);

  const deliver = (fresh: readonly AskEvent[]): boolean => {
    for (const event of fresh) {
      events(event.type);
      asks.note(event);
    }
    return true;
  };
  const following = gateway.follow({ filter: {}, deliver }, await gateway.lastSeq());
  await asks.recall(gateway);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countRequest: (method, route, status) => requests(`${method} ${route} ${status}`),
    timeRequest,
    stop: () => following.stop(),
  };
}

/** What is open now, read when it is scraped. */
function addState(registers: Registry[], gateway: Gateway, openStreams: () => number): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const counts = () => gateway.counts();
  gauge('holdpoint_asks_pending', 'Asks that wait for a person', async () => (await counts()).pendingAsks);
  gauge('holdpoint_deliveries_due', 'Answers that agents do not have yet', async () => (await counts()).dueDeliveries);
  gauge('holdpoint_sessions_active', 'Sessions that have not ended', async () => (await counts()).activeSessions);
  gauge('holdpoint_streams_open', 'Streams and long polls at this server', openStreams);
  const age = async (filter: { status: 'pending' } | { delivery: 'due' }): Promise<number> => {
    const { views } = await gateway.listAsks(filter, { limit: 1 }, SYSTEM_READER);
    const since = views[0]?.answer?.answered_at_ms ?? views[0]?.created_at_ms;
    return since === undefined ? 0 : Math.max(0, gateway.now() - since) / 1000;
  };
  gauge('holdpoint_oldest_pending_ask_seconds', 'Age of the oldest ask that waits for a person; 0 if none does', () =>
    age({ status: 'pending' }),
  );
  gauge('holdpoint_oldest_due_delivery_seconds', 'Age of the oldest ask whose answer is due, since the answer', () =>
    age({ delivery: 'due' }),
  );
}

function addNotices(registers: Registry[], notices: Notices): void {
  new Gauge({
    name: 'holdpoint_notices',
    help: 'Notices by state, of the last 30 days; `unreached`: pending asks of which nobody could be notified',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      const counts = await notices.counts();
      if (!counts) return;
      for (const [state, count] of Object.entries(counts.states)) this.set({ state }, count);
      this.set({ state: 'unreached' }, counts.unreached);
    },
  });
}

function addPool(registers: Registry[], pool: NonNullable<MetricsOptions['pool']>): void {
  new Gauge({
    name: 'holdpoint_database_connections',
    help: 'Connections of this server to the database by state; `waiting`: requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

/** Counts by one text, its labels apart by spaces: what happens thousands of times a second is labelled when it is read. */
function tally(registers: Registry[], name: string, help: string, labelNames: string[]): (labels: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [labels, n] of counts)
        this.inc(Object.fromEntries(labels.split(' ').map((value, i) => [labelNames[i], value])), n);
    },
  });
  return (labels) => counts.set(labels, (counts.get(labels) ?? 0) + 1);
}
