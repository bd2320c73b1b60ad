// Reads a page of events that is bounded in bytes as well as in number: one event may hold a megabyte, and every reader,
// stream and page of an agent's token would otherwise hold hundreds of them in memory.
import type { Event } from '../core/event.ts';
import type { EventFilter, Reader } from '../core/ports.ts';

/** A page ends with the event that reaches this: of a request, and of the many streams that may not be read. */
export const LONGEST_PAGE = 4 * 1024 * 1024;
const LONGEST_STREAM_PAGE = 256 * 1024;
const FIRST_READ = 20;

export interface EventPage {
  events: Event[];
  /** There are more events, or may be. */
  hasMore: boolean;
}

/** Reads a few events first, then as many as their average size leaves room for. */
export async function eventPage(
  reader: Reader,
  filter: EventFilter,
  after: number,
  most: number,
  longest = LONGEST_STREAM_PAGE,
): Promise<EventPage> {
  const events: Event[] = [];
  let size = 0;
  while (events.length < most && size < longest) {
    const room = events.length === 0 ? FIRST_READ : Math.ceil(((longest - size) * events.length) / size);
    const count = Math.min(most - events.length, Math.max(1, room));
    const read = await reader.events(filter, events.at(-1)?.seq ?? after, count);
    for (const event of read) size += event.data.length;
    events.push(...read);
    if (read.length < count) return { events, hasMore: false };
  }
  return { events, hasMore: true };
}
