// Implements every read of the gateway, over any database that offers `Sql`. Look-ups are fixed texts that a database
// prepares once; lists with optional filters are compiled by Kysely. Limits that the gateway chooses are written into the
// text: SQLite plans a statement again, at ten times its cost, whenever the value of a `LIMIT ?` is bound.
import { WORKER_RESTART } from '../core/ask.ts';
import { servedKeys } from '../core/label.ts';
import type { EventFilter, Reader } from '../core/ports.ts';
import { LOST } from '../core/run.ts';
import { grantReads } from './grants.ts';
import { historyReads } from './history.ts';
import { listReads } from './lists.ts';
import { noticeReads } from './notices.ts';
import { RECORD_KINDS } from './record-kinds.ts';
import { recordReads } from './records.ts';
import { rowReads } from './row-reads.ts';
import { skillReads } from './skills.ts';
import type { Sql, Value } from './sql.ts';
import { MESSAGE, OUTPUT, type Tables, TOKEN, toAsk, toEnded, toEvent, toPending, toRun } from './tables.ts';

/** Rows of a run are found among those of its session: an index by run would cost every write a page. */
const OF_RUN = `session_id = (SELECT session_id FROM runs WHERE id = ?) AND run_id = ?`;

/** Indexes of open runs do not name the status (migrations/0070-open-runs.ts). */
export const QUEUED = `status = 'queued' AND finished_at IS NULL`;

const CARRIED_ON = `delivery = 'due' AND mode IN ('form', 'restart')`;

const idOf = (row: { id: string }): string => row.id;

const marks = (count: number): string => Array(count).fill('?').join(', ');

const BY_OTHER_WORKER = `EXISTS (
  SELECT 1 FROM tokens t WHERE t.id = s.made_by AND t.scope = 'worker' AND t.is_built_in = 0)`;

const CLAIMABLE = (agents: number, needs: number, limit: number, isBuiltIn = false) => `
  SELECT r.* FROM runs r JOIN sessions s ON s.id = r.session_id
  WHERE r.agent IN (${marks(agents)}) AND r.labels IN (${marks(needs)}) AND r.agent <> 'external' AND r.lease_worker IS NULL
    AND r.kind <> 'parent_clarification' AND r.finished_at IS NULL AND r.status IN ('queued', 'running')
    AND (r.status = 'running' OR (s.active_run_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM runs q WHERE q.session_id = r.session_id AND q.status = 'queued' AND q.finished_at IS NULL
        AND (q.queue_order < r.queue_order OR (q.queue_order = r.queue_order AND q.n < r.n)))))
    ${isBuiltIn ? `AND NOT ${BY_OTHER_WORKER}` : ''}
  ORDER BY r.n LIMIT ${limit}`;

const HELD = `status IN ('waiting_for_approval', 'waiting_for_user_question')`;

const LAPSED = `lease_worker IS NOT NULL AND lease_until <= ? AND NOT (lease_until = ${LOST.until} AND ${HELD})`;

/** The most bytes of texts that one read returns. */
const LONGEST = 4 * 1024 * 1024;

/** The keys of the first rows, up to the one with which their texts reach the size. The sizes are in the row headers. */
const WITHIN = (
  table: string,
  key: string,
  text: string,
  condition: string,
  order: string,
  limit: number,
  bytes: number,
) => `
  SELECT ${key} FROM (SELECT ${key}, SUM(size) OVER (ORDER BY ${key} ${order}) - size AS others
    FROM (SELECT ${key}, OCTET_LENGTH(${text}) AS size FROM ${table} WHERE ${condition}
      ORDER BY ${key} ${order} LIMIT ${limit}) AS sized) AS summed WHERE others < ${bytes}`;

const LATEST = (limit: number) => `seq IN (SELECT seq FROM session_events
  WHERE session_id = ? AND seq < ? AND type = ? ORDER BY seq DESC LIMIT ${limit}) ORDER BY seq DESC`;

