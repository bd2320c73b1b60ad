// Copying a database from SQLite to PostgreSQL: agents and people at work, the server dies, its database is copied with two
// interruptions, and everything continues there without a loss.
// Covers: src/boot/database.ts, src/cli/commands/db.ts
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { copyToPostgres } from '../../src/store/copy.ts';
import { audit } from '../faults/auditor.ts';
import { accountOf } from '../faults/knowledge.ts';
import { startLoad } from '../faults/load.ts';
import type { Server } from '../faults/phoenix.ts';
import { type Received, type Sent, send } from '../support/http.ts';
import { spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const ENV = {
  HOLDPOINT_TOKEN: 'one-token-for-both-houses',
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};
const RETRY_MS = 20;

const postgres = postgresForAll();

it('continues in PostgreSQL where it stopped in SQLite, after a copy that was interrupted twice', async () => {
  const { url } = await postgres.database();
  const data = temporaryFolder();
  const address = new Address();
  const old = await startHoldpoint({ via: 'main', data, env: ENV });
  address.current = old.url;
  const load = await startLoad(address, seeded('copy'), 8, 4, { hosted: 2 });
  const applied = async (count: number) => {
    while (load.knowledge.applied.length < count && load.knowledge.faults.length === 0) await sleep(RETRY_MS);
  };
  await applied(40);
  address.current = undefined;
  await old.end('SIGKILL');
  const again = await startHoldpoint({ via: 'main', data, env: ENV, args: ['--no-worker'] });
  const before = await accountOf((sent) => send(again.url, { token: address.token, ...sent }));
  await again.end('SIGKILL');
  expect(before.asks.length).toBeGreaterThan(20);
  expect(before.asks.filter((ask) => ask.status === 'pending' || ask.delivery.state === 'due')).not.toEqual([]);

  for (const table of ['asks', 'events'])
    await expect(copyToPostgres(data, url, stopAt(table))).rejects.toThrow('interrupted');
  expect(await marks(url)).not.toEqual([]);
  const copied = spawnHoldpoint({
    via: 'main',
    data,
    command: ['db', 'copy'],
    args: ['--database-url', url],
    env: ENV,
  });
  expect((await copied.exited).code).toBe(0);
  expect(await marks(url)).toEqual([]);

  const fresh = await startHoldpoint({
    via: 'main',
    env: { ...ENV, HOLDPOINT_DATABASE_URL: url },
    args: ['--no-worker'],
  });
  const moved = await accountOf((sent) => send(fresh.url, { token: address.token, ...sent }));
  const { events, ...rest } = moved;
  const { events: eventsBefore, ...restBefore } = before;
  expect(events.slice(0, eventsBefore.length)).toEqual(eventsBefore);
  // What time alone changed meanwhile (an ask that expired) is in the events that were added.
  const touched = new Set(events.slice(eventsBefore.length).map((event) => event.session_id));
  const untouched = <T extends { session_id: string }>(list: T[]) => list.filter((row) => !touched.has(row.session_id));
  for (const list of ['sessions', 'runs', 'asks'] as const)
    expect(untouched<{ session_id: string }>(rest[list])).toEqual(untouched<{ session_id: string }>(restBefore[list]));

  const worker = spawnHoldpoint({
    via: 'main',
    command: ['worker'],
    args: ['--url', fresh.url, '--token', address.token, '--lease-ms', '3000'],
  });
  address.current = fresh.url;
  await applied(load.knowledge.applied.length + 20);
  const account = await load.rest();
  expect(audit(load.knowledge, account)).toEqual([]);
  expect(account.asks.length).toBeGreaterThan(before.asks.length);
  await worker.end('SIGKILL');
  await fresh.end('SIGKILL');
}, 300_000);

it('refuses to copy into a database that has sessions of its own', async () => {
  const { url } = await postgres.database();
  const data = temporaryFolder();
  await (await startHoldpoint({ via: 'main', data, env: ENV })).end('SIGTERM');
  const other = await startHoldpoint({ via: 'main', env: { ...ENV, HOLDPOINT_DATABASE_URL: url } });
  await send(other.url, {
    token: ENV.HOLDPOINT_TOKEN,
    path: '/v1/sessions',
    body: { session_id: 'theirs', agent: 'external' },
  });
  await expect(copyToPostgres(data, url, () => {})).rejects.toThrow('already has sessions of its own');
  await other.end('SIGKILL');
}, 120_000);

/** Whoever calls waits while there is no server, and asks again where there is one. */
class Address implements Server {
  readonly token = ENV.HOLDPOINT_TOKEN;
  current: string | undefined;

  readonly url = async (): Promise<string> => {
    while (this.current === undefined) await sleep(RETRY_MS);
    return this.current;
  };

  readonly call = async <T>(sent: Sent): Promise<Received<T>> => {
    for (;;) {
      const received = await send<T>(await this.url(), { token: this.token, ...sent }).catch(() => undefined);
      if (received && received.status < 500) return received;
      if (received) throw new Error(`${sent.path} answered ${received.status}: ${received.text}`);
      await sleep(RETRY_MS);
    }
  };

  readonly read = async <T>(path: string, token = this.token): Promise<T> => {
    const { status, text, body } = await this.call<T>({ path, token });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  };
}

/** Stops the copy after the first batch of a table. */
function stopAt(wanted: string): (progress: { table: string }) => void {
  return ({ table }) => {
    if (table === wanted) throw new Error('interrupted');
  };
}

async function marks(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT name FROM facts WHERE name LIKE 'copied:%'`);
  await client.end();
  return rows;
}
