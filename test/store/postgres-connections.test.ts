// Lost connections and servers that stop inside a transaction: other servers wait a few seconds at most, nothing of the
// transaction remains, and the store works on. Unhandled errors fail this file.
// Covers: src/store/postgres.ts
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { append, hash, keep, sessionOf } from '../conformance/store-samples.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

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
  const options = { url, hash, poolSize: 4, pooled: false, onError: () => {} };
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

async function cutAll(): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

/** Takes the session's lock, appends, and then does nothing until it is told to go on. */
function stopInTheMiddle(store: Store) {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let stopped = () => {};
  const isStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const done = store.write(async (tx) => {
    const session = await tx.lockSession('s1');
    if (!session) throw new Error('no session');
    await tx.appendEvents(session, [{ type: 'output', data: { text: 'half' } }], 1);
    stopped();
    await until;
    await tx.updateSession(session);
  });
  done.catch(() => {});
  return { isStopped, goOn, done };
}

it('fails the transaction of a cut connection, keeps nothing of it, and works on with new connections', async () => {
  for (let i = 0; i < 3; i++) {
    const middle = stopInTheMiddle(here);
    await middle.isStopped;
    await cutAll();
    // Both of its last words have arrived by then.
    await sleep(200);
    middle.goOn();
    await expect(middle.done).rejects.toMatchObject(unavailable);
  }
  await append(here, 's1', ['after']);
  const events = await there.read((r) => r.events({ sessionId: 's1' }, 0, 99));
  expect(events.map((event) => JSON.parse(event.data).text)).toEqual(['after']);
}, 60_000);

it('unlocks the session and the log of a server that stopped inside a transaction', async () => {
  const middle = stopInTheMiddle(here);
  await middle.isStopped;
  // Another session is not locked, but what is written there stays behind the horizon for now.
  await append(there, 's2', ['meanwhile']);
  expect(await there.read((r) => r.events({}, 0, 99))).toEqual([]);
  for (;;) {
    const failure = await append(there, 's1', ['next']).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) break;
    expect(failure).toMatchObject(unavailable);
  }
  const shown = await there.read((r) => r.events({}, 0, 99));
  expect(shown.map((event) => JSON.parse(event.data).text)).toEqual(['meanwhile', 'next']);
  middle.goOn();
  await expect(middle.done).rejects.toMatchObject(unavailable);
}, 60_000);

it('refuses a concurrent request with the same key after five seconds while the first is still running', async () => {
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const first = here.write(async (tx) => {
    await tx.lockKey('the same');
    locked();
    // Busy, not idle: the database sees that somebody is at work.
    for (let waiting = true; waiting; ) {
      await tx.session('s1');
      waiting = await Promise.race([until.then(() => false), sleep(100, true)]);
    }
    return 'done';
  });
  await isLocked;
  const twin = there.write((tx) => tx.lockKey('the same'));
  await expect(twin).rejects.toMatchObject({ code: 'idempotency_conflict' });
  goOn();
  expect(await first).toBe('done');
  expect(await there.write((tx) => tx.lockKey('the same'))).toBeUndefined();
}, 60_000);
