// Pages of events: bounded in bytes, complete when they are read one after the other.
import { expect, it } from 'vitest';
import type { Event } from '../../src/core/event.ts';
import type { Reader } from '../../src/core/ports.ts';
import { eventPage } from '../../src/gateway/event-page.ts';

/** A log whose events have these sizes, and the largest number of events that one read returned. */
function logOf(sizes: readonly number[]) {
  const events = sizes.map((size, i) => ({ seq: i + 1, data: 'x'.repeat(size) }) as Event);
  let reads = 0;
  const reader = {
    events: (_: unknown, after: number, limit: number) => {
      reads += 1;
      return events.filter(({ seq }) => seq > after).slice(0, limit);
    },
  } as unknown as Reader;
  return { reader, reads: () => reads };
}

const sizeOf = (events: readonly Event[]) => events.reduce((sum, { data }) => sum + data.length, 0);

it('reads every event once, in pages of a bounded size', async () => {
  const sizes = Array.from({ length: 300 }, (_, i) => (i % 50 === 7 ? 100_000 : 500));
  const { reader } = logOf(sizes);
  const seen: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await eventPage(reader, {}, seen.at(-1) ?? 0, 500, 200_000);
    expect(sizeOf(page.events)).toBeLessThan(700_000);
    seen.push(...page.events.map(({ seq }) => seq));
    hasMore = page.hasMore;
  }
  expect(seen).toEqual(sizes.map((_, i) => i + 1));
});

it('reads many small events in two steps', async () => {
  const { reader, reads } = logOf(Array.from({ length: 400 }, () => 200));
  const page = await eventPage(reader, {}, 0, 300);
  expect(page.events).toHaveLength(300);
  expect(page.hasMore).toBe(true);
  expect(reads()).toBe(2);
});

it('ends with an empty page after the last event', async () => {
  expect(await eventPage(logOf([]).reader, {}, 0, 10)).toEqual({ events: [], hasMore: false });
});
