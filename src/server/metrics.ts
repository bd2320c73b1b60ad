// Collects Prometheus metrics: what the log says happened, what is open now, what the process costs.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Gateway } from '../gateway/gateway.ts';
import type { Notices } from '../notices/notices.ts';

export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  countRequest(method: string, route: string, status: number): void;
  stop(): void;
}

export async function createMetrics(gateway: Gateway, notices: Notices, openStreams: () => number): Promise<Metrics> {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const requests = tally(registers, 'holdpoint_http_requests_total', 'HTTP requests answered', [
    'method',
    'route',
    'status',
  ]);
  const events = tally(registers, 'holdpoint_events_total', 'Events appended since this process started', ['type']);
  const open = new Gauge({
    name: 'holdpoint_open',
    help: 'What is open: pending asks, answers due, active sessions, streams',
    labelNames: ['what'],
    registers,
    async collect() {
      const counts = await gateway.counts();
      this.set({ what: 'pending_asks' }, counts.pendingAsks);
      this.set({ what: 'due_deliveries' }, counts.dueDeliveries);
      this.set({ what: 'active_sessions' }, counts.activeSessions);
      this.set({ what: 'streams' }, openStreams());
    },
  });
  void open;
  const told = new Gauge({
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
  void told;
  const deliver = (fresh: readonly { type: string }[]): boolean => {
    for (const event of fresh) events(event.type);
    return true;
  };
  const following = gateway.follow({ filter: {}, deliver }, await gateway.lastSeq());
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countRequest: (method, route, status) => requests(`${method} ${route} ${status}`),
    stop: () => following.stop(),
  };
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
