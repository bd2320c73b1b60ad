// A log that is longer than one page, as one stream of events.
import type { EventView } from '../core/views.ts';

export const EVENTS_A_PAGE = 500;

/** `page` gives the events after a number, at most a page of them. */
export async function* eventPages(
  page: (after: number) => Promise<EventView[]>,
  after: number = 0,
): AsyncGenerator<EventView> {
  for (let seen = after; ; ) {
    const items = await page(seen);
    yield* items;
    const last = items.at(-1);
    if (!last || items.length < EVENTS_A_PAGE) return;
    seen = last.seq;
  }
}
