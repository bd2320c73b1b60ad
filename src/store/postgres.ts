// Implements the PostgreSQL store: any number of servers on one database. Units run in memory (units.ts) and are committed
// by one call for a batch, which compares the versions of their sessions; no transaction is open between two messages.
// LISTEN/NOTIFY is only a wake-up and may be missing (behind a transaction-mode pooler the store polls).
// The global cursor: a writer announces, with an advisory lock that lasts as long as its transaction, a number below every
// event it will append; a reader shows nothing above the lowest number announced (the safe horizon).
import pg from 'pg';
import type { Hash } from '../core/digest.ts';
import { fail, HoldpointError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { Clock, MaybePromise, Reader, Sealer, Store, Tx } from '../core/ports.ts';
import type { Changes } from './changes.ts';
import type { Database, OpenedBy, Verdict } from './database.ts';
import { DatabaseClock } from './database-clock.ts';
import { ANNOUNCED, batchOf, CALL_COMMIT, type CommitResult, committedUnits } from './postgres-commit.ts';
import { CALL_LOAD, Loads } from './postgres-load.ts';
import { migratePostgres, surviveErrors } from './postgres-schema.ts';
import { createReader } from './reader.ts';
import type { SessionState } from './session-states.ts';
import type { Sql, Value } from './sql.ts';
import { Units } from './units.ts';
import { WakeUps } from './wake-ups.ts';

export interface PostgresOptions {
  url: string;
  hash: Hash;
  poolSize: number;
  /** Behind a transaction-mode pooler: no LISTEN, no named statements. */
  pooled: boolean;
  /** All servers on the database have the same key. */
  sealer: Pick<Sealer, 'seal' | 'open'>;
  onError(error: unknown): void;
}

/** Serialisation failure, deadlock, and a unique key that another server took first. */
const CONFLICTS = new Set(['40001', '40P01', '23505']);
const CONNECT_MS = 10_000;
/** A connection without a reply for this long is closed; no query takes nearly as long. All units wait for a commit. */
const SILENCE_MS = 30_000;
const COMMIT_SILENCE_MS = 10_000;
/** The plan of a statement is older than a schema change. It is planned again on a new connection. */
const STALE_PLAN = '0A000';
const LOCK_TIMED_OUT = '55P03';
/** Texts of lists vary with their filters; further statements are planned each time. */
const NAMED_TEXTS = 500;
/**
 * A server that stops in the middle of a transaction (paused, cut off) keeps a session's lock, and holds back the horizon
 * of every reader: the database ends such a transaction. Waiting for a lock has a timeout, too.
 */
const LIMITS = 'SET LOCAL idle_in_transaction_session_timeout = 5000; SET LOCAL lock_timeout = 5000';
const NUMBERS = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS at FROM holdpoint_event_seq`;
const HORIZON = `SELECT MIN(((classid::bigint << 32) | objid::bigint) - (${ANNOUNCED}::bigint << 40)) AS at FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint >> 8) = ${ANNOUNCED}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

export async function openPostgres(
  options: PostgresOptions,
): Promise<{ store: Store; clock: Clock; pool: () => PoolState }> {
  await migratePostgres(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
  });
  pool.on('error', options.onError);
  pool.on('connect', surviveErrors);
  const clock = new DatabaseClock(pool, options.onError);
  await clock.start();
  const wakeUps = new WakeUps(options);
  await wakeUps.start();
  const state = () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
  return { store: new PostgresStore(pool, options, clock, wakeUps), clock, pool: state };
}

class PostgresStore implements Store, Database {
  readonly isSole = false;
  readonly sql: Pick<Sql, 'all'>;
  readonly #reader: Reader;
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #clock: DatabaseClock;
  readonly #wakeUps: WakeUps;
  readonly #units: Units;
  readonly #loads: Loads;
  readonly #texts = new Map<string, { text: string; name?: string }>();
  readonly #underWay = new Set<Promise<unknown>>();
  #shown = 0;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(pool: pg.Pool, options: PostgresOptions, clock: DatabaseClock, wakeUps: WakeUps) {
    this.#pool = pool;
    this.#options = options;
    this.#clock = clock;
    this.#wakeUps = wakeUps;
    const sql: Sql = {
      all: (text, values) => this.#connected(async (client) => this.#sql(client).all(text, values)),
      run: (text, values) => this.#connected(async (client) => this.#sql(client).run(text, values)),
      insert: (text, values) => this.#connected(async (client) => this.#sql(client).insert(text, values)),
    };
    this.sql = sql;
    this.#reader = createReader(sql);
    this.#loads = new Loads((ids) =>
      this.#connected(
        async (client) => (await client.query({ ...this.#prepared(CALL_LOAD), values: [...ids] })).rows[0],
      ),
    );
    this.#units = new Units(this, options.hash, (appended) => this.#wakeUps.announce(appended));
    wakeUps.onForeign = (events) => this.#units.overtaken(events.map(({ sessionId }) => sessionId));
  }

