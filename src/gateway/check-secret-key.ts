// Refuses to start a server whose secret key is not the key of its database: secrets could not be read or compared.
import { fail } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';

export async function checkSecretKey({ store, sealer }: Ports): Promise<void> {
  const own = sealer.mac('the key of this database');
  const kept = await store.write((tx) => tx.keepFact('sealer', own));
  if (kept === own) return;
  throw fail(
    'store_unavailable',
    'This database was made with another secret key. Put back the secret.key of its state folder, or set HOLDPOINT_SECRET_KEY to it.',
  );
}
