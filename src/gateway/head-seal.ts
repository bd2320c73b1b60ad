// Seals the end of every session's log with a keyed hash, so that events which no checkpoint covers yet cannot be changed
// or cut off, and linked again, by who can write the database but not read the key. A seal that was broken once stays
// broken: the session goes on, and `audit verify` reports it.

import { CHECKPOINT, isChained, readCheckpoint } from '../core/checkpoint.ts';
import type { Ports, Reader, Sealer } from '../core/ports.ts';
import { type Session, SYSTEM_SESSION } from '../core/session.ts';

const BROKEN = '';
const BATCH = 500;

type Head = Pick<Session, 'id' | 'headSeq' | 'headHash' | 'headMac'>;

const sealOf = (sealer: Sealer, { id, headSeq, headHash }: Head): string =>
  sealer.mac(`the log of ${JSON.stringify(id)} ends at ${headSeq} with ${headHash}`);

/** A session without events needs no seal. */
export const isSealed = (sealer: Sealer, head: Head): boolean =>
  head.headSeq === 0 || head.headMac === sealOf(sealer, head);

/** `wasSealed`: before the events that were just appended. */
export function seal(sealer: Sealer, session: Session, wasSealed: boolean): void {
  session.headMac = wasSealed ? sealOf(sealer, session) : BROKEN;
}

/**
 * Seals the sessions of a database of version 0.1. Chained checkpoints come after that: once there is one, a session
 * without a seal is a forged one.
 */
export async function sealOldHeads(ports: Ports): Promise<void> {
  if (await ports.store.read(hasChainedCheckpoint)) return;
  for (let sealed = BATCH; sealed === BATCH; )
    sealed = await ports.store.write(async (tx) => {
      const sessions = await tx.unsealedSessions(BATCH);
      for (const { id } of sessions) {
        const session = await tx.lockSession(id);
        if (session?.headMac !== undefined) continue;
        if (session) await tx.update('session', { ...session, headMac: sealOf(ports.sealer, session) });
      }
      return sessions.length;
    });
}

export async function hasChainedCheckpoint(reader: Reader): Promise<boolean> {
  const [event] = await reader.latest(SYSTEM_SESSION, CHECKPOINT, Number.MAX_SAFE_INTEGER, 1);
  if (!event) return false;
  const said = readCheckpoint(event.data);
  return !said || isChained(said);
}
