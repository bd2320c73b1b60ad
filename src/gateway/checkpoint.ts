// Signs checkpoints of the log: each states the head of every session. They are events of the system session, so they are
// linked like all others; with the public key an exported log can be verified without the server. With several servers
// the first checkpoint wins.
import { CHECKPOINT, type Statement, statementText } from '../core/audit.ts';
import type { Event } from '../core/event.ts';
import type { Ports, Reader } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { openSession } from './ledger.ts';

/** The most events that one checkpoint covers, so that it stays a small event itself. */
const RANGE = 1000;

/** Signs every event that readers may see. */
export async function signLog(ports: Ports, isStopped: () => boolean = () => false): Promise<void> {
  while (!isStopped() && (await signRange(ports)));
}

/** Resolves to whether there is more. */
async function signRange(ports: Ports): Promise<boolean> {
  const { store, sealer } = ports;
  const { last, events } = await store.read(async (reader) => {
    const newest = await newestOf(reader);
    return { last: newest, events: await reader.events({}, newest.through, RANGE) };
  });
  // Checkpoints alone need no checkpoint; a whole range of them is covered by one.
  if (events.length < RANGE && events.every(({ type }) => type === CHECKPOINT)) return false;
  const statement: Statement = {
    after_seq: last.through,
    through_seq: events.at(-1)?.seq ?? last.through,
    heads: headsOf(events),
  };
  await store.write(async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    if ((await newestOf(tx)).seq !== last.seq) return;
    const signature = sealer.sign(statementText(statement));
    ledger.note(CHECKPOINT, { ...statement, key: sealer.publicKey, signature });
    await ledger.close();
  });
  return events.length === RANGE;
}

async function newestOf(reader: Reader): Promise<{ seq: number; through: number }> {
  const [event] = await reader.latest(SYSTEM_SESSION, CHECKPOINT, Number.MAX_SAFE_INTEGER, 1);
  return event
    ? { seq: event.seq, through: (JSON.parse(event.data) as Statement).through_seq }
    : { seq: 0, through: 0 };
}

function headsOf(events: readonly Event[]): Statement['heads'] {
  const heads = new Map(events.map((event) => [event.sessionId, event]));
  return [...heads.values()].map(({ sessionId, sessionSeq, hash }) => ({
    session_id: sessionId,
    session_seq: sessionSeq,
    hash,
  }));
}
