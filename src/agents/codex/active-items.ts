// What Codex is doing at the moment: the items of its threads that have begun and have not ended. Its requests name them,
// and say little else of what they are about. Owns nothing but this memory, and how to fill it where the beginning was
// missed.
import type { z } from 'zod';
import type { Peer } from '../wire/json-rpc.ts';
import { type Item, type ItemNotice, TurnsReply } from './protocol.ts';

export interface UnderWay {
  see(notice: z.infer<typeof ItemNotice>, isOver: boolean): void;
  /** A turn is over, and with it whatever had begun in its thread. */
  over(threadId: string): void;
  of(threadId: string): Item[];
  /** Joins a thread. Its requests that are open are told again to every listener that comes. */
  catchUp(threadId: string): Promise<unknown>;
  /** Whether Codex counts this item to the newest turn of the thread, also if it has ended. */
  has(threadId: string, itemId: string): Promise<boolean>;
}

export function createUnderWay(peer: Pick<Peer, 'request'>): UnderWay {
  const items = new Map<string, Map<string, Item>>();

  function put(threadId: string, item: Item): void {
    if (!item.id) return;
    const known = items.get(threadId) ?? new Map<string, Item>();
    items.set(threadId, known.set(item.id, item));
  }

  function join(threadId: string): Promise<unknown> {
    const initialTurnsPage = { limit: 1, itemsView: 'full' };
    return peer.request('thread/resume', { threadId, excludeTurns: true, initialTurnsPage });
  }

  return {
    see({ threadId, item }, isOver) {
      if (isOver) items.get(threadId)?.delete(item.id ?? '');
      else put(threadId, item);
    },
    over: (threadId) => void items.delete(threadId),
    of: (threadId) => [...(items.get(threadId)?.values() ?? [])],
    async catchUp(threadId) {
      const reply = await join(threadId);
      for (const item of newestOf(reply)) if (item.status === UNDER_WAY) put(threadId, item);
      return reply;
    },
    has: async (threadId, itemId) => newestOf(await join(threadId)).some(({ id }) => id === itemId),
  };
}

const newestOf = (reply: unknown): Item[] => TurnsReply.parse(reply).initialTurnsPage?.data.at(0)?.items ?? [];

const UNDER_WAY = 'inProgress';
