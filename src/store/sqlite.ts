// Implements the embedded store: one SQLite file, one writing connection, one reading connection.
// Units run in memory (units.ts); a batch of them is one transaction, and they resolve only after it is on disk (WAL,
// synchronous=FULL). Because one process owns the file, the states in memory are what is stored.
// A savepoint for every unit would make SQLite copy every page that it changes: there are none unless a unit fails.
// Snapshots use a connection of their own.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ask } from '../core/ask.ts';
import type { Hash } from '../core/digest.ts';
import { fail } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { MaybePromise, Reader, Store, Tx } from '../core/ports.ts';
import { type Changes, INSERT_EVENT, type RowChange, rowStatement } from './changes.ts';
import type { Database, OpenedBy, Verdict } from './database.ts';
import { createReader, QUEUED } from './reader.ts';
import { MOST_CHARACTERS, MOST_OPEN, type SessionState, stateOf } from './session-states.ts';
import type { Sql, Value } from './sql.ts';
import { EventList } from './sqlite-event-list.ts';
import { takeLock } from './sqlite-lock.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import { prepareOnce, sqlOver } from './sqlite-statements.ts';
import type { Tables } from './tables.ts';
import { Units } from './units.ts';

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

class SqliteStore implements Store, Database {
  readonly isSole = true;
  readonly sql: Sql;
  readonly #reader: Reader;
  readonly #writing: DatabaseSync;
  readonly #reading: DatabaseSync;
  readonly #lock: DatabaseSync;
  readonly #snapshots: Reader;
  readonly #units: Units;
  readonly #eventList: EventList;
  #reads: Promise<unknown> = Promise.resolve();
  #wake: (appended: readonly Event[]) => void = () => {};
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, hash: Hash, lock: DatabaseSync) {
    this.#lock = lock;
    this.#writing = new DatabaseSync(path);
    this.#writing.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000`,
    );
    this.#reading = new DatabaseSync(path, { readOnly: true });
    this.#reading.exec(`PRAGMA cache_size = -32768; PRAGMA mmap_size = 268435456; PRAGMA busy_timeout = 5000`);
    this.sql = sqlOver(prepareOnce(this.#writing));
    this.#reader = createReader(this.sql);
    this.#snapshots = createReader(sqlOver(prepareOnce(this.#reading)));
    this.#eventList = new EventList(this.sql);
    this.#units = new Units(this, hash, (appended) => this.#wake(appended));
  }

  get reader(): Reader {
    if (this.#isClosed) throw CLOSED();
    return this.#reader;
  }

  onCommit(wake: (appended: readonly Event[]) => void): void {
    this.#wake = wake;
  }

  shown(): void {}

  async read<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    if (this.#closing) throw CLOSED();
    const result = this.#reads.then(() => this.#snapshot(unit));
    this.#reads = result.catch(() => {});
    return result;
  }

  async #snapshot<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    this.#reading.exec('BEGIN');
    try {
      return await unit(this.#snapshots);
    } finally {
      this.#reading.exec('COMMIT');
    }
  }

  write<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T> {
    return this.#units.write(unit);
  }

  /** Without a promise, so that units about one session run in the order in which they came. */
  load(record: OpenedBy, id: string): SessionState | undefined {
    const rows = <Row>(text: string, ...values: Value[]) => this.sql.all<Row>(text, values) as Row[];
    const [run] = record === 'run' ? rows<Tables['runs']>(`SELECT * FROM runs WHERE id = ?`, id) : [];
    const [ask] = record === 'ask' ? rows<Tables['asks']>(`SELECT * FROM asks WHERE id = ?`, id) : [];
    const sessionId = record === 'session' ? id : (run ?? ask)?.session_id;
    if (sessionId === undefined) return undefined;
    const [row] = rows<Tables['sessions']>(`SELECT * FROM sessions WHERE id = ?`, sessionId);
    if (!row) return undefined;
    const [size] = row.pending_count > 0 ? rows<{ n: number }>(PENDING_SIZE, sessionId) : [];
    const isSmall = row.queued_count + row.pending_count <= MOST_OPEN && (size?.n ?? 0) <= MOST_CHARACTERS;
    const active =
      row.active_run_id === null ? [] : rows<Tables['runs']>(`SELECT * FROM runs WHERE id = ?`, row.active_run_id);
    const queued = isSmall && row.queued_count > 0 ? rows<Tables['runs']>(QUEUED_RUNS, sessionId) : [];
    const pending = isSmall && row.pending_count > 0 ? rows<Tables['asks']>(PENDING, sessionId) : [];
    const carried = isSmall ? rows<Tables['asks']>(CARRIED_ON, sessionId) : [];
    return stateOf({
      session: { ...row, version: 0 },
      is_small: isSmall,
      runs: [...active, ...queued, ...(run ? [run] : [])],
      asks: [...carried, ...pending, ...(ask ? [ask] : [])],
    });
  }

  /** In one transaction. When a unit fails, it is rolled back and the units are applied again, each in a savepoint. */
  async commit(units: readonly Changes[]): Promise<Verdict[]> {
    try {
      return this.#transaction(units, (unit) => this.#apply(unit));
    } catch (error) {
      if (isStorageFailure(error)) throw refusal(error);
    }
    try {
      return this.#transaction(units, (unit) => this.#applyApart(unit));
    } catch (error) {
      throw refusal(error);
    }
  }

  #transaction(units: readonly Changes[], apply: (unit: Changes) => Verdict): Verdict[] {
    this.#writing.exec('BEGIN IMMEDIATE');
    try {
      const verdicts = units.map(apply);
      this.#eventList.keepUp(verdicts);
      this.#writing.exec('COMMIT');
      return verdicts;
    } catch (error) {
      if (this.#writing.isTransaction) this.#writing.exec('ROLLBACK');
      this.#eventList.undone();
      throw error;
    }
  }

  #apply({ expects, rows, statements, events }: Changes): Verdict {
    for (const id of expects.newAskIds)
      if (!rows.some((row) => isNewAsk(row, id)) && isThere(this.sql.all(ASK_WITH_ID, [id]))) throw OVERTAKEN;
    for (const row of rows) {
      const [text, values] = rowStatement(row);
      this.sql.run(text, values);
    }
    for (const [text, values, mustChange] of statements)
      if (this.sql.run(text, values) === 0 && mustChange) throw OVERTAKEN;
    const numbered = events.map((event) => ({ seq: this.sql.insert(...INSERT_EVENT(event)) as number, ...event }));
    return { is: 'committed', events: numbered };
  }

  #applyApart(unit: Changes): Verdict {
    this.#writing.exec('SAVEPOINT unit');
    try {
      const verdict = this.#apply(unit);
      this.#writing.exec('RELEASE unit');
      return verdict;
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#writing.exec('ROLLBACK TO unit; RELEASE unit');
      return { is: 'failed', error, isConflict: isConflict(error) };
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await this.#units.close();
    await this.#reads;
    this.#isClosed = true;
    this.#reading.close();
    this.#writing.close();
    this.#lock.close();
  }
}

