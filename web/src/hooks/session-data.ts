// Fetches what the page of one session shows: its thread, runs, events and child sessions. Threads and logs only grow, so
// a refetch requests no more than what came after the last known item.
import { useMemo } from 'react';
import { every } from '../../../src/client/client.ts';
import type { AskView, EventView, ItemView, RunView, SessionView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { appended, useFetched } from './queries.ts';

const PAGE_SIZE = 500;

export type Runs = ReadonlyMap<string, RunView>;

export const useSession = (id: string) =>
  useFetched({ queryKey: ['session', id], queryFn: () => api.sessions.get(id) });

export function useThread(id: string, threadId: string | undefined) {
  const queryKey = ['session', id, 'items'];
  return useFetched({
    queryKey,
    queryFn: () =>
      appended<ItemView>(queryKey, async (cursor) => {
        const page = await api.threads.items(threadId ?? '', { limit: PAGE_SIZE, cursor });
        return { items: page.items, cursor: page.cursor, hasMore: page.next !== undefined };
      }),
    enabled: threadId !== undefined,
  });
}

export function useSessionEvents(id: string): readonly EventView[] {
  const queryKey = ['session', id, 'events'];
  const { data } = useFetched({
    queryKey,
    queryFn: () =>
      appended<EventView>(queryKey, async (cursor) => {
        const after = cursor === undefined ? undefined : Number(cursor);
        const { items, next } = await api.events.ofSession(id, { limit: PAGE_SIZE, after });
        return { items, cursor: items.at(-1)?.seq.toString(), hasMore: next !== undefined };
      }),
  });
  return data?.items ?? NO_EVENTS;
}
const NO_EVENTS: readonly EventView[] = [];

/** The newest ended requests of a session, by id. */
export function useEndedAsks(id: string): ReadonlyMap<string, AskView> {
  const { data } = useFetched({
    queryKey: ['session', id, 'asks'],
    queryFn: () => api.asks.list({ session_id: id, status: 'ended', order: 'newest', limit: PAGE_SIZE }),
  });
  return useMemo(() => new Map((data?.items ?? []).map((ask) => [ask.ask_id, ask])), [data]);
}

/** By run id. */
export function useRuns(id: string): Runs {
  const { data } = useFetched({
    queryKey: ['session', id, 'runs'],
    queryFn: () => Array.fromAsync(every((page) => api.runs.list({ session_id: id, limit: PAGE_SIZE, ...page }))),
  });
  return useMemo(() => new Map((data ?? []).map((run) => [run.run_id, run])), [data]);
}

export function useChildSessions(id: string): readonly SessionView[] {
  const { data } = useFetched({
    queryKey: ['sessions', 'of', id],
    queryFn: async () => (await api.sessions.list({ parent_session_id: id, limit: PAGE_SIZE })).items,
  });
  return data ?? [];
}
