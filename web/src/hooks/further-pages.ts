// Fetches further pages of a search by itself while it has too few matches, then leaves the next page to the person.
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

type Found = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetching' | 'fetchNextPage' | 'error'>;

export function useFurtherPages({ hasNextPage, isFetching, fetchNextPage, error }: Found, hasTooFew: boolean) {
  const isStillSearching = hasNextPage && hasTooFew;
  useEffect(() => {
    if (isStillSearching && !isFetching) void fetchNextPage();
  }, [isStillSearching, isFetching, fetchNextPage]);
  return {
    error,
    isLoading: isFetching || isStillSearching,
    more: hasNextPage && !isStillSearching ? () => void fetchNextPage() : undefined,
  };
}
