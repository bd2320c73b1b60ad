// Posts the server's own items to a session's thread. An item is an event of the session and nothing else: the thread is
// folded from the log (core/thread.ts). What people post is in post.ts.
import type { Ledger } from './ledger.ts';

export function postNote(ledger: Ledger, text: string, about: Record<string, unknown>): void {
  postItem(ledger, text, { type: 'status', ...about });
}

export function postItem(ledger: Ledger, text: string, metadata: Record<string, unknown>): void {
  const { agentId } = ledger.session;
  ledger.note('item.posted', { role: 'worker', author: agentId, content: [{ type: 'text', text }], metadata });
}