const isNewAsk = ({ kind, record, isNew }: RowChange, id: string): boolean =>
  isNew && kind === 'ask' && (record as Ask).id === id;

const ASK_WITH_ID = `SELECT 1 FROM asks WHERE id = ?`;
const PENDING_SIZE = `SELECT SUM(OCTET_LENGTH(content)) AS n FROM asks WHERE session_id = ? AND status = 'pending'`;
const QUEUED_RUNS = `SELECT * FROM runs WHERE session_id = ? AND ${QUEUED} ORDER BY queue_order, n`;
const PENDING = `SELECT * FROM asks WHERE session_id = ? AND status = 'pending' ORDER BY n`;
const CARRIED_ON = `SELECT * FROM asks WHERE session_id = ? AND delivery = 'due' AND mode IN ('form', 'restart') ORDER BY n`;

const CLOSED = () => fail('shutting_down', 'The database is closed.');

const refusal = (error: unknown) =>
  fail('store_unavailable', `Nothing was changed: the database could not commit (${(error as Error).message}).`);

/** A unit of the same batch was first. */
const OVERTAKEN = new Error('another unit has changed the record');

const isThere = (rows: unknown): boolean => (rows as unknown[]).length > 0;

/** A unique or primary key that is taken. */
const TAKEN_CODES = [1555, 2067];
const isConflict = (error: unknown): boolean =>
  error === OVERTAKEN || TAKEN_CODES.includes(Number((error as { errcode?: number }).errcode));

/** Out of memory, read-only, input or output, corrupt, full, cannot open, not a database: SQLite's own result codes. */
const STORAGE_CODES = [7, 8, 10, 11, 13, 14, 26];

/** A full disk or a broken file fails the whole commit, not one unit. Recognised by code: a unit may throw any text. */
function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return STORAGE_CODES.includes(Number(error.errcode) & 0xff);
}
