// What Codex is doing at the moment: the items of its threads that have begun and have not ended. Its requests name them,
// and say little else of what they are about. Owns nothing but this memory, and how to fill it where the beginning was
// missed.
import type { z } from 'zod';
import { type Item, type ItemNotice, TurnsReply } from './codex-protocol.ts';
import type { Peer } from './wire/jsonrpc.ts';

export interface UnderWay {
  see(notice: z.infer<typeof ItemNotice>, isOver: boolean): void;
  /** A turn is over, and with it whatever had begun in its thread. */
  over(threadId: string): void;
  of(threadId: string): Item[];
  /** Joins a thread. Its requests that are open are told again to every listener that comes. */
  catchUp(threadId: string): Promise<unknown>;
}

export function createUnderWay(peer: Pick<Peer, 'request'>): UnderWay {
  const items = new Map<string, Map<string, Item>>();

  function put(threadId: string, item: Item): void {
    if (!item.id) return;
    const known = items.get(threadId) ?? new Map<string, Item>();
    items.set(threadId, known.set(item.id, item));
  }

  return {
    see({ threadId, item }, isOver) {
      if (isOver) items.get(threadId)?.delete(item.id ?? '');
      else put(threadId, item);
    },
    over: (threadId) => void items.delete(threadId),
    of: (threadId) => [...(items.get(threadId)?.values() ?? [])],
    async catchUp(threadId) {
      const initialTurnsPage = { limit: 1, itemsView: 'full' };
      const reply = await peer.request('thread/resume', { threadId, excludeTurns: true, initialTurnsPage });
      for (const item of TurnsReply.parse(reply).initialTurnsPage?.data.at(0)?.items ?? [])
        if (item.status === UNDER_WAY) put(threadId, item);
      return reply;
    },
  };
}

const UNDER_WAY = 'inProgress';
