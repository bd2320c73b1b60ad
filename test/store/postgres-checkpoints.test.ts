// Several servers sign one log on PostgreSQL while a transaction with an earlier number is still open: no event is skipped,
// and their checkpoints follow each other.
// Covers: src/gateway/checkpoint.ts, src/store/postgres.ts
import { expect, it } from 'vitest';
import { Audit } from '../../src/core/audit.ts';
import type { Ports, Store } from '../../src/core/ports.ts';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { append, hash, keep, sessionOf } from '../conformance/store-samples.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();
const sealer = createSealer(Buffer.alloc(32, 7));
const portsOn = (store: Store): Ports => ({
  store,
  clock: { now: () => 1 },
  ids: { next: () => 'none', secret: () => 'none' },
  hash,
  sealer,
  isDispatchAgent: () => false,
  takesSettings: () => false,
});

it('signs every event below the safe horizon once', async () => {
  const { url, drop } = await postgres.database();
  const open = async () => (await openPostgres({ url, hash, poolSize: 4, pooled: false, onError: () => {} })).store;
  const stores = [await open(), await open()];
  const [here, there] = stores as [Store, Store];
  await keep(here, { sessions: [sessionOf(SYSTEM_SESSION), sessionOf('slow'), sessionOf('quick')] });
  const signAll = () => Promise.all(stores.map((store) => signLog(portsOn(store))));

  const goOn = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = here.write(async (tx) => {
    const session = await tx.lockSession('slow');
    if (!session) throw new Error('no session');
    await tx.appendEvents(session, [{ type: 'output', data: { text: 'first' } }], 1);
    begun.resolve();
    await goOn.promise;
    await tx.updateSession(session);
  });
  await begun.promise;
  await append(there, 'quick', ['a', 'b']);
  await signAll();
  goOn.resolve();
  await slow;
  await signAll();
  await append(there, 'slow', ['c']);
  await signAll();

  const log = await here.read((r) => r.events({}, 0, 500));
  const audit = new Audit(hash, verifySignature, [sealer.publicKey]);
  for (const event of log) audit.add(event);
  expect(audit.report()).toMatchObject({ faults: [], unsigned_events: 0, sessions: 3 });
  for (const store of stores) await store.close();
  await drop();
}, 120_000);
