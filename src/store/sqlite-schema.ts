// Migrates an SQLite file with Kysely's migrator, on a connection of its own.
import { DatabaseSync } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { migrate } from './schema.ts';
import { SESSION_EVENTS } from './sqlite-event-list.ts';

const KINDS = {
  position: 'INTEGER PRIMARY KEY',
  cursor: 'INTEGER PRIMARY KEY',
  versionTriggers: [],
  sessionEvents: SESSION_EVENTS,
};

export async function migrateSqlite(path: string): Promise<void> {
  const raw = new DatabaseSync(path);
  raw.exec('PRAGMA journal_mode = WAL');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: shim(raw) }) });
  try {
    await migrate(db, KINDS);
  } finally {
    await db.destroy();
  }
}

/** Kysely expects the calls of better-sqlite3; node:sqlite has them under other names. */
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
