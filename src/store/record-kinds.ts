// Lists the kinds of records that units write: the table and key of each, and the columns that can change of a stored one.
import type { MaybePromise, Reader } from '../core/ports.ts';
import type { Forgotten, RecordKind, Records } from '../core/records.ts';
import { insertInto, type RowMapping, type RowStatement, updateIn } from './row-mapping.ts';
import {
  ASK,
  CONTACT,
  DRAFT,
  FORM,
  GRANT,
  MESSAGE,
  NOTICE,
  OUTPUT,
  PARTIAL_STATE,
  QUIET_HOURS,
  RESPONSE,
  RUN,
  SESSION,
  SIGN_IN_LINK,
  SKILL,
  SKILL_ARCHIVE,
  TOKEN,
  toAsk,
  toRun,
} from './tables.ts';

export interface Kind<T> {
  readonly mapping: RowMapping<T, unknown, never>;
  readonly changes: readonly string[];
  read(row: unknown): T;
  /** `FROM table WHERE key = ?`. */
  readonly byKey: string;
  keyOf(record: T): string[];
  /** Looks for the record that has the key of this one, where an insert may find it taken. */
  taken?(reader: Reader, record: T): MaybePromise<unknown>;
  insert: RowStatement<T>;
  update: RowStatement<T>;
  /** Inserts it, or changes the one with its key. */
  save: RowStatement<T>;
}

interface Given<T, Row> {
  read?: (row: never) => T;
  key?: readonly (keyof Row & string)[];
  changes?: readonly (keyof Row & string)[];
  taken?: Kind<T>['taken'];
}

function kindOf<T, Row>(mapping: RowMapping<T, unknown, Row>, given: Given<T, Row>): Kind<T> {
  const { key = ['id' as keyof Row & string], changes = [], taken, read = mapping.read } = given;
  const saved = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes.map((c) => `${c} = excluded.${c}`).join(', ')}`;
  return {
    mapping: mapping as never,
    changes,
    read: read as Kind<T>['read'],
    byKey: `FROM ${mapping.table} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`,
    ...(taken && { taken }),
    keyOf: mapping.values(key) as Kind<T>['keyOf'],
    insert: insertInto(mapping),
    update: updateIn(mapping, key, changes),
    save: insertInto(mapping, saved),
  };
}

export const RECORD_KINDS: { [K in RecordKind]: Kind<Records[K]> } = {
  session: kindOf(SESSION, {
    changes: [
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
    ],
  }),
  run: kindOf(RUN, {
    read: toRun,
    changes: [
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
    ],
  }),
  ask: kindOf(ASK, {
    read: toAsk,
    changes: [
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
    ],
  }),
  output: kindOf(OUTPUT, { key: ['run_id', 'id'], taken: (reader, { runId, id }) => reader.get('output', runId, id) }),
  message: kindOf(MESSAGE, {
    changes: ['attempts', 'acked_at', 'dead_at', 'reason'],
    taken: (reader, { id }) => reader.get('message', id),
  }),
  response: kindOf(RESPONSE, { key: ['scope'] }),
  partialState: kindOf(PARTIAL_STATE, { key: ['ask_id'] }),
  form: kindOf(FORM, {
    key: ['session_id', 'subtask_id'],
    taken: (reader, { sessionId, subtaskId }) => reader.get('form', sessionId, subtaskId),
  }),
  grant: kindOf(GRANT, { changes: ['uses', 'revoked_at', 'revoked_by'] }),
  token: kindOf(TOKEN, { changes: ['expires_at', 'revoked_at', 'is_built_in'] }),
  signInLink: kindOf(SIGN_IN_LINK, { key: ['hash'], changes: ['used_at'] }),
  draft: kindOf(DRAFT, { key: ['ask_id', 'saved_by'], changes: ['revision', 'content', 'saved_at'] }),
  skill: kindOf(SKILL, {
    changes: ['description', 'version', 'sha256', 'size', 'updated_at'],
    taken: async (reader, { namespace, name }) =>
      (await reader.skills({ namespace, name, isExact: true, skip: 0, limit: 1000 }))[0],
  }),
  skillArchive: kindOf(SKILL_ARCHIVE, { key: ['skill_id'], changes: ['zip'] }),
  contact: kindOf(CONTACT, {
    changes: ['name', 'label', 'address', 'token_id', 'may_answer', 'settings', 'ended_at', 'ended_reason'],
  }),
  notice: kindOf(NOTICE, {
    changes: ['handle', 'order_key', 'state', 'reason', 'attempts', 'due_at', 'retry_until', 'sent_at', 'settled_at'],
    taken: (reader, { id }) => reader.get('notice', id),
  }),
  quietHours: kindOf(QUIET_HOURS, { key: ['person'], changes: ['hours'] }),
};

export const KINDS = Object.keys(RECORD_KINDS) as RecordKind[];
/** What most units write; a database may apply the rows of a batch together. */
export const FREQUENT: readonly RecordKind[] = ['session', 'run', 'ask', 'output', 'message', 'response'];

/** Of drafts also those whose author has answered. The answer is JSON: REPLACE finds the author without a wildcard. */
export const FORGOTTEN: Record<Forgotten, string> = {
  draft: `drafts WHERE saved_at <= ? OR EXISTS (SELECT 1 FROM asks a WHERE a.id = drafts.ask_id
    AND a.status IN ('answered', 'declined')
    AND REPLACE(a.answer, '"answered_by":"' || drafts.saved_by || '"', '') <> a.answer)`,
  signInLink: `sign_in_links WHERE expires_at <= ?`,
  response: `responses WHERE created_at <= ?`,
  notice: `notices WHERE settled_at < ?`,
};
