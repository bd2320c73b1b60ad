// Reports the state of a database: dialect, applied migrations, row counts. Reads only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { fail } from '../core/errors.ts';
import { surviveErrors } from './postgres-schema.ts';
import { MIGRATION_NAMES } from './schema.ts';

export interface DatabaseStatus {
  dialect: 'sqlite' | 'postgres';
  migrations: { name: string; applied_at: string | null }[];
  rows: Record<string, number>;
}

const COUNTED = ['sessions', 'runs', 'asks', 'events'];

type Query = (text: string) => Promise<Record<string, unknown>[]>;

export async function sqliteStatus(folder: string): Promise<DatabaseStatus> {
  const path = join(folder, 'holdpoint.db');
  if (!existsSync(path))
    throw fail('store_unavailable', `There is no database in ${folder} yet. It is made at the first start.`);
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return await statusOf('sqlite', async (text) => db.prepare(text).all() as Record<string, unknown>[]);
  } finally {
    db.close();
  }
}

export async function postgresStatus(url: string): Promise<DatabaseStatus> {
  const client = new pg.Client({ connectionString: url });
  surviveErrors(client);
  await client.connect();
  try {
    return await statusOf('postgres', async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
  }
}

async function statusOf(dialect: DatabaseStatus['dialect'], query: Query): Promise<DatabaseStatus> {
  const applied = await query('SELECT name, timestamp FROM kysely_migration').catch(() => []);
  const migrations = MIGRATION_NAMES.map((name) => {
    const row = applied.find((a) => a.name === name);
    return { name, applied_at: row ? String(row.timestamp) : null };
  });
  const rows: Record<string, number> = {};
  if (applied.length > 0)
    for (const table of COUNTED) rows[table] = Number((await query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);
  return { dialect, migrations, rows };
}
