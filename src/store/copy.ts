// Copies an SQLite file into a PostgreSQL database, table by table, in batches. Each batch commits together with its
// position, so that an interrupted copy continues where it stopped and copies nothing twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { fail } from '../core/errors.ts';
import { migratePostgres, surviveErrors } from './postgres-schema.ts';
import { takeLock } from './sqlite-lock.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import type { Tables } from './tables.ts';

const TABLES: readonly (keyof Tables)[] = [
  'sessions',
  'runs',
  'asks',
  'events',
  'outputs',
  'messages',
  'tokens',
  'responses',
  'facts',
  'partial_states',
  'forms',
  'sign_in_links',
  'drafts',
  'grants',
  'contacts',
  'notices',
  'notice_cursor',
  'quiet_hours',
  'skills',
  'skill_archives',
];
const COUNTED: readonly (keyof Tables)[] = [
  'sessions',
  'runs',
  'asks',
  'messages',
  'tokens',
  'grants',
  'contacts',
  'notices',
  'skills',
];
const BATCH = 500;
/** Rows that may be megabytes each. */
const LARGE_BATCH = 4;

export interface CopyProgress {
  table: string;
  copied: number;
  total: number;
}

export async function copyToPostgres(
  folder: string,
  url: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<Record<string, number>> {
  const path = join(folder, 'holdpoint.db');
  if (!existsSync(path)) throw fail('store_unavailable', `There is no database in ${folder}.`);
  const lock = takeLock(folder);
  try {
    await migrateSqlite(path);
    await migratePostgres(url);
    return await copyAll(path, url, onProgress);
  } finally {
    lock.close();
  }
}

async function copyAll(path: string, url: string, onProgress: (progress: CopyProgress) => void) {
  const from = new DatabaseSync(path, { readOnly: true });
  const to = new pg.Client({ connectionString: url });
  surviveErrors(to);
  await to.connect();
  try {
    await refuseForeign(to);
    const counts: Record<string, number> = {};
    for (const table of TABLES) counts[table] = await copyTable(from, to, table, onProgress);
    await to.query(`SELECT setval('holdpoint_event_seq', GREATEST(1, (SELECT COALESCE(MAX(seq), 1) FROM events)))`);
    for (const table of COUNTED)
      await to.query(
        `SELECT setval(pg_get_serial_sequence('${table}', 'n'), GREATEST(1, (SELECT COALESCE(MAX(n), 1) FROM ${table})))`,
      );
    await to.query(`DELETE FROM facts WHERE name LIKE 'copied:%'`);
    return counts;
  } finally {
    from.close();
    await to.end();
  }
}

/** Copies only into an empty database, or into one where a copy was interrupted. */
async function refuseForeign(to: pg.Client): Promise<void> {
  const { rows } = await to.query(
    `SELECT (SELECT COUNT(*) FROM sessions) AS sessions,
       (SELECT COUNT(*) FROM facts WHERE name LIKE 'copied:%') AS begun`,
  );
  if (Number(rows[0].sessions) === 0 || Number(rows[0].begun) > 0) return;
  throw fail('store_unavailable', 'The PostgreSQL database already has sessions of its own. Copy into an empty one.');
}

async function copyTable(
  from: DatabaseSync,
  to: pg.Client,
  table: keyof Tables,
  onProgress: (progress: CopyProgress) => void,
): Promise<number> {
  const mark = `copied:${table}`;
  const { rows } = await to.query('SELECT value FROM facts WHERE name = $1', [mark]);
  let after = Number(rows[0]?.value ?? 0);
  const total = Number((from.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get() as { n: number }).n);
  let copied = Number(
    (from.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE rowid <= ?`).get(after) as { n: number }).n,
  );
  const page = from.prepare(
    `SELECT rowid AS copy_key, * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${table === 'skill_archives' ? LARGE_BATCH : BATCH}`,
  );
  for (;;) {
    const batch = page.all(after) as Record<string, string | number | null>[];
    if (batch.length === 0) return total;
    after = Number(batch.at(-1)?.copy_key);
    await insertBatch(to, table, batch, mark, after);
    copied += batch.length;
    onProgress({ table, copied, total });
  }
}

async function insertBatch(
  to: pg.Client,
  table: string,
  batch: Record<string, string | number | null>[],
  mark: string,
  after: number,
): Promise<void> {
  const columns = Object.keys(batch[0] ?? {}).filter((name) => name !== 'copy_key');
  let n = 0;
  const tuples = batch.map(() => `(${columns.map(() => `$${++n}`).join(', ')})`).join(', ');
  const values = batch.flatMap((row) => columns.map((name) => row[name] ?? null));
  await to.query('BEGIN');
  await to.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples} ON CONFLICT DO NOTHING`, values);
  await to.query(
    `INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`,
    [mark, String(after)],
  );
  await to.query('COMMIT');
}
