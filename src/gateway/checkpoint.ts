// Signed checkpoints: from time to time the server vouches for where every session's log stood. They are events of the
// system's own session, so they are linked like everything else; whoever has the public key can check an exported log
// without the server. Several servers may be at it: whoever finds that another was quicker leaves it.
import { CHECKPOINT, type Statement, statementText } from '../core/audit.ts';
import type { Event } from '../core/event.ts';
import type { Ports, Reader } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { openSession } from './ledger.ts';

/** How many events one checkpoint covers at most: it is one event itself, and should stay a small one. */
const STRETCH = 1000;

/** Until everything that may be shown is signed. */
export async function signLog(ports: Ports, isStopped: () => boolean = () => false): Promise<void> {
  while (!isStopped() && (await signStretch(ports)));
}

/** Resolves to whether there is more. */
async function signStretch(ports: Ports): Promise<boolean> {
  const { store, sealer } = ports;
  const { last, events } = await store.read(async (reader) => {
    const newest = await newestOf(reader);
    return { last: newest, events: await reader.events({}, newest.through, STRETCH) };
  });
  // Nothing but checkpoints needs no other one; a whole stretch of them is passed over by one.
  if (events.length < STRETCH && events.every(({ type }) => type === CHECKPOINT)) return false;
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
  return events.length === STRETCH;
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