const KEPT_ANSWER = `session_id = ? AND kind = ? AND digest = ? AND status = 'answered'
  AND delivery = 'undeliverable' AND delivery_reason = '${WORKER_RESTART}' ORDER BY n DESC LIMIT 1`;

const PENDING_BYTES = `SELECT SUM(OCTET_LENGTH(content)) AS n FROM asks WHERE session_id = ? AND status = 'pending'`;

const NEXT_DEADLINE = `
  SELECT MIN(at) AS at FROM (
    SELECT * FROM (SELECT expires_at AS at FROM asks WHERE status = 'pending' AND expires_at IS NOT NULL
      ORDER BY expires_at LIMIT 1) AS a
    UNION ALL
    SELECT * FROM (SELECT clarification_expires_at AS at FROM runs WHERE ${QUEUED}
      AND clarification_expires_at IS NOT NULL ORDER BY clarification_expires_at LIMIT 1) AS b) AS deadlines`;

const COUNTS = `
  SELECT (SELECT COUNT(*) FROM asks WHERE status = 'pending') AS pending,
    (SELECT COUNT(*) FROM asks WHERE delivery = 'due') AS due,
    (SELECT COUNT(*) FROM sessions WHERE status = 'active') AS active`;

/** `horizon`: the last event that may be shown; every event where one transaction writes at a time. */
export function createReader(sql: Sql, horizon: number = Number.MAX_SAFE_INTEGER): Reader {
  const { one, many } = rowReads(sql);
  const from = <Row, T>(table: keyof Tables, map: (row: Row) => T) => {
    const select = `SELECT * FROM ${table} WHERE `;
    return {
      one: (condition: string, ...values: Value[]) => one(select + condition, values, map),
      many: (condition: string, ...values: Value[]) => many(select + condition, values, map),
    };
  };
  const runs = from('runs', toRun);
  const pendingAsks = from('asks', toPending);
  const endedAsks = from('asks', toEnded);
  const events = from('events', toEvent);
  const messages = from('messages', MESSAGE.read);
  const tokens = from('tokens', TOKEN.read);

  return {
    ...historyReads(sql),
    ...listReads(sql),
    ...recordReads(sql),
    ...grantReads(sql),
    ...noticeReads(sql),
    ...skillReads(sql),
    get(kind, ...key) {
      const { byKey, read } = RECORD_KINDS[kind];
      return one(`SELECT * ${byKey}`, key, read);
    },
    carryingRun: (askId) => runs.one(`carries_ask_id = ?`, askId),
    clarificationRun: (requestId) => runs.one(`clarification_id = ?`, requestId),
    queuedRuns: (sessionId) => runs.many(`session_id = ? AND ${QUEUED} ORDER BY queue_order, n`, sessionId),
    queuedRunIds: (sessionId) =>
      many(`SELECT id FROM runs WHERE session_id = ? AND ${QUEUED} ORDER BY queue_order, n`, [sessionId], idOf),
    pendingOfRun: (runId) => pendingAsks.many(`${OF_RUN} AND status = 'pending' ORDER BY n`, runId, runId),
    pendingHeads: (runId) =>
      sql.all(`SELECT id, kind, mode FROM asks WHERE ${OF_RUN} AND status = 'pending' ORDER BY n`, [runId, runId]),
    pendingBytes: async (sessionId) =>
      Number((await sql.all<{ n: number | null }>(PENDING_BYTES, [sessionId]))[0]?.n ?? 0),
    toHandOver: (runId) => endedAsks.one(`${OF_RUN} AND ${CARRIED_ON} ORDER BY n LIMIT 1`, runId, runId),
    dueOfRun: (runId) => endedAsks.many(`${OF_RUN} AND delivery = 'due' ORDER BY n`, runId, runId),
    formOfCall: (sessionId, toolCallId) =>
      one(
        `SELECT asks.* FROM forms JOIN asks ON asks.id = forms.ask_id
         WHERE forms.session_id = ? AND asks.tool_call_id = ? ORDER BY asks.n DESC LIMIT 1`,
        [sessionId, toolCallId],
        toAsk,
      ),
    keptAnswer: (sessionId, kind, digest) => endedAsks.one(KEPT_ANSWER, sessionId, kind, digest),
    outputs: (runId, bytes = LONGEST) =>
      from('outputs', OUTPUT.read).many(
        `run_id = ? AND position IN (${WITHIN('outputs', 'position', 'content', 'run_id = ?', 'DESC', 100, bytes)})
         ORDER BY position`,
        runId,
        runId,
      ),
    events(filter, after, limit, bytes = LONGEST) {
      const [which, ids] = eventsOf(filter);
      const condition = `${which} seq > ? AND seq <= ?`;
      const table = ids.length > 0 ? 'session_events' : 'events';
      return events.many(
        `seq IN (${WITHIN(table, 'seq', 'data', condition, 'ASC', limit, bytes)}) ORDER BY seq`,
        ...ids,
        after,
        horizon,
      );
    },
    latest: (sessionId, type, before, limit) => events.many(LATEST(limit), sessionId, before, type),
    lastSeq: async () =>
      (await one(
        `SELECT MAX(seq) AS seq FROM events WHERE seq <= ?`,
        [horizon],
        (row: { seq: number | null }) => row.seq,
      )) ?? 0,
    tokenNamed: (name) => tokens.one(`name = ? AND revoked_at IS NULL ORDER BY n DESC LIMIT 1`, name),
    personTokens: () => tokens.many(`revoked_at IS NULL AND scope IN ('operator', 'viewer')`),
    tokenByHash: (hash) => tokens.one(`hash = ?`, hash),
    overdueAsks: (now, limit) =>
      pendingAsks.many(
        `status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at, n LIMIT ${limit}`,
        now,
      ),
    overdueRuns: (now, limit) =>
      runs.many(
        `${QUEUED} AND clarification_expires_at IS NOT NULL AND clarification_expires_at <= ?
         ORDER BY clarification_expires_at, n LIMIT ${limit}`,
        now,
      ),
    nextDeadline: () => one(NEXT_DEADLINE, [], (row: { at: number | null }) => row.at ?? undefined),
    claimable({ agents, labels, isBuiltIn }, limit) {
      const needs = servedKeys(labels);
      const text = CLAIMABLE(agents.length, needs.length, limit, isBuiltIn);
      return many(text, [...agents, ...needs], toRun);
    },
    leasedChild: (parentId, holder) =>
      one(
        `SELECT r.* FROM sessions s JOIN runs r ON r.id = s.active_run_id
         WHERE s.parent_session_id = ? AND r.lease_holder = ? LIMIT 1`,
        [parentId, holder],
        toRun,
      ),
    leasedBy: (workerId) => runs.many(`lease_worker = ?`, workerId),
    lapsedLeases: (now, limit) => runs.many(`${LAPSED} ORDER BY lease_until, n LIMIT ${limit}`, now),
    lostHolds(agents, labels, now, limit) {
      const needs = servedKeys(labels);
      const condition = `lease_worker IS NOT NULL AND lease_until <= ? AND ${HELD} AND recovery <> 'resume'
         AND agent IN (${marks(agents.length)}) AND labels IN (${marks(needs.length)}) ORDER BY n LIMIT ${limit}`;
      return runs.many(condition, now, ...agents, ...needs);
    },
    staleMessages: (before, limit) =>
      messages.many(
        `acked_at IS NULL AND dead_at IS NULL AND created_at <= ? ORDER BY created_at, n LIMIT ${limit}`,
        before,
      ),
    async counts() {
      const [row] = await sql.all<{ pending: number; due: number; active: number }>(COUNTS, []);
      return {
        pendingAsks: row?.pending ?? 0,
        dueDeliveries: row?.due ?? 0,
        activeSessions: row?.active ?? 0,
      };
    },
  };
}

function eventsOf({ runId, sessionId }: EventFilter): [condition: string, values: Value[]] {
  if (runId !== undefined) return [`${OF_RUN} AND`, [runId, runId]];
  return sessionId === undefined ? ['', []] : [`session_id = ? AND`, [sessionId]];
}
