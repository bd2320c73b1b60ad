// Implements the PostgreSQL store: any number of servers on one database. Transactions run concurrently under the
// session's row lock; LISTEN/NOTIFY is only a wake-up and may be missing (behind a transaction-mode pooler the store polls).
// The global cursor: a writer announces, with an advisory lock that lasts as long as its transaction, a number below every
// event it will append; a reader shows nothing above the lowest number announced (the safe horizon).
import pg from 'pg';
import type { Hash } from '../core/digest.ts';
import { fail, HoldpointError } from '../core/errors.ts';
import type { Clock, MaybePromise, Reader, Store, Tx } from '../core/ports.ts';
import { DatabaseClock } from './database-clock.ts';
import { migratePostgres, surviveErrors } from './postgres-schema.ts';
import { createReader } from './reader.ts';
import type { Sql, Value } from './sql.ts';
import { WakeUps } from './wake-ups.ts';
import { createWriter } from './writer.ts';

export interface PostgresOptions {
  url: string;
  hash: Hash;
  poolSize: number;
  /** Behind a transaction-mode pooler: no LISTEN, no named statements. */
  pooled: boolean;
  onError(error: unknown): void;
}

const RETRIES = 20;
/** Serialisation failure, deadlock, and a unique key that a concurrent request took first: retry the unit. */
const RETRY_CODES = new Set(['40001', '40P01', '23505']);
const CONNECT_MS = 10_000;
/** A connection without a reply for this long is closed; no query takes nearly as long. */
const SILENCE_MS = 30_000;
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
/** High bits of the advisory lock keys that announce event numbers. */
const ANNOUNCED = 0x48504f;

const ANNOUNCE = `SELECT pg_advisory_xact_lock_shared((${ANNOUNCED}::bigint << 40)
  + (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM holdpoint_event_seq))`;
const LOCK_KEY = `SELECT pg_advisory_xact_lock(${ANNOUNCED}, hashtext(?))`;
const NUMBERS = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS at FROM holdpoint_event_seq`;
const HORIZON = `SELECT MIN(((classid::bigint << 32) | objid::bigint) - (${ANNOUNCED}::bigint << 40)) AS at FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint >> 8) = ${ANNOUNCED}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export async function openPostgres(options: PostgresOptions): Promise<{ store: Store; clock: Clock }> {
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
  return { store: new PostgresStore(pool, options, clock, wakeUps), clock };
}

class PostgresStore implements Store {
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #clock: DatabaseClock;
  readonly #wakeUps: WakeUps;
  readonly #texts = new Map<string, { text: string; name?: string }>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, options: PostgresOptions, clock: DatabaseClock, wakeUps: WakeUps) {
    this.#pool = pool;
    this.#options = options;
    this.#clock = clock;
    this.#wakeUps = wakeUps;
  }

  onCommit(wake: () => void): void {
    this.#wakeUps.listener = wake;
  }

  /** The horizon is read before the snapshot, so every event below it is in the snapshot. */
  read<T>(unit: (reader: Reader) => MaybePromise<T>): Promise<T> {
    return this.#connected(async (client) => {
      const sql = this.#sql(client);
      const horizon = await safeHorizon(sql);
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${LIMITS}`);
      return this.#finish(client, () => unit(createReader(sql, horizon)));
    });
  }

  async write<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(unit);
      } catch (error) {
        const code = (error as { code?: string }).code ?? '';
        if (error instanceof HoldpointError || attempt >= RETRIES || !RETRY_CODES.has(code)) throw error;
      }
    }
  }

  async #attempt<T>(unit: (tx: Tx) => MaybePromise<T>): Promise<T> {
    let appended = false;
    const value = await this.#connected(async (client) => {
      const sql = this.#sql(client);
      await client.query(`BEGIN; ${LIMITS}`);
      const tx = createWriter(sql, {
        lockClause: ' FOR UPDATE',
        claimClause: ' FOR UPDATE OF s SKIP LOCKED',
        hash: this.#options.hash,
        lockKey: async (scope) => {
          await Promise.resolve(sql.all(LOCK_KEY, [scope])).catch(refuseConcurrent);
        },
        beforeAppend: async () => {
          if (!appended) await sql.all(ANNOUNCE, []);
          appended = true;
        },
        appended: () => {},
      });
      return this.#finish(client, () => unit(tx));
    });
    if (appended) this.#wakeUps.announce();
    return value;
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
    if (this.#closing) throw fail('shutting_down', 'The database connection is closed.');
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

/** Another request with the same key is still in progress after the lock timeout. */
function refuseConcurrent(error: { code?: string }): never {
  if (error.code !== LOCK_TIMED_OUT) throw error;
  throw fail('idempotency_conflict', 'A request with this key is still being worked on. Try again with the same key.');
}

const unavailable = (error: Error) =>
  fail('store_unavailable', `The database could not be reached (${error.message}). Try again with the same key.`);
