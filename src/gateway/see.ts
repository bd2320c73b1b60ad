// A surface has put an ask in front of a person. The first time is kept with the ask and in the session's log; whatever
// comes after it, or after the ask has ended, changes nothing and is no error: who looks need not know.
import type { Ports } from '../core/ports.ts';
import { seen } from '../core/sighting.ts';
import type { Actor } from '../core/token.ts';
import { openAsk } from './ledger.ts';

export function seeAsk(ports: Ports, askId: string, { name: by, surface }: Actor): Promise<void> {
  return ports.store.write(async (tx) => {
    const { ledger, ask } = await openAsk(ports, tx, askId);
    const changed = seen(ask, { by, surface, at_ms: ledger.now });
    if (!changed) return;
    await tx.updateSightings(changed);
    ledger.note('ask.seen', { by, surface }, ask.runId, ask.id);
    await ledger.close();
  });
}
