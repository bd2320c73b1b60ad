// Everything the gateway writes, over any database that speaks Sql. A writer lives inside one transaction; what the
// database must do differently (how a session is locked) is a named capability, never a test for its brand.
import type { Hash } from '../core/digest.ts';
import { type Event, linkEvent } from '../core/event.ts';
import type { MaybePromise, Reader, Tx } from '../core/ports.ts';
import { draftWrites } from './drafts.ts';
import { createReader } from './reader.ts';
import { insertInto, type RowStatement, updateById } from './row-statement.ts';
import { toResponse, toSession } from './rows.ts';
import { signInWrites } from './sign-in-links.ts';
import { skillWrites } from './skills.ts';
import { andThen, type Sql } from './sql.ts';
import type { FactRow, FormRow, PartialStateRow, ResponseRow, SessionRow } from './tables.ts';
import * as rows from './to-rows.ts';

export interface Capabilities {
  /** Appended to the select that locks a session; empty where only one transaction writes at a time. */
  lockClause: string;
  /** Appended to the select that offers runs to a worker, so that two workers are not offered the same. */
  claimClause: string;
  hash: Hash;
  /** Makes other transactions with the same idempotency key wait for this one. */
  lockKey(scope: string): MaybePromise<void>;
  /** Called before events are appended. */
  beforeAppend(): MaybePromise<void>;
  /** Called with each event whose number the database has told. */
  appended(event: Event): void;
}

const INSERT_SESSION = insertInto('sessions', rows.newSession);
const UPDATE_SESSION = updateById('sessions', rows.sessionState);
const INSERT_RUN = insertInto('runs', rows.newRun);
const UPDATE_RUN = updateById('runs', rows.runState);
const UPDATE_INPUT = updateById('runs', rows.runInput);
const INSERT_ASK = insertInto('asks', rows.newAsk);
const END_ASK = updateById('asks', rows.askEnd, `AND status = 'pending'`);
const UPDATE_DELIVERY = updateById('asks', rows.askDelivery);
const UPDATE_SIGHTINGS = updateById('asks', rows.askSightings);
const INSERT_PARTIAL_STATE = insertInto('partial_states', (row: PartialStateRow) => row);
const INSERT_FORM = insertInto('forms', (row: FormRow) => row, 'ON CONFLICT DO NOTHING');
const INSERT_EVENT = insertInto('events', rows.newEvent);
const INSERT_OUTPUT = insertInto('outputs', rows.newOutput, 'ON CONFLICT (run_id, id) DO NOTHING');
const INSERT_MESSAGE = insertInto('messages', rows.newMessage, 'ON CONFLICT (id) DO NOTHING');
const UPDATE_MESSAGE = updateById('messages', rows.messageState);
const INSERT_TOKEN = insertInto('tokens', rows.newToken);
const UPDATE_TOKEN = updateById('tokens', rows.tokenState);
const INSERT_RESPONSE = insertInto('responses', rows.newResponse);
const INSERT_FACT = insertInto('facts', (row: FactRow) => row, 'ON CONFLICT (name) DO NOTHING');

export function createWriter(sql: Sql, can: Capabilities): Tx {
  const run = <T>(statement: RowStatement<T>, record: T): MaybePromise<void> =>
    andThen(sql.run(...statement(record)), () => {});
  const changed = <T>(statement: RowStatement<T>, record: T): MaybePromise<boolean> =>
    andThen(sql.run(...statement(record)), (changes) => changes > 0);

  const reader = createReader(sql, Number.MAX_SAFE_INTEGER, can.claimClause);
  const lockOf = async <T>(table: 'runs' | 'asks', id: string, load: (r: Reader) => MaybePromise<T | undefined>) => {
    const [row] = await sql.all<SessionRow>(
      `SELECT * FROM sessions WHERE id = (SELECT session_id FROM ${table} WHERE id = ?)${can.lockClause}`,
      [id],
    );
    const value = row && (await load(reader));
    return row && value && { session: toSession(row), value };
  };

  return {
    ...reader,
    ...signInWrites(sql),
    ...draftWrites(sql),
    ...skillWrites(sql),
    async lockSession(id) {
      const [row] = await sql.all<SessionRow>(`SELECT * FROM sessions WHERE id = ?${can.lockClause}`, [id]);
      return row && toSession(row);
    },
    lockRun: (id) => lockOf('runs', id, (tx) => tx.run(id)),
    lockAsk: (id) => lockOf('asks', id, (tx) => tx.ask(id)),
    async lockKey(scope) {
      await can.lockKey(scope);
      const [row] = await sql.all<ResponseRow>(`SELECT * FROM responses WHERE scope = ?`, [scope]);
      return row && toResponse(row);
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
    insertPartialState: (ask_id, state) => run(INSERT_PARTIAL_STATE, { ask_id, state }),
    insertForm: (session_id, subtask_id, ask_id) => changed(INSERT_FORM, { session_id, subtask_id, ask_id }),
    async appendEvents(session, drafts, at) {
      if (drafts.length === 0) return;
      await can.beforeAppend();
      for (const draft of drafts) {
        const e = linkEvent(session, draft, at, can.hash);
        const seq = await sql.insert(...INSERT_EVENT(e));
        session.headSeq = e.sessionSeq;
        session.headHash = e.hash;
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
      await run(INSERT_FACT, { name, value });
      const [row] = await sql.all<FactRow>(`SELECT * FROM facts WHERE name = ?`, [name]);
      return row?.value ?? value;
    },
    forgetResponses: (before) => sql.run(`DELETE FROM responses WHERE created_at <= ?`, [before]),
  };
}
