// Remembers the items of Codex's threads that have started and not completed. Its requests refer to them, and say little
// else about what they ask. Owns only this memory, and loads it where the start of an item was missed.
import type { Peer } from '../wire/json-rpc.ts';
import { type Item, type ItemNotice, NewestTurns } from './protocol.ts';

export interface ActiveItems {
  started(notice: ItemNotice): void;
  completed(notice: ItemNotice): void;
  /** A turn is over, and with it every item of its thread. */
  turnCompleted(threadId: string): void;
  of(threadId: string): Item[];
  /** Resumes a thread that runs already and loads its items. Codex sends the open requests of the thread again. */
  load(threadId: string): Promise<unknown>;
  /** Whether the newest turn of the thread has this item, active or completed. */
  hasItem(threadId: string, itemId: string): Promise<boolean>;
}

export function createActiveItems(peer: Pick<Peer, 'request'>): ActiveItems {
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
    started: ({ threadId, item }) => add(threadId, item),
    completed: ({ threadId, item }) => void threads.get(threadId)?.delete(item.id ?? ''),
    turnCompleted: (threadId) => void threads.delete(threadId),
    of: (threadId) => [...(threads.get(threadId)?.values() ?? [])],
    async load(threadId) {
      const reply = await resume(threadId);
      for (const item of newestItems(reply)) if (item.status === 'inProgress') add(threadId, item);
      return reply;
    },
    hasItem: async (threadId, itemId) => newestItems(await resume(threadId)).some(({ id }) => id === itemId),
  };
}

const newestItems = (reply: unknown): Item[] => NewestTurns.parse(reply).initialTurnsPage?.data.at(0)?.items ?? [];
