// Brings a database to the newest schema with Kysely's migrator, on a connection of its own.
import { DatabaseSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { up as core } from './migrations/0001-core.ts';

const MIGRATIONS: Record<string, Migration> = { '0001-core': { up: core } };

export async function migrateSqlite(path: string): Promise<void> {
  const raw = new DatabaseSync(path);
  raw.exec('PRAGMA journal_mode = WAL');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: shim(raw) }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  try {
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
  } finally {
    await db.destroy();
  }
}

/** Kysely expects the calls of another driver; node:sqlite has them under other names. */
function shim(raw: DatabaseSync): SqliteDatabase {
  return {
    close: () => raw.close(),
    prepare(text) {
      const statement = raw.prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as (string | number)[])),
        run: (values) => statement.run(...(values as (string | number)[])),
        iterate: (values) => statement.iterate(...(values as (string | number)[])) as IterableIterator<unknown>,
      };
    },
  };
}
