// Several servers sign one log on PostgreSQL while a transaction with an earlier number is still open, and while the signing
// key is rotated: no event is skipped, and their checkpoints follow each other.
// Covers: src/gateway/audit-key.ts, src/gateway/checkpoint.ts, src/store/postgres.ts
import { expect, it } from 'vitest';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { Audit } from '../../src/core/audit.ts';
import type { Ports, Store } from '../../src/core/ports.ts';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import { rotateAuditKey } from '../../src/gateway/audit-key.ts';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { append, hash, keep, sessionOf } from '../conformance/store-samples.ts';
import { EarlierServer } from '../support/earlier-server.ts';
import { sealer } from '../support/postgres.ts';
import { temporaryFolder } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();
const folder = temporaryFolder();
const portsOn = (store: Store): Ports => ({
  store,
  clock: { now: () => 1 },
  ids: { next: () => 'none', secret: () => 'none' },
  hash,
  sealer,
  auditKeys: openAuditKeys(undefined, folder, sealer),
  isDispatchAgent: () => false,
  takesSettings: () => false,
});

async function twoStores() {
  const { url, drop } = await postgres.database();
  const open = async () =>
    (await openPostgres({ url, hash, sealer, poolSize: 4, pooled: false, onError: () => {} })).store;
  const stores: [Store, Store] = [await open(), await open()];
  const close = async () => {
    for (const store of stores) await store.close();
    await drop();
  };
  return { stores, close, url };
}

async function reportOf(store: Store) {
  const audit = new Audit(hash, verifySignature, [sealer.publicKey]);
  for (const event of await store.read((r) => r.events({}, 0, 500))) audit.add(event);
  return audit.report();
}

it('signs every event below the safe horizon once', async () => {
  const { stores, close, url } = await twoStores();
  const [here, there] = stores;
  await keep(here, { sessions: [sessionOf(SYSTEM_SESSION), sessionOf('slow'), sessionOf('quick')] });
  const signAll = () => Promise.all(stores.map((store) => signLog(portsOn(store))));

  const slow = await EarlierServer.connect(url);
  await slow.begin();
  await slow.lockSession('slow');
  await slow.append('slow', 'first');
  await append(there, 'quick', ['a', 'b']);
  await signAll();
  await slow.commit();
  await signAll();
  await append(there, 'slow', ['c']);
  await signAll();

  expect(await reportOf(here)).toMatchObject({ faults: [], unsigned_events: 0, sessions: 3 });
  await slow.end();
  await close();
}, 120_000);

it('rotates the key of two servers that share its file while both sign', async () => {
  const { stores, close } = await twoStores();
  const [here, there] = stores;
  const [ports, others] = [portsOn(here), portsOn(there)];
  await keep(here, { sessions: [sessionOf(SYSTEM_SESSION), sessionOf('a'), sessionOf('b')] });
  await signLog(ports);
  for (let round = 0; round < 3; round++)
    await Promise.all([
      append(here, 'a', ['x', 'y']),
      rotateAuditKey(ports),
      signLog(others),
      rotateAuditKey(others),
      append(there, 'b', ['z']),
    ]);
  await signLog(others);
  expect(await reportOf(here)).toMatchObject({
    faults: [],
    unsigned_events: 0,
    keys: { length: 7, 0: sealer.publicKey, 6: others.auditKeys.preferred().publicKey },
  });
  await close();
}, 120_000);
