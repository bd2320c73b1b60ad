// Rows to records and back. The only place that knows how a record is spelled in columns.
import type { ApprovalContent, Ask, EndedAsk, PendingAsk, QuestionContent } from '../core/ask.ts';
import type { Event, EventType } from '../core/event.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import type { Message } from '../core/mailbox.ts';
import type { Output } from '../core/output.ts';
import type { Clarification, Recovery, Run, RunKind, RunStatus } from '../core/run.ts';
import type { Permissions, Session } from '../core/session.ts';
import type { Sighting } from '../core/sighting.ts';
import type { Scope, Token, TokenKind } from '../core/token.ts';
import type { AskRow, EventRow, MessageRow, OutputRow, ResponseRow, RunRow, SessionRow, TokenRow } from './tables.ts';

const given = <T>(value: T | null): T | undefined => value ?? undefined;
const labelsOf = (key: string): string[] => (key === '' ? [] : key.split(' '));
/** A session without permissions of its own; the column takes no NULL. */
export const INHERITED = 'inherit';

const list = (text: string): string[] => (text === '[]' ? [] : JSON.parse(text));

export const toSession = (row: SessionRow): Session => ({
  id: row.id,
  agent: row.agent,
  agentId: row.agent_id,
  title: given(row.title),
  workFolder: given(row.work_folder),
  projectIds: list(row.project_ids),
  channelIds: list(row.channel_ids),
  labels: labelsOf(row.labels),
  parentSessionId: given(row.parent_session_id),
  permissions: row.permissions === INHERITED ? undefined : (row.permissions as Permissions),
  taskId: given(row.task_id),
  status: row.status as Session['status'],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  endedAt: given(row.ended_at),
  activeRunId: given(row.active_run_id),
  queuedCount: row.queued_count,
  pendingCount: row.pending_count,
  keptCount: row.kept_count,
  runCount: row.run_count,
  lastMessage: given(row.last_message),
  headSeq: row.head_seq,
  headHash: row.head_hash,
});

export const toRun = (row: RunRow): Run => ({
  id: row.id,
  sessionId: row.session_id,
  agent: row.agent,
  kind: row.kind as RunKind,
  status: row.status as RunStatus,
  input: JSON.parse(row.input),
  source: row.source,
  actor: row.actor,
  textPreview: row.text_preview,
  submittedAt: row.submitted_at,
  updatedAt: row.updated_at,
  startedAt: given(row.started_at),
  finishedAt: given(row.finished_at),
  error: given(row.error),
  outcome: given(row.outcome),
  resumesRunId: given(row.resumes_run_id),
  carriesAskId: given(row.carries_ask_id),
  subtaskId: given(row.subtask_id),
  queueOrder: row.queue_order,
  outputCount: row.output_count,
  clarification: row.clarification === null ? undefined : (JSON.parse(row.clarification) as Clarification),
  lease: row.lease_worker === null ? undefined : { workerId: row.lease_worker, until: row.lease_until ?? 0 },
  leaseEpoch: row.lease_epoch,
  recovery: row.recovery as Recovery,
  labels: labelsOf(row.labels),
  permissions: given(row.permissions as Permissions | null),
});

export const toAsk = (row: AskRow): Ask => {
  const base = {
    id: row.id,
    mode: row.mode as Ask['mode'],
    sessionId: row.session_id,
    runId: row.run_id,
    toolCallId: row.tool_call_id,
    digest: row.digest,
    payloadHash: row.payload_hash,
    createdAt: row.created_at,
    expiresAt: given(row.expires_at),
    seenBy: row.seen_by === null ? [] : (JSON.parse(row.seen_by) as Sighting[]),
  };
  const content =
    row.kind === 'approval'
      ? { kind: 'approval' as const, content: JSON.parse(row.content) as ApprovalContent }
      : { kind: 'question' as const, content: JSON.parse(row.content) as QuestionContent };
  if (row.status === 'pending' || row.answer === null) return { ...base, ...content, status: 'pending' };
  const state = row.delivery as EndedAsk['delivery']['state'];
  const at = given(row.delivered_at);
  return {
    ...base,
    ...content,
    status: row.status as EndedAsk['status'],
    answer: JSON.parse(row.answer),
    answerMac: row.answer_mac ?? '',
    sealed: given(row.sealed),
    delivery: {
      state,
      attempts: row.attempts,
      sentAt: state === 'due' ? at : undefined,
      deliveredAt: state === 'due' ? undefined : at,
      reason: given(row.delivery_reason),
    },
  };
};

export const toPending = (row: AskRow): PendingAsk => toAsk(row) as PendingAsk;
export const toEnded = (row: AskRow): EndedAsk => toAsk(row) as EndedAsk;

export const toEvent = (row: EventRow): Event => ({
  seq: row.seq,
  sessionSeq: row.session_seq,
  id: row.id,
  at: row.at,
  sessionId: row.session_id,
  runId: given(row.run_id),
  askId: given(row.ask_id),
  type: row.type as EventType,
  data: row.data,
  prevHash: row.prev_hash,
  hash: row.hash,
});

export const toOutput = (row: OutputRow): Output => ({
  id: row.id,
  runId: row.run_id,
  position: row.position,
  at: row.at,
  content: JSON.parse(row.content),
});

export const toMessage = (row: MessageRow): Message => ({
  id: row.id,
  sessionId: row.session_id,
  fromSessionId: row.from_session_id,
  subject: row.subject,
  payload: JSON.parse(row.payload),
  attempts: row.attempts,
  createdAt: row.created_at,
  ackedAt: given(row.acked_at),
  deadAt: given(row.dead_at),
  reason: given(row.reason),
});

export const toToken = (row: TokenRow): Token => ({
  id: row.id,
  kind: row.kind as TokenKind,
  name: row.name,
  scope: row.scope as Scope,
  sessionId: given(row.session_id),
  hash: row.hash,
  createdAt: row.created_at,
  expiresAt: given(row.expires_at),
  revokedAt: given(row.revoked_at),
});

export const toResponse = (row: ResponseRow): StoredResponse => ({
  scope: row.scope,
  fingerprint: row.fingerprint,
  created: row.created === 1,
  body: row.body,
  createdAt: row.created_at,
});
