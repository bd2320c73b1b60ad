// Items that the server itself puts into a session's thread.
import type { Item } from '../core/item.ts';
import type { Ledger } from './ledger.ts';

export function postNote(ledger: Ledger, text: string, about: Record<string, unknown>): Promise<void> {
  return postItem(ledger, text, { type: 'status', ...about });
}

export async function postItem(ledger: Ledger, text: string, metadata: Record<string, unknown>): Promise<void> {
  const { session, ports, tx, now } = ledger;
  session.itemCount += 1;
  const item: Item = {
    id: ports.ids.next('itm'),
    sessionId: session.id,
    position: session.itemCount,
    role: 'worker',
    author: session.agentId,
    content: [{ type: 'text', text }],
    metadata,
    createdAt: now,
  };
  await tx.insertItem(item);
  ledger.note('item.posted', { item_id: item.id, type: metadata.type });
}
