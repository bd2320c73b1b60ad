// Lists what one unit changes, and what must still be true of the database then.
import type { Event } from '../core/event.ts';
import type { Grant } from '../core/grant.ts';
import type { RecordKind, Records } from '../core/records.ts';
import { RECORD_KINDS } from './record-kinds.ts';
import { insertInto, updateIn } from './row-mapping.ts';
import type { Value } from './sql.ts';
import { EVENT, RUN } from './tables.ts';

export type NewEvent = Omit<Event, 'seq'>;
/** `mustChange`: where it changes no row, another unit was first, and this one runs again. */
export type Statement = readonly [text: string, values: readonly Value[], mustChange?: boolean];

/** What is new is inserted as it is at the end of the unit. */
export interface RowChange<Kind extends RecordKind = RecordKind> {
  kind: Kind;
  record: Records[Kind];
  isNew: boolean;
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
  rows: RowChange[];
  /** After the rows. */
  statements: Statement[];
  events: NewEvent[];
}

export function rowStatement({ kind, record, isNew }: RowChange): Statement {
  const { insert, update } = RECORD_KINDS[kind];
  return (isNew ? insert : update)(record as never);
}

export const INSERT_EVENT = insertInto(EVENT);
export const UPDATE_INPUT = updateIn(RUN, ['id'], ['input', 'text_preview']);
