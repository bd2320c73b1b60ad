// Marks the answer of an ended ask as delivered or undeliverable. Only a due delivery changes.
import type { EndedAsk } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import type { Ledger } from './ledger.ts';

export async function markDelivery(
  ledger: Ledger,
  askId: string,
  state: 'delivered' | 'undeliverable',
  reason?: string,
): Promise<void> {
  const ask = await ledger.tx.get('ask', askId);
  if (!ask || ask.status === 'pending') throw fail('ask_state_conflict', `Ask ${askId} has not ended yet.`);
  if (ask.delivery.state === 'due') await mark(ledger, ask, state, reason);
}

/** The same for an ask that was read in this transaction and is known to be due. */
export async function mark(
  ledger: Ledger,
  ask: EndedAsk,
  state: 'delivered' | 'undeliverable',
  reason?: string,
): Promise<void> {
  const deliveredAt = state === 'delivered' ? ledger.now : undefined;
  // Some agents acknowledge as they take the answer: that is an attempt too. An answer that was never sent has none.
  const attempts = state === 'delivered' ? Math.max(1, ask.delivery.attempts) : ask.delivery.attempts;
  ask.delivery = { state, attempts, deliveredAt, reason };
  ask.sealed = undefined;
  await ledger.tx.update('ask', ask);
  const data = { outcome: ask.status, ...(reason !== undefined && { reason }) };
  ledger.note(state === 'delivered' ? 'ask.delivered' : 'ask.undeliverable', data, ask.runId, ask.id);
}
