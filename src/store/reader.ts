// Everything the gateway reads, over any database that speaks Sql. Look-ups by id are fixed texts that a database
// prepares once; lists with optional filters are compiled by Kysely. Limits that the gateway chooses are written into
// the text: SQLite plans a statement anew, at ten times its cost, whenever the value of a `LIMIT ?` is bound.

import { sql as raw } from 'kysely';
import { WORKER_RESTART } from '../core/ask.ts';
import { fail } from '../core/errors.ts';
import { servedKeys } from '../core/label.ts';
import type { MaybePromise, Positioned, Reader } from '../core/ports.ts';
import { LOST } from '../core/run.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import { draftReads } from './drafts.ts';
import { historyReads } from './history.ts';
import { toAsk, toEnded, toEvent, toMessage, toOutput, toPending, toRun, toSession, toToken } from './rows.ts';
import { signInReads } from './sign-in-links.ts';
import { skillReads } from './skills.ts';
import { andThen, compiler, list, type Sql, type Value } from './sql.ts';
import type {
  AskRow,
  EventRow,
  FormRow,
  MessageRow,
  OutputRow,
  PartialStateRow,
  RunRow,
  SessionRow,
  TokenRow,
} from './tables.ts';

const literal = (value: string) => raw.lit<string>(value);

/** What belongs to a run is found among what belongs to its session: an index by run would cost every write a page. */
const OF_RUN = `session_id = (SELECT session_id FROM runs WHERE id = ?) AND run_id = ?`;

const marks = (count: number): string => Array(count).fill('?').join(', ');

const CLAIMABLE = (agents: number, needs: number, limit: number) => `
  SELECT r.* FROM runs r JOIN sessions s ON s.id = r.session_id
  WHERE r.agent IN (${marks(agents)}) AND r.labels IN (${marks(needs)}) AND r.agent <> 'external' AND r.lease_worker IS NULL
    AND r.kind <> 'parent_clarification' AND r.status IN ('queued', 'running')
    AND (r.status = 'running' OR (s.active_run_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM runs q WHERE q.session_id = r.session_id AND q.status = 'queued'
        AND (q.queue_order < r.queue_order OR (q.queue_order = r.queue_order AND q.n < r.n)))))
  ORDER BY r.n LIMIT ${limit}`;

const HELD = `status IN ('waiting_for_approval', 'waiting_for_user_question')`;

const NEXT_DEADLINE = `
  SELECT MIN(at) AS at FROM (
    SELECT * FROM (SELECT expires_at AS at FROM asks WHERE status = 'pending' AND expires_at IS NOT NULL
      ORDER BY expires_at LIMIT 1) AS a
    UNION ALL
    SELECT * FROM (SELECT clarification_expires_at AS at FROM runs WHERE status = 'queued'
      AND clarification_expires_at IS NOT NULL ORDER BY clarification_expires_at LIMIT 1) AS b) AS deadlines`;

const COUNTS = `
  SELECT (SELECT COUNT(*) FROM asks WHERE status = 'pending') AS pending,
    (SELECT COUNT(*) FROM asks WHERE delivery = 'due') AS due,
    (SELECT COUNT(*) FROM sessions WHERE status = 'active') AS active`;

