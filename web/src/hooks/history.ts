// Fetches a search of the history page after page, back in time, and lists what was fetched by when it was decided. The server ends a request that has read enough without a
// match and says how far it came; this requests further pages by itself up to a limit, then leaves that to the person.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Listed } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import type { HistoryQuery } from '../state/history-query.ts';
import { useFurtherPages } from './further-pages.ts';
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
  const pages = found.data?.pages ?? [];
  const further = useFurtherPages(found, emptyAtEnd(pages) > 0 && emptyAtEnd(pages) < MAX_EMPTY_PAGES);
  const asks = pages.flatMap((page) => page.items).sort((a, b) => decidedAt(b) - decidedAt(a));
  return { ...further, asks, searchedTo: pages.at(-1)?.searchedTo };
}

const decidedAt = ({ answer, created_at_ms }: AskView): number => answer?.answered_at_ms ?? created_at_ms;

/** How many pages came after the last one with a match. */
function emptyAtEnd(pages: readonly Listed<AskView>[]): number {
  const last = pages.findLastIndex((page) => page.items.length > 0);
  return pages.length - 1 - last;
}
