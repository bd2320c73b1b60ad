// Declares what a database must offer for units of work to run above it: reads of committed rows, the state of a session,
// and the commit of several units in one call. No transaction is open between two calls.
import type { Event } from '../core/event.ts';
import type { MaybePromise, Reader } from '../core/ports.ts';
import type { Changes } from './changes.ts';
import type { SessionState } from './session-states.ts';
import type { Sql } from './sql.ts';

/** Kinds of records by which a session is opened. */
export type OpenedBy = 'session' | 'run' | 'ask';

/** What became of a unit. Unless it is committed, nothing of it was stored. */
export type Verdict =
  | { is: 'committed'; events: readonly Event[] }
  /** An expectation was not met; `isOvertaken`: of the version of a session. */
  | { is: 'stale'; isOvertaken: boolean }
  /** `isConflict`: with another unit, which is stored now. */
  | { is: 'failed'; error: unknown; isConflict?: boolean };

export interface Database {
  /** Committed rows; each call by itself. */
  readonly reader: Reader;
  readonly sql: Pick<Sql, 'all'>;
  /** Whether no other process writes: what is in memory is what is stored, and needs no comparison. */
  readonly isSole: boolean;
  /** The session, of a run or an ask with that record. */
  load(record: OpenedBy, id: string): MaybePromise<SessionState | undefined>;
  /** Applies each unit as a whole or not at all, all that can be in one transaction. One verdict for each, in order. */
  commit(units: readonly Changes[]): Promise<Verdict[]>;
}
