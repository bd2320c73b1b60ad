// Writes the function with which PostgreSQL commits a batch of units in one call: it compares what they expect, names the
// units that are stale and then changes nothing, or applies all of them. It waits for no row of another server. Its text
// follows from the columns of the tables. Events are announced before they are numbered (postgres.ts: the safe horizon).
import pg from 'pg';
import type { Event } from '../core/event.ts';
import { type Changes, rowStatement, type Statement } from './changes.ts';
import type { Verdict } from './database.ts';
import { postgresFunction } from './postgres-function.ts';
import { FREQUENT, type Kind, RECORD_KINDS } from './record-kinds.ts';
import type { Value } from './sql.ts';
import { EVENT } from './tables.ts';

/** High bits of the advisory lock keys that announce event numbers, and the class of those of idempotency keys. */
export const ANNOUNCED = 0x48504f;

/** The list of a kind's rows in a batch. */
const listOf = (kind: string, isNew: boolean): string => (isNew ? `new ${kind}` : kind);

const applied = FREQUENT.flatMap((kind) => {
  const { mapping, changes } = RECORD_KINDS[kind];
  const { table, columns } = mapping;
  const when = (list: string, change: string, end = '') =>
    `IF b ? '${list}' THEN ${change} FROM jsonb_populate_recordset(NULL::${table}, b->'${list}') x ${end}; END IF;`;
  const values = columns.map((column) => `x.${column}`).join(', ');
  const insert = when(listOf(kind, true), `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values}`);
  if (changes.length === 0) return [insert];
  const set = changes.map((column) => `${column} = x.${column}`);
  if (kind === 'session') set.push('version = t.version + 1');
  return [insert, when(listOf(kind, false), `UPDATE ${table} t SET ${set.join(', ')}`, 'WHERE t.id = x.id')];
});

const body = `
DECLARE
  overtaken int[] := '{}';
  stale int[] := '{}';
  statement text;
  must_change boolean;
  changed bigint;
  numbers bigint[];
BEGIN
  IF b ? 'versions' THEN
    WITH wanted AS (SELECT * FROM jsonb_to_recordset(b->'versions') AS w(unit int, id text, version bigint)),
      free AS (SELECT s.id FROM sessions s JOIN wanted w ON s.id = w.id AND s.version = w.version FOR UPDATE OF s SKIP LOCKED)
    SELECT COALESCE(array_agg(DISTINCT unit), '{}') INTO overtaken FROM wanted WHERE id NOT IN (SELECT id FROM free);
  END IF;
  IF b ? 'checks' THEN
    overtaken := overtaken || ARRAY(
      SELECT w.unit FROM jsonb_to_recordset(b->'checks') AS w(unit int, id text, version bigint)
      LEFT JOIN sessions s ON s.id = w.id WHERE s.version IS DISTINCT FROM w.version);
  END IF;
  IF b ? 'newKeys' THEN
    stale := ARRAY(SELECT unit FROM jsonb_to_recordset(b->'newKeys') AS w(unit int, id text)
      WHERE NOT pg_try_advisory_xact_lock(${ANNOUNCED}, hashtext(id)));
    stale := stale || ARRAY(SELECT unit FROM jsonb_to_recordset(b->'newKeys') AS w(unit int, id text)
      JOIN responses r ON r.scope = w.id);
  END IF;
  IF b ? 'newAskIds' THEN
    stale := stale || ARRAY(
      SELECT unit FROM jsonb_to_recordset(b->'newAskIds') AS w(unit int, id text) JOIN asks a ON a.id = w.id);
  END IF;
  IF b ? 'grants' THEN
    WITH wanted AS (
        SELECT * FROM jsonb_to_recordset(b->'grants') AS w(unit int, id text, uses bigint, "revokedAt" bigint)),
      free AS (SELECT g.id FROM grants g JOIN wanted w ON g.id = w.id AND g.uses = w.uses
        AND g.revoked_at IS NOT DISTINCT FROM w."revokedAt" FOR UPDATE OF g SKIP LOCKED)
    SELECT stale || COALESCE(array_agg(unit), '{}') INTO stale FROM wanted WHERE id NOT IN (SELECT id FROM free);
  END IF;
  IF cardinality(overtaken) + cardinality(stale) > 0 THEN
    RETURN jsonb_build_object('overtaken', overtaken, 'stale', stale);
  END IF;
  ${applied.join('\n  ')}
  IF b ? 'statements' THEN
    FOR statement, must_change IN SELECT s->>0, s->>1 FROM jsonb_array_elements(b->'statements') s LOOP
      EXECUTE statement;
      GET DIAGNOSTICS changed = ROW_COUNT;
      IF must_change AND changed = 0 THEN
        RAISE EXCEPTION 'another server has changed the record' USING ERRCODE = '40001';
      END IF;
    END LOOP;
  END IF;
  IF b ? 'events' THEN
    PERFORM pg_advisory_xact_lock_shared((${ANNOUNCED}::bigint << 40)
      + COALESCE(pg_sequence_last_value('holdpoint_event_seq'), 0));
    numbers := ARRAY(SELECT nextval('holdpoint_event_seq') FROM generate_series(1, jsonb_array_length(b->'events')));
    INSERT INTO events (seq, ${EVENT.columns.join(', ')})
      SELECT numbers[x.ordinality], ${EVENT.columns.map((c) => `x.${c}`).join(', ')}
      FROM jsonb_populate_recordset(NULL::events, b->'events') WITH ORDINALITY x;
  END IF;
  RETURN jsonb_build_object('numbers', COALESCE(to_jsonb(numbers), '[]'));
END`;

