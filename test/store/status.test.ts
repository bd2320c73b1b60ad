// The status of a database: its dialect, its migrations and how much is in it, without changing anything.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite.ts';
import { postgresStatus, sqliteStatus } from '../../src/store/status.ts';
import { hash, sessionOf } from '../conformance/store-samples.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-status-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('refuses a folder without a database and creates none', async () => {
  await expect(sqliteStatus(folder)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining(folder),
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('lists the applied migrations and the number of rows of an SQLite database', async () => {
  const store = await openSqlite(folder, hash);
  await store.write((tx) => tx.insert('session', sessionOf('s1')));
  await store.close();
  const { dialect, migrations, rows } = await sqliteStatus(folder);
  expect(dialect).toBe('sqlite');
  expect(migrations[0]?.name).toBe('0001-core');
  expect(migrations.every(({ applied_at }) => applied_at !== null)).toBe(true);
  expect(rows).toEqual({ sessions: 1, runs: 0, asks: 0, events: 0 });
});

it('lists the migrations of a PostgreSQL database before and after they are applied', async () => {
  const { url } = await postgres.database();
  const empty = await postgresStatus(new URL('/postgres', url).href);
  expect(empty.migrations.every(({ applied_at }) => applied_at === null)).toBe(true);
  expect(empty.rows).toEqual({});
  const { dialect, migrations, rows } = await postgresStatus(url);
  expect(dialect).toBe('postgres');
  expect(migrations.every(({ applied_at }) => applied_at !== null)).toBe(true);
  expect(rows).toEqual({ sessions: 0, runs: 0, asks: 0, events: 0 });
});
