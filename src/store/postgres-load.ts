// Loads the states of sessions from PostgreSQL: all that are wanted at one moment in one statement.
import type { RecordKind } from './database.ts';
import { MOST_CHARACTERS, MOST_OPEN, type SessionRows, type SessionState, stateOf } from './session-states.ts';

export const LOAD = `
  WITH wanted_asks AS MATERIALIZED (SELECT * FROM asks WHERE id = ANY($3::text[])),
    wanted_runs AS MATERIALIZED (
      SELECT * FROM runs WHERE id = ANY($2::text[] || ARRAY(SELECT run_id FROM wanted_asks))),
    wanted AS (SELECT unnest($1::text[]) AS id UNION SELECT session_id FROM wanted_runs
      UNION SELECT session_id FROM wanted_asks)
  SELECT row_to_json(s) AS session, o.is_small,
    (SELECT json_agg(r ORDER BY r.n) FROM (
      SELECT * FROM runs WHERE id = s.active_run_id
      UNION ALL SELECT * FROM runs WHERE o.is_small AND session_id = s.id AND status = 'queued'
      UNION ALL SELECT * FROM wanted_runs WHERE session_id = s.id) r) AS runs,
    (SELECT json_agg(a ORDER BY a.n) FROM (
      SELECT * FROM asks WHERE o.is_small AND session_id = s.id AND status = 'pending'
      UNION ALL SELECT * FROM asks
        WHERE o.is_small AND session_id = s.id AND delivery = 'due' AND mode IN ('form', 'restart')
      UNION ALL SELECT * FROM wanted_asks WHERE session_id = s.id) a) AS asks
  FROM wanted w JOIN sessions s ON s.id = w.id
  CROSS JOIN LATERAL (SELECT s.queued_count + s.pending_count <= ${MOST_OPEN} AND (s.pending_count = 0 OR (
    SELECT COALESCE(SUM(OCTET_LENGTH(content)), 0) FROM asks WHERE session_id = s.id AND status = 'pending')
      <= ${MOST_CHARACTERS}) AS is_small) o`;

type Query = (text: string, values: readonly (readonly string[])[]) => Promise<SessionRows[]>;

interface Wanted {
  record: RecordKind;
  id: string;
  resolve(state: SessionState | undefined): void;
  reject(error: unknown): void;
}

export class Loads {
  readonly #query: Query;
  #wanted: Wanted[] = [];

  constructor(query: Query) {
    this.#query = query;
  }

  load(record: RecordKind, id: string): Promise<SessionState | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#wanted.length === 0) setImmediate(() => this.#flush());
      this.#wanted.push({ record, id, resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    const ids = (record: RecordKind) => wanted.filter((one) => one.record === record).map(({ id }) => id);
    try {
      const rows = await this.#query(LOAD, [ids('session'), ids('run'), ids('ask')]);
      for (const { record, id, resolve, reject } of wanted) {
        const row = rows.find((one) => has(one, record, id));
        try {
          resolve(row && stateOf(row));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}

function has({ session, runs, asks }: SessionRows, record: RecordKind, id: string): boolean {
  if (record === 'session') return session.id === id;
  return ((record === 'run' ? runs : asks) ?? []).some((row: { id: string }) => row.id === id);
}
