// Tracks the items of Codex's threads that have started and not completed: its requests refer to them by id, and the item
// has the details. Loads them from Codex where their start was missed.
import type { Peer } from '../wire/json-rpc.ts';
import { type Item, type ItemNotice, NewestTurns } from './protocol.ts';

export type ActiveItems = ReturnType<typeof createActiveItems>;

export function createActiveItems(peer: Pick<Peer, 'request'>) {
  const threads = new Map<string, Map<string, Item>>();

  function add(threadId: string, item: Item): void {
    if (!item.id) return;
    const items = threads.get(threadId) ?? new Map<string, Item>();
    threads.set(threadId, items.set(item.id, item));
  }

  const resume = (threadId: string): Promise<unknown> =>
    peer.request('thread/resume', {
      threadId,
      excludeTurns: true,
      initialTurnsPage: { limit: 1, itemsView: 'full' },
    });

  return {
    started: ({ threadId, item }: ItemNotice) => add(threadId, item),
    completed: ({ threadId, item }: ItemNotice) => void threads.get(threadId)?.delete(item.id ?? ''),
    turnCompleted: (threadId: string) => void threads.delete(threadId),
    of: (threadId: string): Item[] => [...(threads.get(threadId)?.values() ?? [])],
    /** Resumes a thread that runs already and loads its items. Codex sends the open requests of the thread again. */
    async load(threadId: string): Promise<unknown> {
      const reply = await resume(threadId);
      for (const item of newestItems(reply)) if (item.status === 'inProgress') add(threadId, item);
      return reply;
    },
    /** Whether the newest turn of the thread has this item, active or completed. */
    hasItem: async (threadId: string, itemId: string): Promise<boolean> =>
      newestItems(await resume(threadId)).some(({ id }) => id === itemId),
  };
}

const newestItems = (reply: unknown): Item[] => NewestTurns.parse(reply).initialTurnsPage?.data.at(0)?.items ?? [];
