// Fetches the sessions that the page lists: the open ones all at once and kept up to date by events, the ended ones page
// after page, back in time. A search over ended ones requests further pages by itself up to a limit.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { every, type Listed } from '../../../src/client/client.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { matchesSession } from '../state/session-search.ts';
import { useFurtherPages } from './further-pages.ts';
import { queries, useFetched } from './queries.ts';

const OPEN_PAGE_SIZE = 500;
const ENDED_PAGE_SIZE = 100;
/** A search ends by itself after so many pages, or with so many matches. */
const MAX_PAGES = 10;
const ENOUGH_MATCHES = 20;

export interface SessionList {
  /** Undefined until they are fetched. */
  sessions: readonly SessionView[] | undefined;
  error: Error | null;
  isLoading: boolean;
  /** Fetches the next page, where there is one. */
  more: (() => void) | undefined;
}

export function useOpenSessions(q: string): SessionList {
  const { data, error } = useFetched({
    queryKey: ['sessions', 'active'],
    queryFn: () =>
      Array.fromAsync(every((page) => api.sessions.list({ status: 'active', limit: OPEN_PAGE_SIZE, ...page }))),
  });
  const sessions = useMemo(
    () => data?.filter((session) => matchesSession(session, q)).toSorted((a, b) => b.updated_at_ms - a.updated_at_ms),
    [data, q],
  );
  return { sessions, error, isLoading: data === undefined && !error, more: undefined };
}

export function useEndedSessions(q: string, isEnabled: boolean): SessionList {
  const found = useInfiniteQuery(
    {
      queryKey: ['ended-sessions'],
      queryFn: ({ pageParam }): Promise<Listed<SessionView>> =>
        api.sessions.list({ status: 'ended', order: 'newest', limit: ENDED_PAGE_SIZE, ...pageParam }),
      initialPageParam: {} as { cursor?: string },
      getNextPageParam: ({ next }) => (next === undefined ? undefined : { cursor: next }),
      enabled: isEnabled,
      staleTime: 0,
      refetchOnMount: 'always',
    },
    queries,
  );
  const pages = found.data?.pages;
  const sessions = pages?.flatMap(({ items }) => items).filter((session) => matchesSession(session, q));
  const hasFew = (sessions?.length ?? 0) < ENOUGH_MATCHES && (pages?.length ?? 0) < MAX_PAGES;
  return { ...useFurtherPages(found, q.trim() !== '' && hasFew), sessions };
}
