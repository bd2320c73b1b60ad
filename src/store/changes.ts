// Lists what one unit changes, and which columns each kind of change writes. Frequent changes are rows of a known kind,
// which a database may apply together; rare ones are statements.
import type { Ask } from '../core/ask.ts';
import type { Event } from '../core/event.ts';
import type { Grant } from '../core/grant.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import type { Message } from '../core/mailbox.ts';
import type { Output } from '../core/output.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { insertInto, type RowMapping, updateById } from './row-mapping.ts';
import type { Value } from './sql.ts';
import { ASK, EVENT, MESSAGE, OUTPUT, RESPONSE, RUN, SESSION } from './tables.ts';

export type NewEvent = Omit<Event, 'seq'>;
/** `mustChange`: where it changes no row, another unit was first, and this one runs again. */
export type Statement = readonly [text: string, values: readonly Value[], mustChange?: boolean];

/** The rows of one unit, by kind. A row is in one kind only: what is new is inserted as it is at the end of the unit. */
export interface Rows {
  newSessions: Session[];
  sessions: Session[];
  newRuns: Run[];
  runs: Run[];
  newAsks: Ask[];
  asks: Ask[];
  outputs: Output[];
  messages: Message[];
  responses: StoredResponse[];
}

/** What must still be true of the database when the unit commits. */
export interface Expectations {
  /** The version of every session that the unit has opened. */
  versions: Map<string, number>;
  /** Ids of asks and idempotency keys that the unit has taken to be new. */
  newAskIds: string[];
  newKeys: string[];
  /** Grants as the unit has read them. */
  grants: Pick<Grant, 'id' | 'uses' | 'revokedAt'>[];
}

export interface Changes {
  expects: Expectations;
  /** Whether it changes nothing and only wants to know whether what it expects is true. */
  isCheck: boolean;
  rows: Rows;
  statements: Statement[];
  events: NewEvent[];
}

/** A kind of row with the columns that it writes: all of a new row, by id those that can change of an older one. */
export interface RowKind<T> {
  mapping: RowMapping<T, unknown, never>;
  columns: readonly string[];
  isNew: boolean;
  statement(record: T): Statement;
}

function inserted<T, Row>(mapping: RowMapping<T, unknown, Row>): RowKind<T> {
  return { mapping: mapping as never, columns: mapping.columns, isNew: true, statement: insertInto(mapping) };
}

function updated<T extends { id: string }, Row extends { id: string }>(
  mapping: RowMapping<T, unknown, Row>,
  columns: readonly (keyof Row & string)[],
): RowKind<T> {
  return { mapping: mapping as never, columns, isNew: false, statement: updateById(mapping, columns) };
}

export const ROW_KINDS: { [Kind in keyof Rows]: RowKind<Rows[Kind][number]> } = {
  newSessions: inserted(SESSION),
  sessions: updated(SESSION, [
    'status',
    'updated_at',
    'ended_at',
    'active_run_id',
    'queued_count',
    'pending_count',
    'kept_count',
    'run_count',
    'last_message',
    'head_seq',
    'head_hash',
    'bytes_day',
    'bytes_stored',
    'head_mac',
  ]),
  newRuns: inserted(RUN),
  runs: updated(RUN, [
    'kind',
    'status',
    'updated_at',
    'started_at',
    'finished_at',
    'error',
    'outcome',
    'output_count',
    'lease_worker',
    'lease_until',
    'lease_epoch',
    'lease_holder',
    'recovery',
    'permissions',
  ]),
  newAsks: inserted(ASK),
  asks: updated(ASK, [
    'status',
    'answer',
    'answer_mac',
    'sealed',
    'delivery',
    'attempts',
    'delivered_at',
    'delivery_reason',
    'seen_by',
    'activity',
  ]),
  outputs: inserted(OUTPUT),
  messages: inserted(MESSAGE),
  responses: inserted(RESPONSE),
};

export const KINDS = Object.keys(ROW_KINDS) as (keyof Rows)[];
export const INSERT_EVENT = insertInto(EVENT);
export const UPDATE_INPUT = updateById(RUN, ['input', 'text_preview']);

export const noRows = (): Rows => ({
  newSessions: [],
  sessions: [],
  newRuns: [],
  runs: [],
  newAsks: [],
  asks: [],
  outputs: [],
  messages: [],
  responses: [],
});
