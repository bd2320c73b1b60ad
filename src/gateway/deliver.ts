// Acknowledges the delivery of an answer. Until then the answer is due, also while it is on its way to an agent that may
// be slow or end before it acknowledges. Idempotent.
import { answeredDigest, type EndedAsk } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { isTerminal } from '../core/run.ts';
import type { Actor } from '../core/token.ts';
import type { AskView } from '../core/views.ts';
import { cancelledCall } from './cancelled-call.ts';
import { openAsk } from './ledger.ts';
import { mark } from './mark-delivery.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { askView } from './views.ts';
import { checkAskLease } from './worker-rights.ts';

export interface AcknowledgeCommand {
  askId: string;
  /** `sent`: it is on its way to the agent, which has not acknowledged it yet. `returned`: that failed. */
  state: 'delivered' | 'undeliverable' | 'sent' | 'returned';
  /** Digest of what the agent is about to run: it must be the digest that was answered. */
  digest?: string | undefined;
  reason?: string | undefined;
  actor?: Actor | undefined;
  leaseEpoch?: number | undefined;
  /** The tool call it is for: refused if that was cancelled, at whichever server. */
  call?: string | undefined;
  key?: Key | undefined;
}

export function acknowledge(ports: Ports, command: AcknowledgeCommand): Promise<Reply<AskView>> {
  return mutate(ports, command.key, async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, command.askId);
    await checkAskLease(ledger, ask, command);
    if (ask.status === 'pending')
      throw fail('ask_state_conflict', 'The ask is still pending: there is no answer to acknowledge.');
    if ((await tx.get('run', ask.runId))?.clarification)
      throw fail('ask_state_conflict', 'A clarification is delivered by mail: its child acknowledges the message.');
    if (command.digest !== undefined && command.digest !== answeredDigest(ask))
      throw fail(
        'ask_digest_mismatch',
        `The answer is for ${answeredDigest(ask)}, not for ${command.digest}. Ask again.`,
      );
    if (ask.delivery.state === command.state) return ok(askView(ask));
    if (ask.delivery.state !== 'due')
      throw fail('ask_state_conflict', `The answer was already marked ${ask.delivery.state}.`);
    if (await waitsForItsRun(tx, ask))
      throw fail('ask_state_conflict', 'The next run carries this answer; it is delivered when that run begins.');
    if (command.call !== undefined && (await tx.lockKey(cancelledCall(command.call, ports.hash))))
      throw fail('ask_state_conflict', 'The call that the answer was for has been cancelled.');
    if (command.state === 'sent' || command.state === 'returned') {
      const isSent = command.state === 'sent';
      ask.delivery.attempts = isSent ? ask.delivery.attempts + 1 : 0;
      ask.delivery.sentAt = isSent ? ledger.now : undefined;
      await tx.update('ask', ask);
      return ok(askView(ask));
    }
    await mark(ledger, ask, command.state, command.reason);
    await ledger.close();
    return ok(askView(ask));
  });
}

/** The held run cannot take the answer of a form or a restart while it still waits for another ask. */
async function waitsForItsRun(tx: Tx, ask: EndedAsk): Promise<boolean> {
  if (ask.mode !== 'form' && ask.mode !== 'restart') return false;
  const run = await tx.get('run', ask.runId);
  return run !== undefined && !isTerminal(run.status);
}