  get reader(): Reader {
    if (this.#isClosed) throw CLOSED();
    return this.#reader;
  }

  onCommit(wake: (appended?: readonly Event[]) => void): void {
    this.#wakeUps.listener = wake;
  }

  shown(seq: number): void {
    this.#shown = Math.max(this.#shown, seq);
  }

  /** The horizon is read before the snapshot, so every event below it is in the snapshot. */
  async read<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    if (this.#closing) throw CLOSED();
    return this.#connected(async (client) => {
      const sql = this.#sql(client);
      const shown = this.#shown;
      const horizon = Math.max(shown, await safeHorizon(sql));
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${LIMITS}`);
      return this.#finish(client, () => unit(createReader(sql, horizon)));
    });
  }

  write<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T> {
    return this.#units.write(unit);
  }

  load(record: OpenedBy, id: string): Promise<SessionState | undefined> {
    return this.#loads.load(record, id);
  }

  /** The units that the database names as stale are left out of the next call. After another error each has its own. */
  async commit(units: readonly Changes[]): Promise<Verdict[]> {
    const verdicts = new Map<Changes, Verdict>();
    for (let left = units; left.length > 0; ) {
      const result = await this.#call(left).catch((error: unknown) => ({ error }));
      if ('error' in result) {
        const { error } = result;
        if (error instanceof HoldpointError) throw error;
        const isConflict = CONFLICTS.has((error as { code?: string }).code ?? '');
        if (left.length === 1) return units.map((unit) => verdicts.get(unit) ?? { is: 'failed', error, isConflict });
        for (const unit of left) verdicts.set(unit, (await this.commit([unit]))[0] as Verdict);
        break;
      }
      const { overtaken = [], stale = [], numbers } = result;
      const tried = left;
      if (numbers) for (const [i, verdict] of committedUnits(tried, numbers).entries()) mark(i, verdict);
      for (const i of stale) mark(i, { is: 'stale', isOvertaken: false });
      for (const i of overtaken) mark(i, { is: 'stale', isOvertaken: true });
      left = tried.filter((unit) => !verdicts.has(unit));
      function mark(i: number, verdict: Verdict): void {
        const unit = tried[i];
        if (unit) verdicts.set(unit, verdict);
      }
    }
    return units.map((unit) => verdicts.get(unit) as Verdict);
  }

  #call(units: readonly Changes[]): Promise<CommitResult> {
    return this.#connected(async (client) => {
      const query = { ...this.#prepared(CALL_COMMIT), values: [batchOf(units)], query_timeout: COMMIT_SILENCE_MS };
      return (await client.query(query)).rows[0].result;
    });
  }

  async #finish<T>(client: pg.PoolClient, work: () => MaybePromise<T>): Promise<T> {
    try {
      const value = await work();
      await client.query('COMMIT');
      return value;
    } catch (error) {
      if (!isConnectionFailure(error)) await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const done = this.#withClient(work);
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
    }
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: Error) => {
      throw unavailable(error);
    });
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      if (isConnectionFailure(error)) {
        broken = error as Error;
        throw unavailable(error as Error);
      }
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  #sql(client: pg.PoolClient): Sql {
    const query = (text: string, values: readonly Value[]) =>
      client.query({ ...this.#prepared(text), values: values as Value[] });
    return {
      all: async <Row>(text: string, values: readonly Value[]) => (await query(text, values)).rows as Row[],
      run: async (text, values) => (await query(text, values)).rowCount ?? 0,
      insert: async (text, values) => void (await query(text, values)),
    };
  }

  /** `?` to `$1`, `$2`…, and a name under which each connection keeps its plan; once for each text. */
  #prepared(text: string): { text: string; name?: string } {
    let prepared = this.#texts.get(text);
    if (prepared === undefined) {
      let n = 0;
      prepared = { text: text.replace(/\?/g, () => `$${++n}`) };
      if (!this.#options.pooled && this.#texts.size < NAMED_TEXTS) prepared.name = `hp${this.#texts.size}`;
      this.#texts.set(text, prepared);
    }
    return prepared;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  /** Completes calls that are in progress, also those that wait for a connection; later ones are refused. */
  async #shut(): Promise<void> {
    this.#clock.stop();
    await this.#units.close();
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    await this.#wakeUps.stop();
    await this.#pool.end();
  }
}

/** First the last number given out, then the announced ones: no event at or below both can appear later. */
async function safeHorizon(sql: Sql): Promise<number> {
  const [last] = await sql.all<{ at: number }>(NUMBERS, []);
  const [open] = await sql.all<{ at: number | null }>(HORIZON, []);
  return Math.min(last?.at ?? 0, open?.at ?? Number.MAX_SAFE_INTEGER);
}

function isConnectionFailure(error: unknown): boolean {
  if (error instanceof HoldpointError) return false;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === STALE_PLAN || code === LOCK_TIMED_OUT) return true;
  return /^(08|57P|53300)/.test(code) || /ECONN|EPIPE|terminat|Connection|timeout/i.test(`${code} ${message}`);
}

const CLOSED = () => fail('shutting_down', 'The database is closed.');

const unavailable = (error: Error) =>
  fail('store_unavailable', `The database could not be reached (${error.message}). Try again with the same key.`);
