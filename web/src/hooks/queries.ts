// Caches what the page fetches. Events invalidate it, so nothing is refetched just because time has passed. Loaded with the
// first page that fetches something; the inbox itself is fed by the event stream and is not in here.
import { QueryClient, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { onStale } from './live-inbox.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
  },
});

onStale((keys) => {
  for (const queryKey of keys) void refetch(queryKey);
});

/** Cancels what is being fetched first: a response that was on its way before the event would count as fresh. */
async function refetch(queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey }, { silent: true });
  await queries.invalidateQueries({ queryKey });
}

/**
 * `useQuery` over this cache. An event invalidates `['session', id]`, `['ask', id]` and `['sessions']`, and every key that
 * begins with one of them.
 */
export const useFetched = <T>(options: UseQueryOptions<T, Error, T, QueryKey>): UseQueryResult<T> =>
  useQuery(options, queries);

export interface Appended<T> {
  items: readonly T[];
  /** Where the next request continues. */
  cursor: string | undefined;
}

/** Fetches an append-only list: keeps the cached items and requests the pages after them. */
export async function appended<T>(
  queryKey: QueryKey,
  pageAfter: (cursor: string | undefined) => Promise<Appended<T> & { hasMore: boolean }>,
): Promise<Appended<T>> {
  let { items, cursor } = queries.getQueryData<Appended<T>>(queryKey) ?? { items: [], cursor: undefined };
  for (let hasMore = true; hasMore; ) {
    const page = await pageAfter(cursor);
    if (page.items.length > 0) items = [...items, ...page.items];
    cursor = page.cursor ?? cursor;
    hasMore = page.hasMore;
  }
  return { items, cursor };
}
