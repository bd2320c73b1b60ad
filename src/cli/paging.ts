// Reads everything that the server lists page by page.
import { type Client, every, listAll, PAGE_SIZE } from '../client/client.ts';
import type { RunStatus } from '../core/run.ts';
import type { EventView, RunView, SessionView } from '../core/views.ts';

/** Sessions, oldest first: those that have not ended, or `all`. */
export const listSessions = (client: Client, { all }: { all?: boolean }): Promise<SessionView[]> =>
  listAll((page) => client.sessions.list({ ...(!all && { status: 'active' }), ...page }));

/** The newest first; as many as are wanted of those that `isShown` lets through. */
export async function newestSessions(
  client: Client,
  { all, limit }: { all?: boolean; limit: number | undefined },
  isShown: (session: SessionView) => boolean,
): Promise<SessionView[]> {
  const query = { order: 'newest', ...(!all && { status: 'active' as const }) } as const;
  return first(
    limit,
    every((page) => client.sessions.list({ ...query, limit: PAGE_SIZE, ...page })),
    isShown,
  );
}

/** The newest first, as many as are wanted. */
export const newestRuns = (
  client: Client,
  query: { session_id?: string; status?: RunStatus },
  limit: number | undefined,
): Promise<RunView[]> => {
  const size = Math.max(1, Math.min(limit ?? PAGE_SIZE, PAGE_SIZE));
  return first(
    limit,
    every((page) => client.runs.list({ ...query, order: 'newest', limit: size, ...page })),
  );
};

async function first<T>(limit: number | undefined, all: AsyncIterable<T>, isShown = (_: T) => true): Promise<T[]> {
  const found: T[] = [];
  if (limit === 0) return found;
  for await (const one of all) {
    if (isShown(one)) found.push(one);
    if (found.length === limit) break;
  }
  return found;
}

/** All events of a log after a number. `page` returns at most PAGE_SIZE events after a number. */
export async function* eventPages(
  page: (after: number) => Promise<EventView[]>,
  after: number = 0,
): AsyncGenerator<EventView> {
  for (let seen = after; ; ) {
    const items = await page(seen);
    yield* items;
    const last = items.at(-1);
    // A page may be cut by its size: only an empty one is the end.
    if (!last) return;
    seen = last.seq;
  }
}