/** `horizon`: the last event that may be shown. Where one transaction writes at a time, that is all of them. */
export function createReader(sql: Sql, horizon: number = Number.MAX_SAFE_INTEGER, claimClause = ''): Reader {
  const one = <Row, T>(text: string, values: Value[], map: (row: Row) => T): MaybePromise<T | undefined> =>
    andThen(sql.all<Row>(text, values), ([row]) => (row === undefined ? undefined : readable(row, map)));
  const many = <Row, T>(text: string, values: Value[], map: (row: Row) => T): MaybePromise<T[]> =>
    andThen(sql.all<Row>(text, values), (rows) => allReadable(rows, map));

  return {
    ...signInReads(sql),
    ...draftReads(sql),
    ...historyReads(sql),
    ...skillReads(sql),
    session: (id) =>
      one<SessionRow, ReturnType<typeof toSession>>(`SELECT * FROM sessions WHERE id = ?`, [id], toSession),
    async sessions(filter, page) {
      const { newestFirst } = filter;
      let query = compiler
        .selectFrom('sessions')
        .selectAll()
        .where('n', newestFirst ? '<' : '>', page.after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0))
        .where('id', '<>', SYSTEM_SESSION);
      if (filter.id !== undefined) query = query.where('id', '=', filter.id);
      if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      if (filter.parentId !== undefined) query = query.where('parent_session_id', '=', filter.parentId);
      const ordered = query.orderBy('n', newestFirst ? 'desc' : 'asc').limit(page.limit);
      return place(await list<SessionRow>(sql, ordered), (row) => row.n, toSession);
    },
    run: (id) => one(`SELECT * FROM runs WHERE id = ?`, [id], toRun),
    async runs(filter, page) {
      let query = compiler
        .selectFrom('runs')
        .selectAll()
        .where('n', '>', page.after ?? 0);
      if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
      if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      return place(await list<RunRow>(sql, query.orderBy('n').limit(page.limit)), (row) => row.n, toRun);
    },
    carryingRun: (askId) => one(`SELECT * FROM runs WHERE carries_ask_id = ?`, [askId], toRun),
    clarificationRun: (requestId) => one(`SELECT * FROM runs WHERE clarification_id = ?`, [requestId], toRun),
    queuedRuns: (sessionId) =>
      many(`SELECT * FROM runs WHERE session_id = ? AND status = 'queued' ORDER BY queue_order, n`, [sessionId], toRun),
    ask: (id) => one(`SELECT * FROM asks WHERE id = ?`, [id], toAsk),
    async asks(filter, page) {
      let query = compiler
        .selectFrom('asks')
        .selectAll()
        .where('n', '>', page.after ?? 0);
      if (filter.status === 'ended') query = query.where('status', '<>', 'pending');
      // A literal, so that the partial index on what is open is used.
      else if (filter.status === 'pending') query = query.where('status', '=', literal('pending'));
      else if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
      if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
      const { runId } = filter;
      if (runId !== undefined)
        query = query
          .where('session_id', '=', (eb) => eb.selectFrom('runs').select('session_id').where('id', '=', runId))
          .where('run_id', '=', runId);
      if (filter.delivery === 'due') query = query.where('delivery', '=', literal('due'));
      else if (filter.delivery !== undefined) query = query.where('delivery', '=', filter.delivery);
      const { agent } = filter;
      if (agent !== undefined)
        query = query.where('session_id', 'in', (eb) =>
          eb.selectFrom('sessions').select('id').where('agent', '=', agent),
        );
      return place(await list<AskRow>(sql, query.orderBy('n').limit(page.limit)), (row) => row.n, toAsk);
    },
    pendingOfRun: (runId) =>
      many(`SELECT * FROM asks WHERE ${OF_RUN} AND status = 'pending' ORDER BY n`, [runId, runId], toPending),
    lastPendingOfRun: (runId) =>
      one(
        `SELECT * FROM asks WHERE ${OF_RUN} AND status = 'pending' ORDER BY n DESC LIMIT 1`,
        [runId, runId],
        toPending,
      ),
    async pendingKinds(runId) {
      const rows = await sql.all<{ kind: string; n: number }>(
        `SELECT kind, COUNT(*) AS n FROM asks WHERE ${OF_RUN} AND status = 'pending' GROUP BY kind`,
        [runId, runId],
      );
      const count = (kind: string) => rows.find((row) => row.kind === kind)?.n ?? 0;
      return { approvals: count('approval'), questions: count('question') };
    },
    toHandOver: (runId) =>
      one(
        `SELECT * FROM asks WHERE run_id = ? AND delivery = 'due' AND mode IN ('form', 'restart') ORDER BY n LIMIT 1`,
        [runId],
        toEnded,
      ),
    dueOfRun: (runId) =>
      many(`SELECT * FROM asks WHERE ${OF_RUN} AND delivery = 'due' ORDER BY n`, [runId, runId], toEnded),
    formOf: (sessionId, subtaskId) =>
      one<FormRow, string>(
        `SELECT * FROM forms WHERE session_id = ? AND subtask_id = ?`,
        [sessionId, subtaskId],
        (row) => row.ask_id,
      ),
    formOfCall: (sessionId, toolCallId) =>
      one(
        `SELECT asks.* FROM forms JOIN asks ON asks.id = forms.ask_id
         WHERE forms.session_id = ? AND asks.tool_call_id = ? ORDER BY asks.n DESC LIMIT 1`,
        [sessionId, toolCallId],
        toAsk,
      ),
    keptAnswer: (sessionId, kind, digest) =>
      one(
        `SELECT * FROM asks WHERE session_id = ? AND kind = ? AND digest = ? AND status = 'answered'
         AND delivery = 'undeliverable' AND delivery_reason = '${WORKER_RESTART}' ORDER BY n DESC LIMIT 1`,
        [sessionId, kind, digest],
        toEnded,
      ),
    partialState: (askId) =>
      one<PartialStateRow, string>(`SELECT * FROM partial_states WHERE ask_id = ?`, [askId], (row) => row.state),
    outputs: (runId) =>
      andThen(
        many<OutputRow, ReturnType<typeof toOutput>>(
          `SELECT * FROM outputs WHERE run_id = ? ORDER BY position DESC LIMIT 100`,
          [runId],
          toOutput,
        ),
        (newest) => newest.reverse(),
      ),
    events(filter, after, limit) {
      if (filter.runId !== undefined)
        return many<EventRow, ReturnType<typeof toEvent>>(
          `SELECT * FROM events WHERE ${OF_RUN} AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${limit}`,
          [filter.runId, filter.runId, after, horizon],
          toEvent,
        );
      if (filter.sessionId !== undefined)
        return many<EventRow, ReturnType<typeof toEvent>>(
          `SELECT * FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${limit}`,
          [filter.sessionId, after, horizon],
          toEvent,
        );
      return many(
        `SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${limit}`,
        [after, horizon],
        toEvent,
      );
    },
    latest: (sessionId, type, before, limit) =>
      many(
        `SELECT * FROM events WHERE session_id = ? AND seq < ? AND type = ? ORDER BY seq DESC LIMIT ${limit}`,
        [sessionId, before, type],
        toEvent,
      ),
    lastSeq: async () =>
      (await one(
        `SELECT MAX(seq) AS seq FROM events WHERE seq <= ?`,
        [horizon],
        (row: { seq: number | null }) => row.seq,
      )) ?? 0,
    message: (id) => one(`SELECT * FROM messages WHERE id = ?`, [id], toMessage),
    async messages(sessionId, which, page) {
      let query = compiler.selectFrom('messages').selectAll().where('session_id', '=', sessionId);
      query =
        which === 'dead'
          ? query.where('dead_at', 'is not', null)
          : query.where('acked_at', 'is', null).where('dead_at', 'is', null);
      const rows = await list<MessageRow>(
        sql,
        query
          .where('n', '>', page.after ?? 0)
          .orderBy('n')
          .limit(page.limit),
      );
      return place(rows, (row) => row.n, toMessage);
    },
    token: (id) => one(`SELECT * FROM tokens WHERE id = ?`, [id], toToken),
    tokenNamed: (name) =>
      one(`SELECT * FROM tokens WHERE name = ? AND revoked_at IS NULL ORDER BY n DESC LIMIT 1`, [name], toToken),
    tokenByHash: (hash) => one(`SELECT * FROM tokens WHERE hash = ?`, [hash], toToken),
    async tokens(page) {
      const rows = await sql.all<TokenRow>(`SELECT * FROM tokens WHERE n > ? ORDER BY n LIMIT ?`, [
        page.after ?? 0,
        page.limit,
      ]);
      return place(rows, (row) => row.n, toToken);
    },
    overdueAsks: (now, limit) =>
      many(
        `SELECT * FROM asks WHERE status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ?
         ORDER BY expires_at, n LIMIT ${limit}`,
        [now],
        toPending,
      ),
    overdueRuns: (now, limit) =>
      many(
        `SELECT * FROM runs WHERE status = 'queued' AND clarification_expires_at IS NOT NULL
         AND clarification_expires_at <= ? ORDER BY clarification_expires_at, n LIMIT ${limit}`,
        [now],
        toRun,
      ),
    nextDeadline: () => one(NEXT_DEADLINE, [], (row: { at: number | null }) => row.at ?? undefined),
    claimable(agents, labels, limit) {
      const needs = servedKeys(labels);
      return many(CLAIMABLE(agents.length, needs.length, limit) + claimClause, [...agents, ...needs], toRun);
    },
    leasedBy: (workerId) => many(`SELECT * FROM runs WHERE lease_worker = ?`, [workerId], toRun),
    lapsedLeases: (now, limit) =>
      many(
        `SELECT * FROM runs WHERE lease_worker IS NOT NULL AND lease_until <= ? AND NOT (lease_until = ${LOST.until} AND ${HELD})
         ORDER BY lease_until, n LIMIT ${limit}`,
        [now],
        toRun,
      ),
    lostHolds(agents, labels, now, limit) {
      const needs = servedKeys(labels);
      return many(
        `SELECT * FROM runs WHERE lease_worker IS NOT NULL AND lease_until <= ? AND ${HELD} AND recovery <> 'resume'
         AND agent IN (${marks(agents.length)}) AND labels IN (${marks(needs.length)}) ORDER BY n LIMIT ${limit}`,
        [now, ...agents, ...needs],
        toRun,
      );
    },
    staleMessages: (before, limit) =>
      many(
        `SELECT * FROM messages WHERE acked_at IS NULL AND dead_at IS NULL AND created_at <= ?
         ORDER BY created_at, n LIMIT ${limit}`,
        [before],
        toMessage,
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

const place = <Row, T>(rows: Row[], at: (row: Row) => number, map: (row: Row) => T): Positioned<T>[] =>
  allReadable(rows, (row) => ({ at: at(row), value: map(row) }));

/** A row that cannot be read is a named problem for whoever wants just that row, and is left out of every list. */
function readable<Row, T>(row: Row, map: (row: Row) => T): T {
  try {
    return map(row);
  } catch (error) {
    const { id = 'of unknown id' } = row as { id?: string };
    throw fail('record_unreadable', `The stored record ${id} is damaged (${(error as Error).message}).`);
  }
}

function allReadable<Row, T>(rows: readonly Row[], map: (row: Row) => T): T[] {
  return rows.flatMap((row) => {
    try {
      return [readable(row, map)];
    } catch {
      return [];
    }
  });
}
