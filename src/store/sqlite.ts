// The embedded store: one SQLite file, one writing connection, one reading connection.
// Writes of concurrent requests share one commit: every unit runs in its own savepoint of the open transaction, and all
// of them settle, for better or worse, only after that transaction is on disk (WAL, synchronous=FULL).
// Readers have a connection of their own, so that nothing uncommitted is ever shown.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import type { Reader, Store, Tx } from '../core/ports.ts';
import { createReader } from './reader.ts';
import { takeLock } from './sqlite-lock.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import { prepareOnce, type Statements, sqlOver } from './sqlite-statements.ts';
import { createWriter } from './writer.ts';

const UNITS_PER_COMMIT = 512;

interface Unit {
  run(tx: Tx): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export async function openSqlite(folder: string, hash: Hash): Promise<Store> {
  const lock = takeLock(folder);
  const path = join(folder, 'holdpoint.db');
  try {
    await migrateSqlite(path);
    return new SqliteStore(path, hash, lock);
  } catch (error) {
    lock.close();
    throw new Error(`The database ${path} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

class SqliteStore implements Store {
  readonly #writing: DatabaseSync;
  readonly #reading: DatabaseSync;
  readonly #lock: DatabaseSync;
  readonly #prepared: Statements;
  readonly #tx: Tx;
  readonly #reader: Reader;
  #queue: Unit[] = [];
  #draining: Promise<void> | undefined;
  #reads: Promise<unknown> = Promise.resolve();
  #appended = false;
  #wake: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(path: string, hash: Hash, lock: DatabaseSync) {
    this.#lock = lock;
    this.#writing = new DatabaseSync(path);
    this.#writing.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000`,
    );
    this.#reading = new DatabaseSync(path, { readOnly: true });
    this.#reading.exec(`PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA busy_timeout = 5000`);
    this.#prepared = prepareOnce(this.#writing);
    this.#tx = createWriter(sqlOver(this.#prepared), {
      lockClause: '',
      hash,
      claimClause: '',
      lockKey: () => {},
      beforeAppend: () => {
        this.#appended = true;
      },
    });
    this.#reader = createReader(sqlOver(prepareOnce(this.#reading)));
  }

  onCommit(wake: () => void): void {
    this.#wake = wake;
  }

  async read<T>(unit: (reader: Reader) => Promise<T>): Promise<T> {
    if (this.#closing) throw closed();
    const result = this.#reads.then(() => this.#snapshot(unit));
    this.#reads = result.catch(() => {});
    return result;
  }

  async #snapshot<T>(unit: (reader: Reader) => Promise<T>): Promise<T> {
    this.#reading.exec('BEGIN');
    try {
      return await unit(this.#reader);
    } finally {
      this.#reading.exec('COMMIT');
    }
  }

  write<T>(unit: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closing) return reject(closed());
      this.#queue.push({ run: unit, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Waits a turn of the event loop before each batch, so that all requests that arrived meanwhile share its commit. */
  async #drain(): Promise<void> {
    do {
      await new Promise(setImmediate);
      await this.#commit(this.#queue.splice(0, UNITS_PER_COMMIT));
    } while (this.#queue.length > 0);
    this.#draining = undefined;
  }

  async #commit(batch: Unit[]): Promise<void> {
    const settle: (() => void)[] = [];
    this.#appended = false;
    try {
      this.#writing.exec('BEGIN IMMEDIATE');
      for (const unit of batch) settle.push(await this.#attempt(unit));
      this.#writing.exec('COMMIT');
    } catch (error) {
      if (this.#writing.isTransaction) this.#writing.exec('ROLLBACK');
      const why = error instanceof Error ? error.message : String(error);
      const refusal = fail('store_unavailable', `Nothing was changed: the database could not commit (${why}).`);
      for (const unit of batch) unit.reject(refusal);
      return;
    }
    for (const done of settle) done();
    if (this.#appended) this.#wake();
  }

  async #attempt(unit: Unit): Promise<() => void> {
    this.#prepared('SAVEPOINT unit').run();
    try {
      const value = await unit.run(this.#tx);
      this.#prepared('RELEASE unit').run();
      return () => unit.resolve(value);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#writing.exec('ROLLBACK TO unit; RELEASE unit');
      return () => unit.reject(error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** What was asked for before is still done; whatever comes now is refused. */
  async #finish(): Promise<void> {
    await this.#draining;
    await this.#reads;
    this.#reading.close();
    this.#writing.close();
    this.#lock.close();
  }
}

const closed = () => fail('shutting_down', 'The database is closed.');

/** Out of memory, read-only, input or output, corrupt, full, cannot open, not a database: SQLite's own result codes. */
const STORAGE_CODES = [7, 8, 10, 11, 13, 14, 26];

/** A full disk or a broken file fails the whole commit, not one unit. Told by code: a unit may throw any words. */
function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return STORAGE_CODES.includes(Number(error.errcode) & 0xff);
}
