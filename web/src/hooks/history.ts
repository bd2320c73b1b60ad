// A search in the history as the page goes through it: page after page, back in time. The server stops a search that
// has read enough and says how far it came; this goes on by itself for a while, and then lets the person decide.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Listed } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { queries } from './queries.ts';

export const OUTCOMES = ['answered', 'declined', 'cancelled', 'expired', 'failed'] as const;

export interface Query {
  q: string;
  kind: 'approval' | 'question' | undefined;
  status: (typeof OUTCOMES)[number] | undefined;
}

const PAGE = 50;
/** Requests that find nothing are followed by another one, so many times. */
const PATIENCE = 10;

/** From the address, where it can be shared and gone back to. */
export function queryOf(search: string): Query {
  const params = new URLSearchParams(search);
  const kind = params.get('kind');
  return {
    q: params.get('q') ?? '',
    kind: kind === 'approval' || kind === 'question' ? kind : undefined,
    status: OUTCOMES.find((status) => status === params.get('status')),
  };
}

export function addressOf({ q, kind, status }: Query): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q);
  if (kind) params.set('kind', kind);
  if (status) params.set('status', status);
  return params.size === 0 ? '/history' : `/history?${params}`;
}

export function useHistory({ q, kind, status }: Query) {
  const found = useInfiniteQuery(
    {
      queryKey: ['history', q.trim(), kind, status],
      queryFn: ({ pageParam }): Promise<Listed<AskView>> =>
        api.asks.list({ status: status ?? 'ended', kind, q, limit: PAGE, cursor: pageParam }),
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
  const isStillLooking = hasNextPage && emptyAtEnd(pages) > 0 && emptyAtEnd(pages) < PATIENCE;
  useEffect(() => {
    if (isStillLooking && !isFetching) void fetchNextPage();
  }, [isStillLooking, isFetching, fetchNextPage]);
  return {
    asks,
    error: found.error,
    isLooking: isFetching || isStillLooking,
    searchedTo: pages.at(-1)?.searchedTo,
    more: hasNextPage && !isStillLooking ? () => void fetchNextPage() : undefined,
  };
}

/** How many pages since the last one that found something. */
function emptyAtEnd(pages: readonly Listed<AskView>[]): number {
  const last = pages.findLastIndex((page) => page.items.length > 0);
  return pages.length - 1 - last;
}
