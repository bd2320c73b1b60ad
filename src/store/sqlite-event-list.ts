// Lists which events a session has, many at a time and sorted: as an index, kept up by every commit, the list would be
// half of all pages that commits write. Readers look through the few events at the end of the log that are not listed.
import type { Verdict } from './database.ts';
import type { Sql } from './sql.ts';

export const SESSION_EVENTS_VIEW = `CREATE VIEW session_events AS
    SELECT l.session_id, e.run_id, l.seq, e.type, e.data FROM listed_events l
    CROSS JOIN events e ON e.seq = l.seq AND e.session_id = l.session_id
    UNION ALL
    SELECT session_id, run_id, seq, type, data FROM events WHERE seq > (SELECT seq FROM listed_through)`;

export const SESSION_EVENTS = [
  `CREATE TABLE listed_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (session_id, seq)) WITHOUT ROWID`,
  `CREATE TABLE listed_through (seq INTEGER NOT NULL)`,
  `INSERT INTO listed_events SELECT session_id, seq FROM events ORDER BY session_id, seq`,
  `INSERT INTO listed_through SELECT COALESCE(MAX(seq), 0) FROM events`,
  `DROP INDEX events_session`,
  SESSION_EVENTS_VIEW,
];

/** So few that looking through them takes less than a millisecond. */
const MOST_UNLISTED = 1000;

const LIST = `INSERT INTO listed_events SELECT session_id, seq FROM events
  WHERE seq > (SELECT seq FROM listed_through) ORDER BY session_id, seq`;
const LISTED = `UPDATE listed_through SET seq = COALESCE((SELECT MAX(seq) FROM events), 0)`;
const UNLISTED = `SELECT COUNT(*) AS n FROM events WHERE seq > (SELECT seq FROM listed_through)`;

export class EventList {
  readonly #sql: Sql;
  #unlisted: number;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#unlisted = (sql.all<{ n: number }>(UNLISTED, []) as { n: number }[])[0]?.n ?? 0;
  }

  /** Inside the transaction of these units. */
  keepUp(verdicts: readonly Verdict[]): void {
    for (const verdict of verdicts) if (verdict.is === 'committed') this.#unlisted += verdict.events.length;
    if (this.#unlisted < MOST_UNLISTED) return;
    this.#sql.run(LIST, []);
    this.#sql.run(LISTED, []);
    this.#unlisted = 0;
  }

  /** The transaction was undone, and with it perhaps a listing. */
  undone(): void {
    this.#unlisted = MOST_UNLISTED;
  }
}
