// Implements the embedded store: one SQLite file, one writing connection, one reading connection.
// Writes of concurrent requests share one commit: units run one after the other in the open transaction, and all of them
// resolve or reject only after that transaction is on disk (WAL, synchronous=FULL).
// Most units that fail have changed nothing. When one has, the transaction is rolled back and its units run again, each
// in a savepoint of its own: a savepoint for every unit would make SQLite copy every page that a unit changes.
// Reads use a connection of their own, so that they never see uncommitted data.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { MaybePromise, Reader, Store, Tx } from '../core/ports.ts';
import { createReader } from './reader.ts';
import type { Value } from './sql.ts';
import { type CachedTx, withCache } from './sqlite-cache.ts';
import { takeLock } from './sqlite-lock.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import { prepareOnce, sqlOver } from './sqlite-statements.ts';
import { createWriter } from './writer.ts';

const UNITS_PER_COMMIT = 512;

interface Unit {
  run(tx: Tx): MaybePromise<unknown>;
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
  readonly #recent: CachedTx;
  readonly #reader: Reader;
  #queue: Unit[] = [];
  #draining: Promise<void> | undefined;
  #reads: Promise<unknown> = Promise.resolve();
  /** Events appended and statements run by the open transaction. */
  #appended: Event[] = [];
  #changes = 0;
  #wake: (appended: readonly Event[]) => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(path: string, hash: Hash, lock: DatabaseSync) {
    this.#lock = lock;
    this.#writing = new DatabaseSync(path);
    this.#writing.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000`,
    );
    this.#reading = new DatabaseSync(path, { readOnly: true });
    this.#reading.exec(`PRAGMA cache_size = -32768; PRAGMA mmap_size = 268435456; PRAGMA busy_timeout = 5000`);
    const { all, run, insert } = sqlOver(prepareOnce(this.#writing));
    const counted =
      <T>(change: (text: string, values: readonly Value[]) => T) =>
      (text: string, values: readonly Value[]): T => {
        this.#changes += 1;
        return change(text, values);
      };
    const writer = createWriter(
      { all, run: counted(run), insert: counted(insert) },
      {
        lockClause: '',
        hash,
        claimClause: '',
        lockKey: () => {},
        beforeAppend: () => {},
        appended: (event) => this.#appended.push(event),
      },
    );
    this.#recent = withCache(writer);
    this.#reader = createReader(sqlOver(prepareOnce(this.#reading)));
  }

  onCommit(wake: (appended: readonly Event[]) => void): void {
    this.#wake = wake;
  }

  async read<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    if (this.#closing) throw closed();
    const result = this.#reads.then(() => this.#snapshot(unit));
    this.#reads = result.catch(() => {});
    return result;
  }

  async #snapshot<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    this.#reading.exec('BEGIN');
    try {
      return await unit(this.#reader);
    } finally {
      this.#reading.exec('COMMIT');
    }
  }

  write<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T> {
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

  async #commit(batch: Unit[], attempt = this.#attempt): Promise<void> {
    const settle: (() => void)[] = [];
    this.#appended = [];
    try {
      this.#writing.exec('BEGIN IMMEDIATE');
      for (const unit of batch) settle.push(await attempt.call(this, unit));
      this.#writing.exec('COMMIT');
    } catch (error) {
      if (this.#writing.isTransaction) this.#writing.exec('ROLLBACK');
      this.#recent.forget();
      if (error === HALF_DONE) return this.#commit(batch, this.#attemptApart);
      const why = error instanceof Error ? error.message : String(error);
      const refusal = fail('store_unavailable', `Nothing was changed: the database could not commit (${why}).`);
      for (const unit of batch) unit.reject(refusal);
      return;
    }
    const appended = this.#appended;
    // In a microtask of its own: an exception there must not stop the store.
    if (appended.length > 0) queueMicrotask(() => this.#wake(appended));
    for (const done of settle) done();
  }

  async #attempt(unit: Unit): Promise<() => void> {
    const before = this.#changes;
    try {
      const value = await unit.run(this.#recent.tx);
      return () => unit.resolve(value);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      if (this.#changes > before) throw HALF_DONE;
      return () => unit.reject(error);
    }
  }

  async #attemptApart(unit: Unit): Promise<() => void> {
    const appended = this.#appended.length;
    this.#writing.exec('SAVEPOINT unit');
    try {
      const value = await unit.run(this.#recent.tx);
      this.#writing.exec('RELEASE unit');
      return () => unit.resolve(value);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#writing.exec('ROLLBACK TO unit; RELEASE unit');
      this.#recent.forget();
      this.#appended.length = appended;
      return () => unit.reject(error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** Completes calls that are in progress; later ones are refused. */
  async #finish(): Promise<void> {
    await this.#draining;
    await this.#reads;
    this.#reading.close();
    this.#writing.close();
    this.#lock.close();
  }
}

/** A unit failed after it had changed something. */
const HALF_DONE = Symbol('half done');

const closed = () => fail('shutting_down', 'The database is closed.');

/** Out of memory, read-only, input or output, corrupt, full, cannot open, not a database: SQLite's own result codes. */
const STORAGE_CODES = [7, 8, 10, 11, 13, 14, 26];

/** A full disk or a broken file fails the whole commit, not one unit. Recognised by code: a unit may throw any text. */
function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return STORAGE_CODES.includes(Number(error.errcode) & 0xff);
}
