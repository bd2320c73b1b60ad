// Counts requests and their durations in plain arrays, and labels them when they are scraped: a request costs a look-up
// and two additions.
import type { Registry } from 'prom-client';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NAME = 'holdpoint_http_request_duration_seconds';
const HELP = 'Duration of HTTP requests; streams and long polls are left out';

interface Observed {
  method: string;
  route: string;
  counts: number[];
  sum: number;
}

export function requestDurations(registry: Registry): (method: string, route: string, ms: number) => void {
  const observed = new Map<string, Observed>();
  const metric = {
    name: NAME,
    get: async () => ({ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: samples(observed) }),
    reset: () => observed.clear(),
  };
  registry.registerMetric(metric as never);
  return (method, route, ms) => {
    const key = `${method} ${route}`;
    const entry = observed.get(key) ?? { method, route, counts: [...BUCKETS, 0].fill(0), sum: 0 };
    if (entry.sum === 0) observed.set(key, entry);
    const seconds = ms / 1000;
    const i = BUCKETS.findIndex((le) => seconds <= le);
    const at = i === -1 ? BUCKETS.length : i;
    entry.counts[at] = (entry.counts[at] ?? 0) + 1;
    entry.sum += seconds;
  };
}

/** Buckets are cumulative on the wire. */
function samples(observed: Map<string, Observed>) {
  return [...observed.values()].flatMap(({ method, route, counts, sum }) => {
    const labels = { method, route };
    let total = 0;
    const buckets = [...BUCKETS, '+Inf'].map((le, i) => {
      total += counts[i] ?? 0;
      return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, labels, value: sum },
      { metricName: `${NAME}_count`, labels, value: total },
    ];
  });
}
