// Refuses to start a server whose secret key is not the key of its database: secrets could not be read or compared.
import { fail } from '../core/errors.ts';
import type { Ports, Sealer } from '../core/ports.ts';

/** The fact by which a database knows its key. */
export const KEY_FACT = 'sealer';
export const keyMark = (sealer: Sealer): string => sealer.mac('the key of this database');

export async function checkSecretKey({ store, sealer }: Ports): Promise<void> {
  const own = keyMark(sealer);
  const kept = await store.write((tx) => tx.keepFact(KEY_FACT, own));
  if (kept === own) return;
  throw fail(
    'store_unavailable',
    'This database was made with another secret key. Put back the secret.key of its state folder, or set HOLDPOINT_SECRET_KEY to it.',
  );
}
