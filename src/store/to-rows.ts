// Records to rows: what is written of each record, column by column. The way back is rows.ts; no other file spells these
// records in columns. `…State` has the columns that change, a new row all of them.
import type { Ask, EndedAsk, PendingAsk } from '../core/ask.ts';
import type { Event } from '../core/event.ts';
import type { StoredResponse } from '../core/idempotency.ts';
import { labelKey } from '../core/label.ts';
import type { Message } from '../core/mailbox.ts';
import type { Output } from '../core/output.ts';
import type { Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import type { Token } from '../core/token.ts';
import { INHERITED } from './rows.ts';

export const newSession = (s: Session) => ({
  agent: s.agent,
  agent_id: s.agentId,
  title: s.title ?? null,
  work_folder: s.workFolder ?? null,
  project_ids: JSON.stringify(s.projectIds),
  channel_ids: JSON.stringify(s.channelIds),
  labels: labelKey(s.labels),
  parent_session_id: s.parentSessionId ?? null,
  permissions: s.permissions ?? INHERITED,
  task_id: s.taskId ?? null,
  created_at: s.createdAt,
  ...sessionState(s),
});

export const sessionState = (s: Session) => ({
  id: s.id,
  status: s.status,
  updated_at: s.updatedAt,
  ended_at: s.endedAt ?? null,
  active_run_id: s.activeRunId ?? null,
  queued_count: s.queuedCount,
  pending_count: s.pendingCount,
  kept_count: s.keptCount,
  run_count: s.runCount,
  last_message: s.lastMessage ?? null,
  head_seq: s.headSeq,
  head_hash: s.headHash,
});

export const newRun = (r: Run) => ({
  session_id: r.sessionId,
  agent: r.agent,
  labels: labelKey(r.labels),
  source: r.source,
  actor: r.actor,
  submitted_at: r.submittedAt,
  resumes_run_id: r.resumesRunId ?? null,
  carries_ask_id: r.carriesAskId ?? null,
  subtask_id: r.subtaskId ?? null,
  clarification: r.clarification ? JSON.stringify(r.clarification) : null,
  clarification_id: r.clarification?.requestId ?? null,
  clarification_expires_at: r.clarification?.expiresAt ?? null,
  queue_order: r.queueOrder,
  ...runInput(r),
  ...runState(r),
});

export const runInput = (r: Run) => ({ id: r.id, input: JSON.stringify(r.input), text_preview: r.textPreview });

export const runState = (r: Run) => ({
  id: r.id,
  kind: r.kind,
  status: r.status,
  updated_at: r.updatedAt,
  started_at: r.startedAt ?? null,
  finished_at: r.finishedAt ?? null,
  error: r.error ?? null,
  outcome: r.outcome ?? null,
  output_count: r.outputCount,
  lease_worker: r.lease?.workerId ?? null,
  lease_until: r.lease?.until ?? null,
  lease_epoch: r.leaseEpoch,
  recovery: r.recovery,
  permissions: r.permissions ?? null,
});

export const newAsk = (a: PendingAsk) => ({
  id: a.id,
  kind: a.kind,
  mode: a.mode,
  status: a.status,
  session_id: a.sessionId,
  run_id: a.runId,
  tool_call_id: a.toolCallId,
  content: JSON.stringify(a.content),
  digest: a.digest,
  payload_hash: a.payloadHash,
  created_at: a.createdAt,
  expires_at: a.expiresAt ?? null,
  answer: null,
  answer_mac: null,
  sealed: null,
  delivery: 'none',
  attempts: 0,
  delivered_at: null,
  delivery_reason: null,
  seen_by: null,
});

export const askEnd = (a: EndedAsk) => ({
  id: a.id,
  status: a.status,
  answer: JSON.stringify(a.answer),
  answer_mac: a.answerMac,
  sealed: a.sealed ?? null,
  delivery: a.delivery.state,
  attempts: a.delivery.attempts,
});

export const askDelivery = ({ id, delivery, sealed }: EndedAsk) => ({
  id,
  delivery: delivery.state,
  attempts: delivery.attempts,
  // Of an answer that is due: when it was sent.
  delivered_at: delivery.deliveredAt ?? delivery.sentAt ?? null,
  delivery_reason: delivery.reason ?? null,
  sealed: sealed ?? null,
});

export const askSightings = ({ id, seenBy }: Ask) => ({ id, seen_by: JSON.stringify(seenBy) });

export const newEvent = (e: Omit<Event, 'seq'>) => ({
  session_seq: e.sessionSeq,
  id: e.id,
  at: e.at,
  session_id: e.sessionId,
  run_id: e.runId ?? null,
  ask_id: e.askId ?? null,
  type: e.type,
  data: e.data,
  prev_hash: e.prevHash,
  hash: e.hash,
});

export const newOutput = (o: Output) => ({
  run_id: o.runId,
  id: o.id,
  position: o.position,
  at: o.at,
  content: JSON.stringify(o.content),
});

export const newMessage = (m: Message) => ({
  session_id: m.sessionId,
  from_session_id: m.fromSessionId,
  subject: m.subject,
  payload: JSON.stringify(m.payload),
  created_at: m.createdAt,
  ...messageState(m),
});

export const messageState = (m: Message) => ({
  id: m.id,
  attempts: m.attempts,
  acked_at: m.ackedAt ?? null,
  dead_at: m.deadAt ?? null,
  reason: m.reason ?? null,
});

export const newToken = (t: Token) => ({
  kind: t.kind,
  name: t.name,
  scope: t.scope,
  session_id: t.sessionId ?? null,
  hash: t.hash,
  created_at: t.createdAt,
  ...tokenState(t),
});

export const tokenState = (t: Token) => ({
  id: t.id,
  expires_at: t.expiresAt ?? null,
  revoked_at: t.revokedAt ?? null,
});

export const newResponse = (r: StoredResponse) => ({
  scope: r.scope,
  fingerprint: r.fingerprint,
  created: r.created ? 1 : 0,
  body: r.body,
  created_at: r.createdAt,
});
