// What the page has fetched, in one cache: kept true by the event stream, so nothing is fetched again just because time
// has passed. Comes with the first page that fetches something; the inbox itself is fed, not fetched.
import { QueryClient, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { onStale } from './live-inbox.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
  },
});

onStale((keys) => {
  for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
});

/**
 * `useQuery` over that cache. An event makes `['session', id]`, `['ask', id]` and `['sessions']` stale, and every key that
 * begins with one of them.
 */
export const useFetched = <T>(options: UseQueryOptions<T, Error, T, QueryKey>): UseQueryResult<T> =>
  useQuery(options, queries);

export interface Grown<T> {
  items: readonly T[];
  /** Where to go on from. */
  cursor: string | undefined;
}

/** A list that only grows, as threads and logs do: what is known stays, what came after it is fetched. */
export async function grown<T>(
  queryKey: QueryKey,
  pageAfter: (cursor: string | undefined) => Promise<Grown<T> & { hasMore: boolean }>,
): Promise<Grown<T>> {
  let { items, cursor } = queries.getQueryData<Grown<T>>(queryKey) ?? { items: [], cursor: undefined };
  for (let hasMore = true; hasMore; ) {
    const page = await pageAfter(cursor);
    if (page.items.length > 0) items = [...items, ...page.items];
    cursor = page.cursor ?? cursor;
    hasMore = page.hasMore;
  }
  return { items, cursor };
}
