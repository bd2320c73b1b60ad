// Decides when the answer of a form or a restart, which the next run carries to the agent, counts as delivered: when a
// worker claims that run, when the agent acknowledges the ask, or when it works in that run.
import type { Run } from '../core/run.ts';
import type { Ledger } from './ledger.ts';
import { mark, markDelivery } from './mark-delivery.ts';

/** The agent works in the run. A secret answer is not in its input and stays due until the agent has fetched it. */
export async function takeCarried(ledger: Ledger, { carriesAskId }: Run): Promise<void> {
  if (carriesAskId === undefined) return;
  const ask = await ledger.tx.get('ask', carriesAskId);
  if (!ask || ask.status === 'pending' || ask.sealed !== undefined) return;
  if (ask.delivery.state === 'due') await mark(ledger, ask, 'delivered');
}

/** The run is over. A completed one had the answer. */
export async function endCarried(ledger: Ledger, { carriesAskId }: Run, status: string, why?: string): Promise<void> {
  if (carriesAskId === undefined) return;
  if (status === 'completed') return markDelivery(ledger, carriesAskId, 'delivered');
  return markDelivery(ledger, carriesAskId, 'undeliverable', why ?? `the run that carried it was ${status}`);
}
