// Everything the gateway writes, over any database that speaks Sql. A writer lives inside one transaction; what the
// database must do differently (how a session is locked) is a named capability, never a test for its brand.
import type { Hash } from '../core/digest.ts';
import { type Event, linkEvent } from '../core/event.ts';
import { labelKey } from '../core/label.ts';
import type { Reader, Soon, Tx } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import { draftWrites } from './drafts.ts';
import { createReader } from './reader.ts';
import { INHERITED, toResponse, toSession } from './rows.ts';
import { signInWrites } from './sign-in-links.ts';
import { skillWrites } from './skills.ts';
import { type Sql, soon, type Value } from './sql.ts';
import type { FactRow, ResponseRow, SessionRow } from './tables.ts';

export interface Capabilities {
  /** Appended to the select that locks a session; empty where only one transaction writes at a time. */
  lockClause: string;
  /** Appended to the select that offers runs to a worker, so that two workers are not offered the same. */
  claimClause: string;
  hash: Hash;
  /** Makes other transactions with the same idempotency key wait for this one. */
  lockKey(scope: string): Soon<void>;
  /** Called before events are appended. */
  beforeAppend(): Soon<void>;
  /** Called with each event whose number the database has told. */
  appended(event: Event): void;
}

const insert = (table: string, columns: string) =>
  `INSERT INTO ${table} (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`;

const INSERT_SESSION = insert(
  'sessions',
  'id, agent, agent_id, title, work_folder, project_ids, channel_ids, labels, parent_session_id, permissions, task_id, created_at, status, updated_at, ended_at, active_run_id, queued_count, pending_count, kept_count, run_count, last_message, head_seq, head_hash',
);
const UPDATE_SESSION = `UPDATE sessions SET status = ?, updated_at = ?, ended_at = ?, active_run_id = ?,
  queued_count = ?, pending_count = ?, kept_count = ?, run_count = ?, last_message = ?, head_seq = ?, head_hash = ?
  WHERE id = ?`;
const INSERT_RUN = insert(
  'runs',
  'id, session_id, agent, labels, input, source, actor, text_preview, submitted_at, resumes_run_id, carries_ask_id, subtask_id, clarification, clarification_id, clarification_expires_at, queue_order, kind, status, updated_at, started_at, finished_at, error, outcome, output_count, lease_worker, lease_until, lease_epoch, recovery, permissions',
);
const UPDATE_RUN = `UPDATE runs SET kind = ?, status = ?, updated_at = ?, started_at = ?, finished_at = ?, error = ?,
  outcome = ?, output_count = ?, lease_worker = ?, lease_until = ?, lease_epoch = ?, recovery = ?, permissions = ? WHERE id = ?`;
const UPDATE_INPUT = `UPDATE runs SET input = ?, text_preview = ? WHERE id = ?`;
const INSERT_ASK = insert(
  'asks',
  'id, kind, mode, status, session_id, run_id, tool_call_id, content, digest, payload_hash, created_at, expires_at, delivery, attempts',
);
const END_ASK = `UPDATE asks SET status = ?, answer = ?, answer_mac = ?, sealed = ?, delivery = ?, attempts = ?
  WHERE id = ? AND status = 'pending'`;
const UPDATE_DELIVERY = `UPDATE asks SET delivery = ?, attempts = ?, delivered_at = ?, delivery_reason = ?, sealed = ?
  WHERE id = ?`;
const UPDATE_SIGHTINGS = `UPDATE asks SET seen_by = ? WHERE id = ?`;
const INSERT_PARTIAL_STATE = insert('partial_states', 'ask_id, state');
const INSERT_FORM = `${insert('forms', 'session_id, subtask_id, ask_id')} ON CONFLICT DO NOTHING`;
const INSERT_EVENT = insert('events', 'session_seq, id, at, session_id, run_id, ask_id, type, data, prev_hash, hash');
const INSERT_OUTPUT = `${insert('outputs', 'run_id, id, position, at, content')} ON CONFLICT (run_id, id) DO NOTHING`;
const INSERT_MESSAGE = `${insert(
  'messages',
  'id, session_id, from_session_id, subject, payload, attempts, created_at, acked_at, dead_at, reason',
)} ON CONFLICT (id) DO NOTHING`;
const UPDATE_MESSAGE = `UPDATE messages SET attempts = ?, acked_at = ?, dead_at = ?, reason = ? WHERE id = ?`;
const INSERT_TOKEN = insert('tokens', 'id, kind, name, scope, session_id, hash, created_at, expires_at, revoked_at');
const UPDATE_TOKEN = `UPDATE tokens SET expires_at = ?, revoked_at = ? WHERE id = ?`;
const INSERT_RESPONSE = insert('responses', 'scope, fingerprint, created, body, created_at');

