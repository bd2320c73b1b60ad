// Reads a thread by folding a session's events, in pages or as a stream. Every cursor names the last quiet event before
// it, so that a continued read folds only the events after that one. Keeps no state between calls and holds at most one
// batch of events.
import type { Event } from '../core/event.ts';
import { blockOf } from '../core/form.ts';
import type { Ports } from '../core/ports.ts';
import type { Session } from '../core/session.ts';
import { createThread } from '../core/thread.ts';
import type { ItemView } from '../core/views.ts';
import { eventPage, LONGEST_PAGE } from './event-page.ts';
import { expireOverdue, undefinedIfDamaged } from './expire.ts';
import { sessionOfThread, sessionRecord } from './records.ts';
import { itemView } from './views.ts';

/** The n-th item of an event, and the quiet event to fold from. */
export interface ThreadCursor {
  quiet: number;
  seq: number;
  n: number;
}

export interface ItemAtCursor {
  view: ItemView;
  place: ThreadCursor;
  /** A new version of an item that was sent before. */
  isUpdate: boolean;
}

export interface ItemPage {
  items: ItemAtCursor[];
  hasMore: boolean;
  /** Following the thread after it misses nothing. */
  end: ThreadCursor;
}

const BATCH = 200;
const LONGEST_READ = 1024 * 1024;
export const THREAD_START: ThreadCursor = { quiet: 0, seq: 0, n: 0 };

/** Folds from a cursor: for each event the items after that cursor. */
export function itemsAfter(
  session: Pick<Session, 'agentId' | 'workFolder'>,
  from: ThreadCursor,
): (event: Event) => ItemAtCursor[] {
  const thread = createThread(session);
  let { quiet } = from;
  return (event) => {
    const fresh = thread.take(event).flatMap((item, i) => {
      const place = { quiet, seq: event.seq, n: i + 1 };
      return isAfter(place, from) ? [{ view: itemView(item), place, isUpdate: item.isUpdate === true }] : [];
    });
    if (thread.isQuiet) quiet = event.seq;
    return fresh;
  };
}

const isAfter = (place: ThreadCursor, from: ThreadCursor): boolean =>
  place.seq > from.seq || (place.seq === from.seq && place.n > from.n);

export const threadOf = (ports: Ports, threadId: string) =>
  ports.store.read(async (r) => sessionRecord(r, await sessionOfThread(r, threadId)));

export async function listItems(ports: Ports, threadId: string, from: ThreadCursor, limit: number): Promise<ItemPage> {
  const session = await threadOf(ports, threadId);
  await expireOverdue(ports);
  const take = itemsAfter(session, from);
  const items: ItemAtCursor[] = [];
  let [seq, size] = [from.quiet, 0];
  for (;;) {
    const { events, hasMore } = await ports.store.read((r) =>
      eventPage(r, { sessionId: session.id }, seq, BATCH, LONGEST_READ),
    );
    for (const event of events)
      for (const item of take(event).filter(({ isUpdate }) => !isUpdate)) {
        if (items.length === limit || size > LONGEST_PAGE) return pageOf(ports, items, true, from);
        size += JSON.stringify(item.view).length;
        items.push(item);
      }
    if (!hasMore) return pageOf(ports, items, false, from);
    seq = events.at(-1)?.seq ?? seq;
    // A long log must not keep other requests waiting.
    await new Promise(setImmediate);
  }
}

async function pageOf(ports: Ports, items: ItemAtCursor[], hasMore: boolean, from: ThreadCursor): Promise<ItemPage> {
  for (const { view } of items) await readNow(ports, view);
  return { items, hasMore, end: items.at(-1)?.place ?? from };
}

/** The block of a form on a page shows the form's current status. */
async function readNow({ store }: Ports, { metadata }: ItemView): Promise<void> {
  const block = blockOf(metadata);
  if (metadata === undefined || block === undefined) return;
  const ask = await store.read(async (r) => r.get('ask', block.id)).catch(undefinedIfDamaged);
  metadata.block = { ...block, status: ask?.status ?? block.status };
}
