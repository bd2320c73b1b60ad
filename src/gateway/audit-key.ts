// Replaces the key that signs the log. The key before it signs the introduction of the new one, which is an event: with the
// first public key a verifier can follow all others.
import { introductionText, KEY_INTRODUCED, readIntroduction } from '../core/checkpoint.ts';
import type { Ports, SigningKey } from '../core/ports.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { AuditKeyView } from '../core/views.ts';
import { currentKey, keyOfLog, signLog } from './checkpoint.ts';
import { type Ledger, openSession } from './ledger.ts';
import { type Key, made, mutate, type Reply } from './mutate.ts';

const MOST_KEYS = 500;

/** The old key signs what there is, and the introduction; the new one everything from there on. */
export async function rotateAuditKey(ports: Ports, key?: Key): Promise<Reply<AuditKeyView>> {
  await signLog(ports);
  let next: SigningKey | undefined;
  const reply = await mutate(ports, key, async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    const previous = await currentKey(ports, tx);
    // Once, however often the unit runs: it is stored outside of the database.
    next ??= ports.auditKeys.prepare();
    introduce(ledger, next, previous);
    await ledger.close();
    return made({ key: next.publicKey, introduced_at_ms: ledger.now, is_current: true });
  });
  await signLog(ports);
  return reply;
}

/** Introduces a key that the operator has put in the place of the one that signs, where this server has both. */
export async function introduceOwnKey(ports: Ports): Promise<void> {
  await ports.store.write(async (tx) => {
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    // A damaged log is still served, so that it can be audited; nothing is signed in it.
    const publicKey = await keyOfLog(tx).catch(() => undefined);
    const previous = publicKey === undefined ? undefined : ports.auditKeys.find(publicKey);
    const own = ports.auditKeys.preferred();
    if (!previous || previous.publicKey === own.publicKey) return;
    introduce(ledger, own, previous);
    await ledger.close();
  });
}

function introduce(ledger: Ledger, { publicKey: key }: SigningKey, previous: SigningKey): void {
  const statement = { key, previous_key: previous.publicKey };
  ledger.note(KEY_INTRODUCED, { ...statement, signature: previous.sign(introductionText(statement)) });
}

/** Every key that has signed or may sign, the first one first. */
export function listAuditKeys(ports: Ports): Promise<AuditKeyView[]> {
  return ports.store.read(async (r) => {
    const latest = await r.latest(SYSTEM_SESSION, KEY_INTRODUCED, Number.MAX_SAFE_INTEGER, MOST_KEYS);
    const introduced = latest.reverse().flatMap(({ at, data }) => {
      const said = readIntroduction(data);
      return said ? [{ ...said, introduced_at_ms: at }] : [];
    });
    const first = introduced[0]?.previous_key ?? (await keyOfLog(r)) ?? ports.auditKeys.preferred().publicKey;
    const keys = [{ key: first }, ...introduced.map(({ key, introduced_at_ms }) => ({ key, introduced_at_ms }))];
    return keys.map((key, i) => ({ ...key, is_current: i === keys.length - 1 }));
  });
}