export function createWriter(sql: Sql, can: Capabilities): Tx {
  const run = (text: string, values: Value[]): Soon<void> => soon(sql.run(text, values), () => {});
  const changed = (text: string, values: Value[]): Soon<boolean> =>
    soon(sql.run(text, values), (changes) => changes > 0);

  const reader = createReader(sql, Number.MAX_SAFE_INTEGER, can.claimClause);
  const lockOf = async <T>(table: 'runs' | 'asks', id: string, load: (r: Reader) => Soon<T | undefined>) => {
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
    insertSession: (s) =>
      run(INSERT_SESSION, [
        s.id,
        s.agent,
        s.agentId,
        s.title ?? null,
        s.workFolder ?? null,
        JSON.stringify(s.projectIds),
        JSON.stringify(s.channelIds),
        labelKey(s.labels),
        s.parentSessionId ?? null,
        s.permissions ?? INHERITED,
        s.taskId ?? null,
        s.createdAt,
        ...sessionState(s),
      ]),
    updateSession: (s) => run(UPDATE_SESSION, [...sessionState(s), s.id]),
    insertRun: (r) =>
      run(INSERT_RUN, [
        r.id,
        r.sessionId,
        r.agent,
        labelKey(r.labels),
        JSON.stringify(r.input),
        r.source,
        r.actor,
        r.textPreview,
        r.submittedAt,
        r.resumesRunId ?? null,
        r.carriesAskId ?? null,
        r.subtaskId ?? null,
        r.clarification ? JSON.stringify(r.clarification) : null,
        r.clarification?.requestId ?? null,
        r.clarification?.expiresAt ?? null,
        r.queueOrder,
        ...runState(r),
      ]),
    updateRun: (r) => run(UPDATE_RUN, [...runState(r), r.id]),
    updateInput: (r) => run(UPDATE_INPUT, [JSON.stringify(r.input), r.textPreview, r.id]),
    insertAsk: (a) =>
      run(INSERT_ASK, [
        a.id,
        a.kind,
        a.mode,
        a.status,
        a.sessionId,
        a.runId,
        a.toolCallId,
        JSON.stringify(a.content),
        a.digest,
        a.payloadHash,
        a.createdAt,
        a.expiresAt ?? null,
        'none',
        0,
      ]),
    endAsk: (a) =>
      changed(END_ASK, [
        a.status,
        JSON.stringify(a.answer),
        a.answerMac,
        a.sealed ?? null,
        a.delivery.state,
        a.delivery.attempts,
        a.id,
      ]),
    updateDelivery: ({ id, delivery: d, sealed }) =>
      run(UPDATE_DELIVERY, [d.state, d.attempts, d.deliveredAt ?? null, d.reason ?? null, sealed ?? null, id]),
    updateSightings: ({ id, seenBy }) => run(UPDATE_SIGHTINGS, [JSON.stringify(seenBy), id]),
    insertPartialState: (askId, state) => run(INSERT_PARTIAL_STATE, [askId, state]),
    insertForm: (sessionId, subtaskId, askId) => changed(INSERT_FORM, [sessionId, subtaskId, askId]),
    async appendEvents(session, drafts, at) {
      if (drafts.length === 0) return;
      await can.beforeAppend();
      for (const draft of drafts) {
        const e = linkEvent(session, draft, at, can.hash);
        const seq = await sql.insert(INSERT_EVENT, [
          e.sessionSeq,
          e.id,
          e.at,
          e.sessionId,
          e.runId ?? null,
          e.askId ?? null,
          e.type,
          e.data,
          e.prevHash,
          e.hash,
        ]);
        session.headSeq = e.sessionSeq;
        session.headHash = e.hash;
        if (seq !== undefined) can.appended({ seq, ...e });
      }
    },
    insertOutput: (o) => changed(INSERT_OUTPUT, [o.runId, o.id, o.position, o.at, JSON.stringify(o.content)]),
    insertMessage: (m) =>
      changed(INSERT_MESSAGE, [
        m.id,
        m.sessionId,
        m.fromSessionId,
        m.subject,
        JSON.stringify(m.payload),
        m.attempts,
        m.createdAt,
        m.ackedAt ?? null,
        m.deadAt ?? null,
        m.reason ?? null,
      ]),
    updateMessage: (m) =>
      run(UPDATE_MESSAGE, [m.attempts, m.ackedAt ?? null, m.deadAt ?? null, m.reason ?? null, m.id]),
    insertToken: (t) =>
      run(INSERT_TOKEN, [
        t.id,
        t.kind,
        t.name,
        t.scope,
        t.sessionId ?? null,
        t.hash,
        t.createdAt,
        t.expiresAt ?? null,
        t.revokedAt ?? null,
      ]),
    updateToken: (t) => run(UPDATE_TOKEN, [t.expiresAt ?? null, t.revokedAt ?? null, t.id]),
    insertResponse: (r) => run(INSERT_RESPONSE, [r.scope, r.fingerprint, r.created ? 1 : 0, r.body, r.createdAt]),
    async keepFact(name, value) {
      await sql.run(`INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, [name, value]);
      const [row] = await sql.all<FactRow>(`SELECT * FROM facts WHERE name = ?`, [name]);
      return row?.value ?? value;
    },
    forgetResponses: (before) => sql.run(`DELETE FROM responses WHERE created_at <= ?`, [before]),
  };
}

const sessionState = (s: Session): Value[] => [
  s.status,
  s.updatedAt,
  s.endedAt ?? null,
  s.activeRunId ?? null,
  s.queuedCount,
  s.pendingCount,
  s.keptCount,
  s.runCount,
  s.lastMessage ?? null,
  s.headSeq,
  s.headHash,
];

const runState = (r: Run): Value[] => [
  r.kind,
  r.status,
  r.updatedAt,
  r.startedAt ?? null,
  r.finishedAt ?? null,
  r.error ?? null,
  r.outcome ?? null,
  r.outputCount,
  r.lease?.workerId ?? null,
  r.lease?.until ?? null,
  r.leaseEpoch,
  r.recovery,
  r.permissions ?? null,
];
