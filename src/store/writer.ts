// Implements every write of the gateway, over any database that offers `Sql`. A writer belongs to one transaction. What
// databases do differently (how a session is locked) is a named capability, never a test for the dialect.
import type { Hash } from '../core/digest.ts';
import { type Event, linkEvent } from '../core/event.ts';
import type { MaybePromise, Reader, Tx } from '../core/ports.ts';
import { countBytes } from '../core/session.ts';
import { draftWrites } from './drafts.ts';
import { grantWrites } from './grants.ts';
import { noticeWrites } from './notices.ts';
import { createReader } from './reader.ts';
import { insertInto, type RowStatement, updateById } from './row-mapping.ts';
import { signInWrites } from './sign-in-links.ts';
import { skillWrites } from './skills.ts';
import { andThen, type Sql } from './sql.ts';
import { ASK, EVENT, MESSAGE, OUTPUT, RESPONSE, RUN, SESSION, type Tables, TOKEN } from './tables.ts';

export interface Capabilities {
  /** Appended to the select that locks a session; empty where only one transaction writes at a time. */
  lockClause: string;
  /** Appended to the select of claimable runs, so that two workers are not offered the same run. */
  claimClause: string;
  hash: Hash;
  /** Makes other transactions with the same idempotency key wait for this one. */
  lockKey(scope: string): MaybePromise<void>;
  /** Called before events are appended. */
  beforeAppend(): MaybePromise<void>;
  /** Called with each event whose number the database returned. */
  appended(event: Event): void;
}

const INSERT_SESSION = insertInto(SESSION);
const UPDATE_SESSION = updateById(SESSION, [
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
]);
const INSERT_RUN = insertInto(RUN);
const UPDATE_RUN = updateById(RUN, [
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
]);
const UPDATE_INPUT = updateById(RUN, ['input', 'text_preview']);
const INSERT_ASK = insertInto(ASK);
const END_ASK = updateById(
  ASK,
  ['status', 'answer', 'answer_mac', 'sealed', 'delivery', 'attempts'],
  `AND status = 'pending'`,
);
const UPDATE_DELIVERY = updateById(ASK, ['delivery', 'attempts', 'delivered_at', 'delivery_reason', 'sealed']);
const UPDATE_SIGHTINGS = updateById(ASK, ['seen_by']);
const UPDATE_ACTIVITY = updateById(ASK, ['activity']);
const INSERT_FORM = `INSERT INTO forms (session_id, subtask_id, ask_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;
const INSERT_EVENT = insertInto(EVENT);
const INSERT_OUTPUT = insertInto(OUTPUT, 'ON CONFLICT (run_id, id) DO NOTHING');
const INSERT_MESSAGE = insertInto(MESSAGE, 'ON CONFLICT (id) DO NOTHING');
const UPDATE_MESSAGE = updateById(MESSAGE, ['attempts', 'acked_at', 'dead_at', 'reason']);
const INSERT_TOKEN = insertInto(TOKEN);
const UPDATE_TOKEN = updateById(TOKEN, ['expires_at', 'revoked_at', 'is_built_in']);
const INSERT_RESPONSE = insertInto(RESPONSE);

export function createWriter(sql: Sql, can: Capabilities): Tx {
  const run = <T>(statement: RowStatement<T>, record: T): MaybePromise<void> =>
    andThen(sql.run(...statement(record)), () => {});
  const changed = <T>(statement: RowStatement<T>, record: T): MaybePromise<boolean> =>
    andThen(sql.run(...statement(record)), (changes) => changes > 0);

  const reader = createReader(sql, Number.MAX_SAFE_INTEGER, can.claimClause);
  const lockOf = async <T>(table: 'runs' | 'asks', id: string, load: (r: Reader) => MaybePromise<T | undefined>) => {
    const [row] = await sql.all<Tables['sessions']>(
      `SELECT * FROM sessions WHERE id = (SELECT session_id FROM ${table} WHERE id = ?)${can.lockClause}`,
      [id],
    );
    const value = row && (await load(reader));
    return row && value && { session: SESSION.read(row), value };
  };

  return {
    ...reader,
    ...signInWrites(sql),
    ...draftWrites(sql),
    ...grantWrites(sql, can),
    ...noticeWrites(sql),
    ...skillWrites(sql),
    async lockSession(id) {
      const [row] = await sql.all<Tables['sessions']>(`SELECT * FROM sessions WHERE id = ?${can.lockClause}`, [id]);
      return row && SESSION.read(row);
    },
    lockRun: (id) => lockOf('runs', id, (tx) => tx.run(id)),
    lockAsk: (id) => lockOf('asks', id, (tx) => tx.ask(id)),
    async lockKey(scope) {
      await can.lockKey(scope);
      const [row] = await sql.all<Tables['responses']>(`SELECT * FROM responses WHERE scope = ?`, [scope]);
      return row && RESPONSE.read(row);
    },
    insertSession: (session) => run(INSERT_SESSION, session),
    updateSession: (session) => run(UPDATE_SESSION, session),
    insertRun: (started) => run(INSERT_RUN, started),
    updateRun: (started) => run(UPDATE_RUN, started),
    updateInput: (started) => run(UPDATE_INPUT, started),
    insertAsk: (ask) => run(INSERT_ASK, ask),
    endAsk: (ask) => changed(END_ASK, ask),
    updateDelivery: (ask) => run(UPDATE_DELIVERY, ask),
    updateSightings: (ask) => run(UPDATE_SIGHTINGS, ask),
    updateActivity: (ask) => run(UPDATE_ACTIVITY, ask),
    insertPartialState: (askId, state) =>
      andThen(sql.run(`INSERT INTO partial_states (ask_id, state) VALUES (?, ?)`, [askId, state]), () => {}),
    insertForm: (sessionId, subtaskId, askId) =>
      andThen(sql.run(INSERT_FORM, [sessionId, subtaskId, askId]), (changes) => changes > 0),
    async appendEvents(session, drafts, at) {
      if (drafts.length === 0) return;
      await can.beforeAppend();
      for (const draft of drafts) {
        const e = linkEvent(session, draft, at, can.hash);
        const seq = await sql.insert(...INSERT_EVENT(e));
        session.headSeq = e.sessionSeq;
        session.headHash = e.hash;
        countBytes(session, e.data.length, at);
        if (seq !== undefined) can.appended({ seq, ...e });
      }
    },
    insertOutput: (output) => changed(INSERT_OUTPUT, output),
    insertMessage: (message) => changed(INSERT_MESSAGE, message),
    updateMessage: (message) => run(UPDATE_MESSAGE, message),
    insertToken: (token) => run(INSERT_TOKEN, token),
    updateToken: (token) => run(UPDATE_TOKEN, token),
    insertResponse: (response) => run(INSERT_RESPONSE, response),
    async keepFact(name, value) {
      await sql.run(`INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, [name, value]);
      const [row] = await sql.all<Tables['facts']>(`SELECT * FROM facts WHERE name = ?`, [name]);
      return row?.value ?? value;
    },
    forgetResponses: (before) => sql.run(`DELETE FROM responses WHERE created_at <= ?`, [before]),
  };
}