export const COMMIT = postgresFunction(
  'commit',
  '(b jsonb) RETURNS jsonb',
  body,
  `SET lock_timeout = 5000 SET holdpoint.moves_versions = 'on'`,
);
export const CALL_COMMIT = `SELECT ${COMMIT.name}($1::jsonb) AS result`;

/**
 * A server of an earlier release knows no version, and holds the session's row instead: its changes, and those that are
 * made by hand, move the version too.
 */
export const VERSION_TRIGGERS = [
  `CREATE FUNCTION holdpoint_move_version() RETURNS trigger LANGUAGE plpgsql AS $body$
  BEGIN
    IF TG_TABLE_NAME = 'sessions' THEN
      NEW.version := OLD.version + 1;
      RETURN NEW;
    END IF;
    UPDATE sessions SET version = version + 1 WHERE id = NEW.session_id;
    RETURN NULL;
  END $body$`,
  `CREATE TRIGGER sessions_version BEFORE UPDATE ON sessions FOR EACH ROW WHEN (NEW.version = OLD.version)
    EXECUTE FUNCTION holdpoint_move_version()`,
  ...['runs', 'asks'].map(
    (table) => `CREATE TRIGGER ${table}_version AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW
      WHEN (current_setting('holdpoint.moves_versions', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION holdpoint_move_version()`,
  ),
];

export interface CommitResult {
  /** Units that expected a version of a session, or something else, that is not there. */
  overtaken?: number[];
  stale?: number[];
  numbers?: number[];
}

/** The argument of the call, as JSON text. */
export function batchOf(units: readonly Changes[]): string {
  const batch: Record<string, unknown[]> = {};
  const add = (name: string, value: unknown) => {
    const list = batch[name];
    if (list) list.push(value);
    else batch[name] = [value];
  };
  for (const [unit, { expects, isCheck, rows, statements, events }] of units.entries()) {
    for (const [id, version] of expects.versions) add(isCheck ? 'checks' : 'versions', { unit, id, version });
    for (const id of expects.newKeys) add('newKeys', { unit, id });
    for (const id of expects.newAskIds) add('newAskIds', { unit, id });
    for (const grant of expects.grants) add('grants', { unit, ...grant });
    const say = (statement: Statement) => add('statements', [literalText(statement), statement[2] === true]);
    for (const row of rows) {
      const list = listOf(row.kind, row.isNew);
      const rowOf = ROW_OF[list];
      if (rowOf) add(list, rowOf(row.record));
      else say(rowStatement(row));
    }
    for (const statement of statements) say(statement);
    for (const event of events) add('events', EVENT_ROW(event));
  }
  const text = JSON.stringify(batch);
  return LONE_SURROGATE.test(text) ? JSON.stringify(batch, wellFormed) : text;
}

const ROW_OF: Record<string, (record: unknown) => unknown> = Object.fromEntries(
  FREQUENT.flatMap((kind) => {
    const { mapping, changes } = RECORD_KINDS[kind] as Kind<unknown>;
    return [
      [listOf(kind, true), mapping.row(mapping.columns)],
      [listOf(kind, false), mapping.row(['id', ...changes] as never[])],
    ];
  }),
);
const EVENT_ROW = EVENT.row(EVENT.columns);

/** A text column takes no half of a surrogate pair. */
const LONE_SURROGATE = /\\ud[89a-f]/;
const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);

/** Rare statements are not prepared: their values are written into them. */
function literalText([text, values]: Statement): string {
  let n = 0;
  return text.replace(/\?/g, () => literal(values[n++] ?? null));
}

function literal(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(value);
}

/** Puts the numbers on the events of the units, in the order in which the batch had them. */
export function committedUnits(units: readonly Changes[], numbers: readonly number[]): Verdict[] {
  let n = 0;
  return units.map(({ events }) => ({
    is: 'committed',
    events: events.map((event): Event => ({ seq: numbers[n++] ?? 0, ...event })),
  }));
}
