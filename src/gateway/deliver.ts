// The agent's side acknowledges that it has an answer. Until then the answer is due; a repeated acknowledgement is
// recognised and changes nothing.
import { answeredDigest } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { AskView } from '../core/views.ts';
import { checkLease } from './lease.ts';
import { openAsk } from './ledger.ts';
import { markDelivery } from './mark-delivery.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { askView } from './views.ts';

export interface AcknowledgeCommand {
  askId: string;
  state: 'delivered' | 'undeliverable';
  /** Digest of what the agent is about to run: it must be the digest that was answered. */
  digest?: string | undefined;
  reason?: string | undefined;
  leaseEpoch?: number | undefined;
  key?: Key | undefined;
}

export function acknowledge(ports: Ports, command: AcknowledgeCommand): Promise<Reply<AskView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, command.askId);
    if (ask.status === 'pending')
      throw fail('ask_state_conflict', 'The ask is still pending: there is no answer to acknowledge.');
    if (command.leaseEpoch !== undefined) {
      const run = (await tx.carryingRun(ask.id)) ?? (await tx.run(ask.runId));
      if (run) checkLease(run, command.leaseEpoch);
    }
    if (command.digest !== undefined && command.digest !== answeredDigest(ask))
      throw fail(
        'ask_digest_mismatch',
        `The answer is for ${answeredDigest(ask)}, not for ${command.digest}. Ask again.`,
      );
    if (ask.delivery.state === command.state) return ok(askView(ask));
    if (ask.delivery.state !== 'due')
      throw fail('ask_state_conflict', `The answer was already marked ${ask.delivery.state}.`);
    await markDelivery(ledger, ask.id, command.state, command.reason);
    await ledger.close();
    const marked = await tx.ask(ask.id);
    return ok(askView(marked ?? ask));
  });
}
