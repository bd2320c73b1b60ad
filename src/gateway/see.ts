// Records that a surface has shown an ask to a person: once per person and surface, with the ask and in the session's log.
// A repeat, or a sighting of an ended ask, changes nothing and is no error.
import type { Ports } from '../core/ports.ts';
import { seen } from '../core/sighting.ts';
import type { Actor } from '../core/token.ts';
import { openAsk } from './ledger.ts';

export function seeAsk(ports: Ports, askId: string, { name: by, surface, tokenId: token_id }: Actor): Promise<void> {
  return ports.store.write(async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, askId);
    const changed = seen(ask, { by, surface, at_ms: ledger.now });
    if (!changed) return;
    await tx.update('ask', changed);
    ledger.note('ask.seen', { by, surface, token_id }, ask.runId, ask.id);
    await ledger.close();
  });
}
