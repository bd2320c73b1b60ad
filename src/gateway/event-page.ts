// Reads a page of events that is bounded in bytes as well as in number: one event may hold a megabyte, and every reader,
// stream and page of an agent's token would otherwise hold hundreds of them in memory.
import type { Event } from '../core/event.ts';
import type { EventFilter, Reader } from '../core/ports.ts';

/**
 * A page of events, or of a list, ends with the one that reaches this: the server handles one request at a time, and a page
 * that takes long to write delays all others.
 */
export const LONGEST_PAGE = 256 * 1024;

export interface EventPage {
  events: Event[];
  /** There are more events, or may be. */
  hasMore: boolean;
}

export async function eventPage(
  reader: Reader,
  filter: EventFilter,
  after: number,
  most: number,
  longest = LONGEST_PAGE,
): Promise<EventPage> {
  const events = await reader.events(filter, after, most, longest);
  const size = events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  return { events, hasMore: events.length === most || size >= longest };
}
