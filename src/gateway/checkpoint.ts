// Signs checkpoints of the log: each states the order of the events since the one before it, the head of every session in
// between, and the hash of the checkpoint before it. They are events of the system session, so they are linked like all
// others; with the public key an exported log can be verified without the server. With several servers the first
// checkpoint wins.
import { CHECKPOINT, type Checkpoint, NO_CHECKPOINT, signedText, statementOf } from '../core/checkpoint.ts';
import type { Ports, Reader } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { eventPage, LONGEST_PAGE } from './event-page.ts';
import { openSession } from './ledger.ts';

/** The most events that one checkpoint covers, so that it stays a small event itself. */
const RANGE = 1000;

/** Signs every event that readers may see. */
export async function signLog(ports: Ports, isStopped: () => boolean = () => false): Promise<void> {
  while (!isStopped() && (await signRange(ports)));
}

/** Resolves to whether there is more. */
async function signRange(ports: Ports): Promise<boolean> {
  const { store, sealer, hash } = ports;
  const { last, events, hasMore } = await store.read(async (reader) => {
    const newest = await newestOf(reader);
    return { last: newest, ...(await eventPage(reader, {}, newest.through, RANGE, LONGEST_PAGE)) };
  });
  // Checkpoints alone need no checkpoint; a whole range of them is covered by one.
  if (!hasMore && events.every(({ type }) => type === CHECKPOINT)) return false;
  const previous = last.data === undefined ? NO_CHECKPOINT : hash(last.data);
  const statement = statementOf(events, last.through, previous, sealer.publicKey, hash);
  await store.write(async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    if ((await newestOf(tx)).seq !== last.seq) return;
    ledger.note(CHECKPOINT, { ...statement, signature: sealer.sign(signedText(statement)) });
    await ledger.close();
  });
  return hasMore;
}

async function newestOf(reader: Reader): Promise<{ seq: number; through: number; data?: string }> {
  const [event] = await reader.latest(SYSTEM_SESSION, CHECKPOINT, Number.MAX_SAFE_INTEGER, 1);
  if (!event) return { seq: 0, through: 0 };
  const { seq, data } = event;
  return { seq, through: (JSON.parse(data) as Checkpoint).through_seq, data };
}
