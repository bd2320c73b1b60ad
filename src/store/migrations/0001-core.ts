// Creates the first schema. Indexes of the inbox cover only open rows, so that ended asks cost nothing but disk.
import type { ColumnKinds } from '../schema.ts';

export const coreSchema = ({ position, cursor }: ColumnKinds): string[] => [
  `CREATE TABLE sessions (
    n ${position}, id TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, agent_id TEXT NOT NULL, title TEXT,
    work_folder TEXT, project_ids TEXT NOT NULL, channel_ids TEXT NOT NULL, parent_session_id TEXT,
    permissions TEXT NOT NULL, task_id TEXT, status TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, ended_at BIGINT, active_run_id TEXT, queued_count INTEGER NOT NULL,
    pending_count INTEGER NOT NULL, item_count INTEGER NOT NULL, run_count INTEGER NOT NULL, last_message TEXT,
    head_seq INTEGER NOT NULL, head_hash TEXT NOT NULL)`,
  `CREATE INDEX sessions_parent ON sessions (parent_session_id) WHERE parent_session_id IS NOT NULL`,

  `CREATE TABLE runs (
    n ${position}, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, agent TEXT NOT NULL, kind TEXT NOT NULL,
    status TEXT NOT NULL, input TEXT NOT NULL, source TEXT NOT NULL, actor TEXT NOT NULL, text_preview TEXT NOT NULL,
    submitted_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, started_at BIGINT, finished_at BIGINT, error TEXT,
    outcome TEXT, resumes_run_id TEXT, carries_ask_id TEXT, subtask_id TEXT, queue_order INTEGER NOT NULL,
    output_count INTEGER NOT NULL, clarification TEXT, clarification_id TEXT, clarification_expires_at BIGINT, lease_worker TEXT,
    lease_until BIGINT, lease_epoch INTEGER NOT NULL, recovery TEXT NOT NULL)`,
  `CREATE INDEX runs_session ON runs (session_id, n)`,
  `CREATE INDEX runs_queued ON runs (session_id, queue_order, n) WHERE status = 'queued'`,
  `CREATE INDEX runs_claimable ON runs (agent, n)
    WHERE status IN ('queued', 'running') AND lease_worker IS NULL AND agent <> 'external'`,
  `CREATE INDEX runs_leased ON runs (lease_until) WHERE lease_worker IS NOT NULL`,
  `CREATE UNIQUE INDEX runs_carrying ON runs (carries_ask_id) WHERE carries_ask_id IS NOT NULL`,
  `CREATE UNIQUE INDEX runs_clarification ON runs (clarification_id) WHERE clarification_id IS NOT NULL`,
  `CREATE INDEX runs_expiring ON runs (clarification_expires_at)
    WHERE status = 'queued' AND clarification_expires_at IS NOT NULL`,

  `CREATE TABLE asks (
    n ${position}, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL,
    session_id TEXT NOT NULL, run_id TEXT NOT NULL, tool_call_id TEXT NOT NULL, content TEXT NOT NULL,
    digest TEXT NOT NULL, payload_hash TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT, answer TEXT,
    answer_mac TEXT, sealed TEXT, delivery TEXT NOT NULL, attempts INTEGER NOT NULL, delivered_at BIGINT,
    delivery_reason TEXT)`,
  `CREATE INDEX asks_session ON asks (session_id, n)`,
  `CREATE INDEX asks_pending ON asks (n) WHERE status = 'pending'`,
  `CREATE INDEX asks_pending_session ON asks (session_id, n) WHERE status = 'pending'`,
  `CREATE INDEX asks_expiring ON asks (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL`,
  `CREATE INDEX asks_due ON asks (n) WHERE delivery = 'due'`,
  `CREATE INDEX asks_to_hand_over ON asks (run_id, n) WHERE delivery = 'due' AND mode IN ('form', 'restart')`,

  `CREATE TABLE events (
    seq ${cursor}, session_seq INTEGER NOT NULL, id TEXT NOT NULL, at BIGINT NOT NULL,
    session_id TEXT NOT NULL, run_id TEXT, ask_id TEXT, type TEXT NOT NULL, data TEXT NOT NULL,
    prev_hash TEXT NOT NULL, hash TEXT NOT NULL)`,
  `CREATE INDEX events_session ON events (session_id, seq)`,

  `CREATE TABLE outputs (
    run_id TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, at BIGINT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (run_id, id))`,

  `CREATE TABLE messages (
    n ${position}, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, from_session_id TEXT NOT NULL,
    subject TEXT NOT NULL, payload TEXT NOT NULL, attempts INTEGER NOT NULL, created_at BIGINT NOT NULL,
    acked_at BIGINT, dead_at BIGINT, reason TEXT)`,
  `CREATE INDEX messages_open ON messages (session_id, n) WHERE acked_at IS NULL AND dead_at IS NULL`,
  `CREATE INDEX messages_stale ON messages (created_at) WHERE acked_at IS NULL AND dead_at IS NULL`,
  `CREATE INDEX messages_dead ON messages (session_id, n) WHERE dead_at IS NOT NULL`,

  `CREATE TABLE items (
    session_id TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, author TEXT NOT NULL,
    content TEXT NOT NULL, metadata TEXT, created_at BIGINT NOT NULL, PRIMARY KEY (session_id, position))`,

  `CREATE TABLE tokens (
    n ${position}, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scope TEXT NOT NULL, session_id TEXT,
    hash TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT)`,

  `CREATE TABLE responses (
    scope TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL,
    created_at BIGINT NOT NULL)`,
  `CREATE INDEX responses_age ON responses (created_at)`,

  `CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
];
