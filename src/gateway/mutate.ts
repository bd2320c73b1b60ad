// Runs every change in one transaction, together with the stored response of its idempotency key.
// A unit may also refuse *after* a change (a late answer expires an overdue ask): it returns the refusal, the change
// commits, and only then is the refusal thrown. The key stays unused.
import { fail, HoldpointError, type Refusal } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { storedText, storedView } from './stored-view.ts';

export interface Key {
  scope: string;
  fingerprint: string;
}

export interface Reply<T> {
  created: boolean;
  view: T;
}

export interface Refused {
  refused: Refusal;
}

export const made = <T>(view: T): Reply<T> => ({ created: true, view });
export const ok = <T>(view: T): Reply<T> => ({ created: false, view });

interface MutateOptions {
  /** The view holds a secret: its stored copy is encrypted. */
  secret?: boolean;
}

export async function mutate<T>(
  ports: Ports,
  key: Key | undefined,
  unit: (tx: Tx) => Promise<Reply<T> | Refused>,
  options: MutateOptions = {},
): Promise<Reply<T>> {
  const result = await ports.store.write((tx) => (key ? keyed(ports, tx, key, unit, options) : unit(tx)));
  if ('refused' in result) throw new HoldpointError(result.refused);
  return result;
}

async function keyed<T>(
  ports: Ports,
  tx: Tx,
  key: Key,
  unit: (tx: Tx) => Promise<Reply<T> | Refused>,
  options: MutateOptions,
): Promise<Reply<T> | Refused> {
  const { sealer } = ports;
  const known = await tx.lockKey(key.scope);
  if (known) {
    if (known.fingerprint !== key.fingerprint)
      throw fail('idempotency_conflict', 'This key was already used here with a different payload. Use a new key.');
    const body = options.secret ? sealer.open(known.body) : known.body;
    return { created: known.created, view: (await storedView(tx, body)) as T };
  }
  const result = await unit(tx);
  if ('refused' in result) return result;
  const json = storedText(result.view);
  const body = options.secret ? sealer.seal(json) : json;
  await tx.insert('response', { ...key, created: result.created, body, createdAt: ports.clock.now() });
  return result;
}
