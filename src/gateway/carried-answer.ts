// The answer of a form or a restart, which the run after the held one carries to the agent: when the agent has it. A worker
// that takes the run has it thereby. Any other agent says so by the ask's id, or shows it by working in that run, whose
// input it is. Nothing here decides what was answered.
import type { Run } from '../core/run.ts';
import type { Ledger } from './ledger.ts';
import { mark, markDelivery } from './mark-delivery.ts';

/** The agent is at work in the run. A secret answer is not in its input: that stays due until the agent has fetched it. */
export async function takeCarried(ledger: Ledger, { carriesAskId }: Run): Promise<void> {
  if (carriesAskId === undefined) return;
  const ask = await ledger.tx.ask(carriesAskId);
  if (!ask || ask.status === 'pending' || ask.sealed !== undefined) return;
  if (ask.delivery.state === 'due') await mark(ledger, ask, 'delivered');
}

/** The run is over. One that came to its own end had what it carried. */
export async function endCarried(ledger: Ledger, { carriesAskId }: Run, status: string, why?: string): Promise<void> {
  if (carriesAskId === undefined) return;
  if (status === 'completed') return markDelivery(ledger, carriesAskId, 'delivered');
  return markDelivery(ledger, carriesAskId, 'undeliverable', why ?? `the run that carried it was ${status}`);
}
