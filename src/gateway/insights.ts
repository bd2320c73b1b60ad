// Computes statistics over a span of time: reads outcomes newest first, range by range, up to the limit of one request,
// and returns the instant from which it counted.
import { fail } from '../core/errors.ts';
import { type InsightsView, tallyOf } from '../core/insight.ts';
import type { Ports } from '../core/ports.ts';

const STRETCH = 1000;
const MOST_STRETCHES = 100;
const DEFAULT_SPAN_MS = 30 * 24 * 60 * 60_000;
const LONGEST_SPAN_MS = 5 * 366 * 24 * 60 * 60_000;
/** Asks are numbered in commit order; with several servers their instants may be slightly out of order. */
const DISORDER_MS = 60_000;

export interface Span {
  from?: number | undefined;
  to?: number | undefined;
}

/** The span in instants and in positions of asks. */
export async function spanOf(ports: Ports, given: Span) {
  const to = given.to ?? ports.clock.now();
  const from = given.from ?? Math.max(0, to - DEFAULT_SPAN_MS);
  if (from >= to) throw fail('invalid_request', 'query.from: must be before `to`, which is now by default.');
  if (to - from > LONGEST_SPAN_MS) throw fail('invalid_request', 'from: at most five years before `to`.');
  return ports.store.read(async (r) => ({
    from,
    to,
    first: await r.askPositionAt(from - DISORDER_MS),
    last: await r.askPositionAt(to + DISORDER_MS),
  }));
}

export async function insights(ports: Ports, given: Span): Promise<InsightsView> {
  const { from, to, first, last } = await spanOf(ports, given);
  const tally = tallyOf(from, to);
  let before = last;
  let countedFrom = from;
  for (let n = 0; before > first; n++) {
    if (n === MOST_STRETCHES) return tally.result(countedFrom);
    const stretch = await ports.store.read(async (r) => {
      const found = await r.stretch(before, STRETCH);
      if (!found) return undefined;
      for (const outcome of await r.pastOutcomes(Math.max(first, found.low), before)) tally.add(outcome);
      return found;
    });
    if (!stretch) break;
    before = stretch.low;
    countedFrom = Math.max(from, stretch.at);
    await new Promise(setImmediate);
  }
  return tally.result(from);
}
