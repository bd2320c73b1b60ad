// Writes to PostgreSQL as servers of release 0.1.0 do, with the statements of that release: a transaction that is open
// between two messages, under the lock of the session's row, without a version.
import pg from 'pg';
import { linkEvent } from '../../src/core/event.ts';
import { SESSION } from '../../src/store/tables.ts';
import { hash } from '../conformance/store-samples.ts';

const LIMITS = 'SET LOCAL idle_in_transaction_session_timeout = 5000; SET LOCAL lock_timeout = 5000';
const ANNOUNCE = `SELECT pg_advisory_xact_lock_shared((4739151::bigint << 40)
  + (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM holdpoint_event_seq))`;
const LOCK_KEY = `SELECT pg_advisory_xact_lock(4739151, hashtext($1))`;
const INSERT_EVENT = `INSERT INTO events (session_seq, id, at, session_id, run_id, ask_id, type, data, prev_hash, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

export class EarlierServer {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(url: string): Promise<EarlierServer> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return new EarlierServer(client);
  }

  /** The database ends a transaction that is idle for longer than the limits allow. */
  async begin(limits = LIMITS): Promise<void> {
    await this.#client.query(`BEGIN; ${limits}`);
  }

  async commit(): Promise<void> {
    await this.#client.query('COMMIT');
  }

  async lockKey(scope: string): Promise<void> {
    await this.#client.query(LOCK_KEY, [scope]);
  }

  async lockSession(id: string): Promise<void> {
    await this.#client.query('SELECT * FROM sessions WHERE id = $1 FOR UPDATE', [id]);
  }

  /** Announces that it will append, and holds up the horizon. */
  async announce(): Promise<void> {
    await this.#client.query(ANNOUNCE);
  }

  /** Appends to the log of a session that it has locked, and moves its head. */
  async append(sessionId: string, text: string): Promise<void> {
    const { rows } = await this.#client.query('SELECT * FROM sessions WHERE id = $1', [sessionId]);
    const event = linkEvent(SESSION.read(rows[0]), { type: 'output', data: { text } }, 1, hash);
    const { sessionSeq, id, at, runId = null, askId = null, type, data, prevHash, hash: own } = event;
    await this.announce();
    await this.#client.query(INSERT_EVENT, [sessionSeq, id, at, sessionId, runId, askId, type, data, prevHash, own]);
    await this.#client.query('UPDATE sessions SET head_seq = $1, head_hash = $2 WHERE id = $3', [
      sessionSeq,
      own,
      sessionId,
    ]);
  }

  /** What a heartbeat writes: the run, and nothing of its session. */
  async renewLease(runId: string, until: number): Promise<void> {
    await this.#client.query(
      'SELECT * FROM sessions WHERE id = (SELECT session_id FROM runs WHERE id = $1) FOR UPDATE',
      [runId],
    );
    await this.#client.query('UPDATE runs SET lease_worker = $1, lease_until = $2 WHERE id = $3', ['w', until, runId]);
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}
