// Prometheus metrics: what the log says happened, what is open now, what the process costs.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Gateway } from '../gateway/gateway.ts';

export interface Metrics {
  contentType: string;
  text(): Promise<string>;
  countRequest(method: string, route: string, status: number): void;
  stop(): void;
}

export async function createMetrics(gateway: Gateway, openStreams: () => number): Promise<Metrics> {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'holdpoint_http_requests_total',
    help: 'HTTP requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const events = new Counter({
    name: 'holdpoint_events_total',
    help: 'Events appended since this process started',
    labelNames: ['type'],
    registers,
  });
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
  const deliver = (fresh: readonly { type: string }[]): boolean => {
    for (const event of fresh) events.inc({ type: event.type });
    return true;
  };
  const following = gateway.follow({ filter: {}, deliver }, await gateway.lastSeq());
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countRequest: (method, route, status) => requests.inc({ method, route, status }),
    stop: () => following.stop(),
  };
}
