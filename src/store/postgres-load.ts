// Loads the states of sessions from PostgreSQL: all that are wanted at one moment in one call, from one snapshot.
import type { OpenedBy } from './database.ts';
import { gather } from './gather.ts';
import { postgresFunction } from './postgres-function.ts';
import { QUEUED } from './reader.ts';
import { MOST_CHARACTERS, MOST_OPEN, type SessionRows, type SessionState, stateOf } from './session-states.ts';
import type { Tables } from './tables.ts';

/** `STABLE`: all its statements see what the call saw, so that rows and versions belong together. */
export const LOAD = postgresFunction(
  'load',
  `(session_ids text[], run_ids text[], ask_ids text[])
    RETURNS TABLE (found_sessions json, small_ids text[], found_runs json, found_asks json) STABLE`,
  `DECLARE
    all_ids text[] := session_ids || ARRAY(SELECT session_id FROM runs WHERE id = ANY(run_ids))
      || ARRAY(SELECT session_id FROM asks WHERE id = ANY(ask_ids));
    all_run_ids text[] := run_ids || ARRAY(SELECT run_id FROM asks WHERE id = ANY(ask_ids))
      || ARRAY(SELECT active_run_id FROM sessions WHERE id = ANY(all_ids));
    small text[] := ARRAY(SELECT id FROM sessions s WHERE id = ANY(all_ids)
      AND queued_count + pending_count <= ${MOST_OPEN} AND (pending_count = 0 OR (
        SELECT COALESCE(SUM(OCTET_LENGTH(content)), 0) FROM asks WHERE session_id = s.id AND status = 'pending')
          <= ${MOST_CHARACTERS}));
  BEGIN
    RETURN QUERY SELECT
      (SELECT json_agg(s) FROM sessions s WHERE id = ANY(all_ids)),
      small,
      (SELECT json_agg(r ORDER BY r.n) FROM (SELECT * FROM runs WHERE id = ANY(all_run_ids)
        UNION ALL SELECT * FROM runs WHERE session_id = ANY(small) AND ${QUEUED}) r),
      (SELECT json_agg(a ORDER BY a.n) FROM (SELECT * FROM asks WHERE id = ANY(ask_ids)
        UNION ALL SELECT * FROM asks WHERE session_id = ANY(small) AND status = 'pending'
        UNION ALL SELECT * FROM asks
          WHERE session_id = ANY(small) AND delivery = 'due' AND mode IN ('form', 'restart')) a);
  END`,
);
export const CALL_LOAD = `SELECT * FROM ${LOAD.name}($1, $2, $3)`;

/** Rows of several sessions; a run or an ask may be among them twice. */
export interface LoadResult {
  found_sessions: SessionRows['session'][] | null;
  small_ids: string[];
  found_runs: Tables['runs'][] | null;
  found_asks: Tables['asks'][] | null;
}

type Call = (ids: readonly (readonly string[])[]) => Promise<LoadResult>;

interface Wanted {
  record: OpenedBy;
  id: string;
  resolve(state: SessionState | undefined): void;
  reject(error: unknown): void;
}

export class Loads {
  readonly #call: Call;
  #wanted: Wanted[] = [];

  constructor(call: Call) {
    this.#call = call;
  }

  load(record: OpenedBy, id: string): Promise<SessionState | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#wanted.push({ record, id, resolve, reject }) === 1) this.#flush();
    });
  }

  async #flush(): Promise<void> {
    await gather(() => this.#wanted.length);
    const wanted = this.#wanted;
    this.#wanted = [];
    const ids = (record: OpenedBy) => wanted.filter((one) => one.record === record).map(({ id }) => id);
    try {
      const found = new Found(await this.#call([ids('session'), ids('run'), ids('ask')]));
      for (const { record, id, resolve, reject } of wanted)
        try {
          resolve(found.state(record, id));
        } catch (error) {
          reject(error);
        }
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}

class Found {
  readonly #sessions = new Map<string, SessionRows>();
  /** The session of each run and ask. */
  readonly #owners = new Map<string, string>();

  constructor({ found_sessions, small_ids, found_runs, found_asks }: LoadResult) {
    const small = new Set(small_ids);
    for (const session of found_sessions ?? [])
      this.#sessions.set(session.id, { session, is_small: small.has(session.id), runs: [], asks: [] });
    for (const run of found_runs ?? []) this.#add(run, 'runs');
    for (const ask of found_asks ?? []) this.#add(ask, 'asks');
  }

  #add<Kind extends 'runs' | 'asks'>(row: Tables[Kind], kind: Kind): void {
    const rows = this.#sessions.get(row.session_id)?.[kind] as Tables[Kind][] | undefined;
    rows?.push(row);
    this.#owners.set(row.id, row.session_id);
  }

  state(record: OpenedBy, id: string): SessionState | undefined {
    const rows = this.#sessions.get(record === 'session' ? id : (this.#owners.get(id) ?? ''));
    return rows && stateOf(rows);
  }
}
