// A server that starts on PostgreSQL while its connection dies ends with an error, so that it is started again, and leaves no
// lock behind that other servers would wait for.
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { migratePostgres } from '../../src/store/postgres-schema.ts';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const SILENCE_MS = 2000;
const TURNS = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${0x48504d} AND granted`;
const database = postgresForAll();
const proxies: TcpProxy[] = [];
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});

async function through(url: string): Promise<{ proxy: TcpProxy; url: string }> {
  const behind = new URL(url);
  const port = Number(behind.port);
  const proxy = await TcpProxy.open(() => port);
  proxies.push(proxy);
  behind.port = String(proxy.port);
  return { proxy, url: behind.href };
}

it('is given up where nothing comes back any more', async () => {
  const { url, drop } = await database.database();
  const line = await through(url);
  line.proxy.silent = true;
  await expect(migratePostgres(line.url, SILENCE_MS)).rejects.toThrow(/timeout/);
  await drop();
});

it('leaves its turn to another server where its own connection dies', async () => {
  const { url, drop } = await database.database();
  const line = await through(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const hasTurn = async () => (await client.query(TURNS)).rowCount === 1;
  for (let isSilent = false; !isSilent; ) {
    let outcome: string | undefined;
    const first = migratePostgres(line.url, SILENCE_MS).then(
      () => 'migrated',
      (error: Error) => error.message,
    );
    void first.then((text) => {
      outcome = text;
    });
    while (outcome === undefined && !(await hasTurn()));
    line.proxy.silent = true;
    // It may just have been through.
    isSilent = await hasTurn();
    if (isSilent) {
      await migratePostgres(url, SILENCE_MS);
      expect(await first).toMatch(/timeout/);
    } else line.proxy.heal();
  }
  await client.end();
  await drop();
});
