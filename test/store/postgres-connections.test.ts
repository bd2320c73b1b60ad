// Lost connections, and servers of an earlier release that stop inside a transaction: others wait a few seconds at most,
// nothing of the transaction remains, and the store works on. Unhandled errors fail this file.
// Covers: src/store/postgres.ts
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { append, hash, keep, sessionOf } from '../conformance/store-samples.ts';
import { EarlierServer } from '../support/earlier-server.ts';
import { type PostgresServer, sealer, startPostgres } from '../support/postgres.ts';

let postgres: PostgresServer;
let url: string;
let drop: () => Promise<void>;
let here: Store;
let there: Store;

beforeAll(async () => {
  postgres = await startPostgres();
}, 180_000);
afterAll(() => postgres.stop());
beforeEach(async () => {
  ({ url, drop } = await postgres.database());
  const options = { url, hash, sealer, poolSize: 4, pooled: false, onError: () => {} };
  here = (await openPostgres(options)).store;
  there = (await openPostgres(options)).store;
  await keep(here, { sessions: [sessionOf('s1'), sessionOf('s2')] });
}, 60_000);
afterEach(async () => {
  await here.close();
  await there.close();
  await drop();
});

const unavailable = { code: 'store_unavailable' };

const OTHERS = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
const WAITING = `SELECT 1 ${OTHERS} AND wait_event = 'transactionid'`;
/** First those that wait: what holds them must not end before. */
const CUT_ALL = `SELECT pg_terminate_backend(pid) FROM (SELECT pid ${OTHERS} ORDER BY wait_event = 'transactionid' DESC NULLS LAST) o`;

/** The number of rows. */
async function asAdministrator(text: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(text);
  await client.end();
  return rowCount;
}

it('refuses the commit of a cut connection, keeps nothing of it, and works on with new connections', async () => {
  for (let i = 0; i < 3; i++) {
    // Holds the key of a unit until all connections are cut, so that its commit is under way then.
    const holder = new pg.Client({ connectionString: url });
    holder.on('error', () => {});
    await holder.connect();
    await holder.query(`BEGIN; INSERT INTO responses VALUES ('taken', '', 0, '', 1)`);
    const cut = here.write(async (tx) => {
      const session = await tx.lockSession('s1');
      if (!session) throw new Error('no session');
      await tx.appendEvents(session, [{ type: 'output', data: { text: 'half' } }], 1);
      await tx.update('session', session);
      await tx.insert('response', { scope: 'taken', fingerprint: '', created: false, body: '', createdAt: 1 });
    });
    cut.catch(() => {});
    await expect.poll(() => asAdministrator(WAITING)).toBe(1);
    await asAdministrator(CUT_ALL);
    await expect(cut).rejects.toMatchObject(unavailable);
  }
  await append(here, 's1', ['after']);
  const events = await there.read((r) => r.events({ sessionId: 's1' }, 0, 99));
  expect(events.map((event) => JSON.parse(event.data).text)).toEqual(['after']);
}, 60_000);

it('writes on after a server of an earlier release stopped inside a transaction', async () => {
  const earlier = await EarlierServer.connect(url);
  await earlier.begin();
  await earlier.lockSession('s1');
  await earlier.append('s1', 'half');
  // Another session is not locked, but what is written there stays behind the horizon for now.
  await append(there, 's2', ['meanwhile']);
  expect(await there.read((r) => r.events({}, 0, 99))).toEqual([]);
  await append(there, 's1', ['next']);
  const shown = await there.read((r) => r.events({}, 0, 99));
  expect(shown.map((event) => JSON.parse(event.data).text)).toEqual(['meanwhile', 'next']);
  await earlier.end();
}, 60_000);

it('refuses a request while a server of an earlier release works on one with the same key', async () => {
  const earlier = await EarlierServer.connect(url);
  await earlier.begin();
  await earlier.lockKey('the same');
  // Busy, not idle: the database sees that it is at work.
  const busy = setInterval(() => earlier.lockSession('s1'), 500);
  const twin = there.write((tx) => tx.lockKey('the same'));
  await expect(twin).rejects.toMatchObject({ code: 'idempotency_conflict' });
  clearInterval(busy);
  await earlier.commit();
  expect(await there.write((tx) => tx.lockKey('the same'))).toBeUndefined();
  await earlier.end();
}, 60_000);
