// Signs checkpoints of the log: each states the order of the events since the one before it, the head of every session in
// between, and the hash of the checkpoint before it. They are events of the system session, so they are linked like all
// others; with the public key an exported log can be verified without the server. With several servers the first
// checkpoint wins, and a server that does not have the current key signs nothing.
import {
  CHECKPOINT,
  type Checkpoint,
  KEY_INTRODUCED,
  NO_CHECKPOINT,
  readCheckpoint,
  readIntroduction,
  signedText,
  statementOf,
} from '../core/checkpoint.ts';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { Ports, Reader, SigningKey } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { eventPage } from './event-page.ts';
import { openSession } from './ledger.ts';

/** The most events that one checkpoint covers, so that it stays a small event itself. */
const RANGE = 1000;

/** Signs every event that readers may see. */
export async function signLog(ports: Ports, isStopped: () => boolean = () => false): Promise<void> {
  while (!isStopped() && (await signRange(ports)));
}

/** Resolves to whether there is more. */
async function signRange(ports: Ports): Promise<boolean> {
  const { store, hash } = ports;
  const { last, events, hasMore } = await store.read(async (reader) => {
    const newest = await newestOf(reader);
    return { last: newest, ...(await eventPage(reader, {}, newest.through, RANGE)) };
  });
  // Checkpoints alone need no checkpoint; a whole range of them is covered by one.
  if (!hasMore && events.every(({ type }) => type === CHECKPOINT)) return false;
  const previous = last.data === undefined ? NO_CHECKPOINT : hash(last.data);
  await store.write(async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    if ((await newestOf(tx)).seq !== last.seq) return;
    const key = await currentKey(ports, tx);
    const statement = statementOf(events, last.through, previous, key.publicKey, hash);
    ledger.note(CHECKPOINT, { ...statement, signature: key.sign(signedText(statement)) });
    await ledger.close();
  });
  return hasMore;
}

async function newestOf(reader: Reader): Promise<{ seq: number; through: number; data?: string }> {
  const [event] = await reader.latest(SYSTEM_SESSION, CHECKPOINT, Number.MAX_SAFE_INTEGER, 1);
  if (!event) return { seq: 0, through: 0 };
  const { seq, data } = event;
  return { seq, through: checkpointOf(event).through_seq, data };
}

/** The pair whose turn it is to sign. */
export async function currentKey({ auditKeys }: Ports, reader: Reader): Promise<SigningKey> {
  const publicKey = await keyOfLog(reader);
  if (publicKey === undefined) return auditKeys.preferred();
  const key = auditKeys.find(publicKey);
  if (key) return key;
  throw fail(
    'audit_key_unavailable',
    `This server does not have the audit key ${publicKey}, which signs the log, and signs nothing until it has: put that key into its audit.key file, or the file given with --audit-key.`,
  );
}

/** The public key that a checkpoint must be signed with now; undefined before the first. */
export async function keyOfLog(reader: Reader): Promise<string | undefined> {
  const [introduced] = await reader.latest(SYSTEM_SESSION, KEY_INTRODUCED, Number.MAX_SAFE_INTEGER, 1);
  if (introduced) return (readIntroduction(introduced.data) ?? unreadable(introduced)).key;
  const [signed] = await reader.latest(SYSTEM_SESSION, CHECKPOINT, Number.MAX_SAFE_INTEGER, 1);
  return signed && checkpointOf(signed).key;
}

const checkpointOf = (event: Event): Checkpoint => readCheckpoint(event.data) ?? unreadable(event);

/** Nothing is signed after a statement that was damaged, because a new one would vouch for it. */
function unreadable({ seq, type }: Event): never {
  throw fail('record_unreadable', `Event ${seq} (${type}) of the log is damaged. See \`holdpoint audit verify\`.`);
}
