// Fetches a search of the history page after page, back in time. The server ends a request that has read enough without a
// match and says how far it came; this requests further pages by itself up to a limit, then leaves that to the person.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Listed } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import type { HistoryQuery } from '../state/history-query.ts';
import { queries } from './queries.ts';

const PAGE_SIZE = 50;
/** So many pages without a match are followed by another request. */
const MAX_EMPTY_PAGES = 10;

export function useHistory({ q, kind, status }: HistoryQuery) {
  const found = useInfiniteQuery(
    {
      queryKey: ['history', q.trim(), kind, status],
      queryFn: ({ pageParam }): Promise<Listed<AskView>> =>
        api.asks.list({ status: status ?? 'ended', kind, q, limit: PAGE_SIZE, cursor: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next,
      staleTime: 0,
      refetchOnMount: 'always',
    },
    queries,
  );
  const { data, hasNextPage, isFetching, fetchNextPage } = found;
  const pages = data?.pages ?? [];
  const asks = pages.flatMap((page) => page.items);
  const isStillSearching = hasNextPage && emptyAtEnd(pages) > 0 && emptyAtEnd(pages) < MAX_EMPTY_PAGES;
  useEffect(() => {
    if (isStillSearching && !isFetching) void fetchNextPage();
  }, [isStillSearching, isFetching, fetchNextPage]);
  return {
    asks,
    error: found.error,
    isLoading: isFetching || isStillSearching,
    searchedTo: pages.at(-1)?.searchedTo,
    more: hasNextPage && !isStillSearching ? () => void fetchNextPage() : undefined,
  };
}

/** How many pages came after the last one with a match. */
function emptyAtEnd(pages: readonly Listed<AskView>[]): number {
  const last = pages.findLastIndex((page) => page.items.length > 0);
  return pages.length - 1 - last;
}
