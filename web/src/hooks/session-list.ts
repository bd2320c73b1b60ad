// The sessions the page lists: the open ones all at once and live, the ended ones page after page, back in time. A search
// over ended ones goes on by itself for a while, and then lets the person decide.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { every, type Listed } from '../../../src/client/client.ts';
import type { SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { agentName, sessionName } from '../ui/crumbs.tsx';
import { queries, useFetched } from './queries.ts';

export type Shown = 'active' | 'ended';

const PAGE = 500;
const ENDED_PAGE = 100;
/** So many pages without enough matches are followed by another one. */
const PATIENCE = 10;
const ENOUGH = 20;

export interface SessionList {
  /** Undefined until they are known. */
  sessions: readonly SessionView[] | undefined;
  error: Error | null;
  isLooking: boolean;
  /** Goes further back, where there is more. */
  more: (() => void) | undefined;
}

export function useOpenSessions(q: string): SessionList {
  const { data, error } = useFetched({
    queryKey: ['sessions', 'active'],
    queryFn: () => Array.fromAsync(every((page) => api.sessions.list({ status: 'active', limit: PAGE, ...page }))),
  });
  const sessions = useMemo(
    () => data?.filter((session) => isFound(session, q)).toSorted((a, b) => b.updated_at_ms - a.updated_at_ms),
    [data, q],
  );
  return { sessions, error, isLooking: data === undefined && !error, more: undefined };
}

export function useEndedSessions(q: string, isWanted: boolean): SessionList {
  const found = useInfiniteQuery(
    {
      queryKey: ['ended-sessions'],
      queryFn: ({ pageParam }): Promise<Listed<SessionView>> =>
        api.sessions.list({ status: 'ended', order: 'newest', limit: ENDED_PAGE, ...pageParam }),
      initialPageParam: {} as { cursor?: string },
      getNextPageParam: ({ next }) => (next === undefined ? undefined : { cursor: next }),
      enabled: isWanted,
      staleTime: 0,
      refetchOnMount: 'always',
    },
    queries,
  );
  const { data, hasNextPage, isFetching, fetchNextPage } = found;
  const pages = data?.pages ?? [];
  const sessions = data && pages.flatMap(({ items }) => items).filter((session) => isFound(session, q));
  const isShort = q.trim() !== '' && (sessions?.length ?? 0) < ENOUGH && pages.length < PATIENCE;
  const goesOn = hasNextPage && isShort;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return {
    sessions,
    error: found.error,
    isLooking: isFetching || goesOn,
    more: hasNextPage && !goesOn ? () => void fetchNextPage() : undefined,
  };
}

/** Every word occurs somewhere in what is known about the session; its id counts as a whole. */
export function isFound(session: SessionView, q: string): boolean {
  const words = [sessionName(session), agentName(session), session.agent, session.work_folder ?? '']
    .concat(session.project_ids, session.snapshot.last_message ?? '')
    .join('\n')
    .toLowerCase();
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean);
  return terms.every((term) => words.includes(term) || term === session.session_id.toLowerCase());
}
