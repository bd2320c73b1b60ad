// Builds the views of records that the API returns. Reads what a view needs besides its record; decides nothing.
import type { Answer, ApprovalAsk, Ask, AskBase, QuestionAsk } from '../core/ask.ts';
import { TOOL_DEFERRED } from '../core/deferred.ts';
import { canonical } from '../core/digest.ts';
import type { Event } from '../core/event.ts';
import { renderPayload } from '../core/form.ts';
import type { Message } from '../core/mailbox.ts';
import type { Output } from '../core/output.ts';
import { permissionsOf } from '../core/policy.ts';
import type { AskFilter, Reader, Sealer } from '../core/ports.ts';
import type { Run } from '../core/run.ts';
import { type Session, threadIdOf } from '../core/session.ts';
import { SIGHTINGS_SHOWN } from '../core/sighting.ts';
import type { ThreadItem } from '../core/thread.ts';
import type { Token } from '../core/token.ts';
import type {
  ApprovalRequest,
  AskView,
  EventView,
  ItemView,
  MessageView,
  PendingApprovalView,
  PendingQuestionView,
  RunView,
  SessionView,
  UserQuestionRequest,
} from '../core/views.ts';
import type { Origin } from './ask-origin.ts';
import type { Ledger } from './ledger.ts';
import { ok, type Refused } from './mutate.ts';
import { activeRun } from './records.ts';
import { riskSigns } from './risk-signs.ts';

/** A run shows its newest outputs up to this size, the last one always. */
export const OUTPUT_BYTES = 256 * 1024;

export const requestView = (ask: Ask): ApprovalRequest | UserQuestionRequest =>
  ask.kind === 'approval' ? approvalRequest(ask) : questionRequest(ask);

const approvalRequest = (ask: ApprovalAsk): ApprovalRequest => requestOf(ask, ask.content);

function questionRequest(ask: QuestionAsk): UserQuestionRequest {
  const { form: _, ...content } = ask.content;
  return requestOf(ask, content);
}

const requestOf = <C extends object>(ask: AskBase, content: C) => ({
  created_at_ms: ask.createdAt,
  digest: ask.digest,
  ...optional('expires_at_ms', ask.expiresAt),
  id: ask.id,
  ...content,
  tool_call_id: ask.toolCallId,
});

/** `reveal` shows the answers of secret questions: only for the agent that asked, until it acknowledges. */
export function askView(ask: Ask, reveal?: Sealer, from?: Origin): AskView {
  const { takes_comments, comments, taken_by, snoozed } = ask.activity;
  const forPeople = from && {
    asked_from: from.askedFrom,
    seen_by: ask.seenBy.slice(0, SIGHTINGS_SHOWN),
    risk: riskSigns(ask, from.sessionFolder),
    ...optional('taken_by', taken_by),
    ...optional('snoozed', snoozed),
  };
  const origin = {
    ...optional('takes_comments', takes_comments),
    ...optional('comments', comments),
    ...forPeople,
  };
  if (ask.kind === 'approval')
    return { ...headOf(ask, ask.kind), request: approvalRequest(ask), ...origin, ...endOf(ask, reveal) };
  const { form } = ask.content;
  return {
    ...headOf(ask, ask.kind),
    request: questionRequest(ask),
    ...origin,
    ...(form && { render_payload: renderPayload(ask.id, ask.content, form) }),
    ...endOf(ask, reveal),
  };
}

const headOf = <K extends Ask['kind']>(ask: Ask, kind: K) => ({
  ask_id: ask.id,
  kind,
  status: ask.status,
  session_id: ask.sessionId,
  run_id: ask.runId,
  tool_call_id: ask.toolCallId,
  mode: ask.mode,
  ...optional('raised_by', ask.raisedBy),
  created_at_ms: ask.createdAt,
  ...optional('expires_at_ms', ask.expiresAt),
});

function endOf(ask: Ask, reveal: Sealer | undefined): Pick<AskView, 'answer' | 'delivery'> {
  if (ask.status === 'pending') return { delivery: { state: 'none', attempts: 0 } };
  const { state, attempts, sentAt, deliveredAt, reason } = ask.delivery;
  return {
    answer: ask.sealed && reveal ? unsealed(ask.answer, ask.sealed, reveal) : ask.answer,
    delivery: {
      state,
      attempts,
      ...optional('sent_at_ms', sentAt),
      ...optional('delivered_at_ms', deliveredAt),
      ...optional('reason', reason),
    },
  };
}

function unsealed(answer: Answer, sealed: string, sealer: Sealer): Answer {
  const secrets = new Map(JSON.parse(sealer.open(sealed)) as [questionId: string, text: string][]);
  const answers = (answer.answers ?? []).map((a) => {
    const secret = secrets.get(a.question_id);
    return secret === undefined ? a : { ...a, freeform_answer: secret };
  });
  return { ...answer, answers };
}

export async function runView(reader: Reader, session: Session, run: Run): Promise<RunView> {
  const pending = session.pendingCount > 0 ? await reader.pendingHeads(run.id) : [];
  const { approvals, questions } = await shownAsks(reader, { runId: run.id }, pending.length);
  const outputs = run.outputCount > 0 ? await reader.outputs(run.id, OUTPUT_BYTES) : [];
  return {
    run_id: run.id,
    session_id: run.sessionId,
    agent_id: session.agentId,
    kind: run.kind,
    status: run.status,
    submitted_at_ms: run.submittedAt,
    updated_at_ms: run.updatedAt,
    ...optional('started_at_ms', run.startedAt),
    ...optional('finished_at_ms', run.finishedAt),
    ...(run.status === 'queued' ? { queued_position: await queuedPosition(reader, run) } : {}),
    request: { source: run.source, actor_id: run.actor, text_preview: run.textPreview },
    pending_approval_ids: pending.filter(({ kind }) => kind === 'approval').map(({ id }) => id),
    pending_approvals: approvals,
    pending_question_ids: pending.filter(({ kind }) => kind === 'question').map(({ id }) => id),
    pending_questions: questions,
    outputs: outputs.map(outputView),
    ...optional('error', run.error),
    ...optional('outcome', run.outcome === TOOL_DEFERRED ? undefined : run.outcome),
    ...optional('resumes_run_id', run.resumesRunId),
    ...(run.subtaskId === undefined ? {} : { subtask_id: JSON.parse(run.subtaskId) }),
    ...(isDeferred(run, pending) && { stop_reason: TOOL_DEFERRED }),
  };
}

export const outputView = ({ id, at, content }: Output) => ({ output_id: id, at_ms: at, ...content });

/** Whether its agent stopped to display a form, which waits or was answered. */
const isDeferred = (run: Run, pending: readonly Pick<Ask, 'mode'>[]): boolean =>
  run.outcome === TOOL_DEFERRED || pending.some((ask) => ask.mode === 'form');

async function queuedPosition(reader: Reader, run: Run): Promise<number> {
  return Math.max(1, (await reader.queuedRunIds(run.sessionId)).indexOf(run.id) + 1);
}

/** Closes the ledger and returns the view of the run that works on. */
export async function runReply(ledger: Ledger, result: Run | Refused, reply = ok<RunView>) {
  if ('refused' in result) return result;
  await ledger.close();
  return reply(await runView(ledger.tx, ledger.session, result));
}

export async function sessionView(reader: Reader, session: Session): Promise<SessionView> {
  const { approvals, questions } = await shownAsks(reader, { sessionId: session.id }, session.pendingCount);
  const active = await activeRun(reader, session);
  const status = session.status === 'ended' ? 'ended' : (active?.status ?? 'idle');
  return {
    session_id: session.id,
    agent_id: session.agentId,
    agent: session.agent,
    ...optional('title', session.title),
    ...optional('work_folder', session.workFolder),
    project_ids: session.projectIds,
    labels: session.labels,
    channel_ids: session.channelIds,
    ...optional('parent_session_id', session.parentSessionId),
    permissions: permissionsOf(session, active),
    permissions_from: session.permissions ? 'session' : active?.permissions ? 'worker' : 'default',
    status,
    snapshot: {
      pending_approvals: approvals,
      pending_questions: questions,
      status,
      last_message: session.lastMessage ?? null,
    },
    ...optional('active_run_id', session.activeRunId),
    queued_run_ids: session.queuedCount > 0 ? await reader.queuedRunIds(session.id) : [],
    thread_id: threadIdOf(session.id),
    ...(session.taskId === undefined ? {} : { task_id: JSON.parse(session.taskId) }),
    created_at_ms: session.createdAt,
    updated_at_ms: session.updatedAt,
  };
}

/** A run or session shows its first pending asks up to this size; each ask can be read by itself. */
const SHOWN_BYTES = 512 * 1024;
const MOST_SHOWN = 500;

async function shownAsks(reader: Reader, of: Pick<AskFilter, 'sessionId' | 'runId'>, pendingCount: number) {
  const page = { limit: MOST_SHOWN, bytes: SHOWN_BYTES };
  const rows = pendingCount > 0 ? await reader.asks({ ...of, status: 'pending' }, page) : [];
  const pending = rows.map(({ value }) => value);
  return {
    approvals: pending.filter((ask) => ask.kind === 'approval').map(approvalRequest),
    questions: pending.filter((ask) => ask.kind === 'question').map(questionRequest),
  };
}

export function pendingView(session: Session, run: Run, ask: Ask): PendingQuestionView | PendingApprovalView {
  const c = run.clarification;
  const of = { session_id: session.id, agent_id: session.agentId, run_id: run.id, run_kind: run.kind };
  if (ask.kind === 'approval') return { ...of, request: approvalRequest(ask) };
  return {
    ...of,
    ...(c && {
      requester_agent_id: c.requesterAgentId,
      requester_session_id: c.requesterSessionId,
      requester_run_id: c.requesterRunId,
      requester_tool_call_id: c.requesterToolCallId,
      requester_project_ids: c.requesterProjectIds,
      requester_channel_ids: c.requesterChannelIds,
      parent_project_ids: c.parentProjectIds,
      parent_channel_ids: c.parentChannelIds,
    }),
    request: questionRequest(ask),
  };
}

/** As JSON text: the stored data is sent byte for byte, and one text serves every stream of the event. */
export function eventJson(e: Event): string {
  const run = e.runId === undefined ? '' : `,"run_id":${JSON.stringify(e.runId)}`;
  const ask = e.askId === undefined ? '' : `,"ask_id":${JSON.stringify(e.askId)}`;
  return `{"seq":${e.seq},"session_seq":${e.sessionSeq},"id":"${e.id}","at_ms":${e.at},"session_id":"${e.sessionId}"${run}${ask},"type":"${e.type}","data":${e.data},"prev_hash":"${e.prevHash}","hash":"${e.hash}"}`;
}

/**
 * The same for an event of the database: one that was damaged there is sent as JSON too, and one that was spelled in another
 * way, which a parser would not show, as damaged, so that an audit can name both.
 */
export function storedEventJson(e: Event): string {
  const text = eventJson(e);
  if (isAsWritten(text, e)) return text;
  const { sessionSeq, sessionId, runId, askId, prevHash, at, ...same } = e;
  const ids = { session_seq: sessionSeq, session_id: sessionId, run_id: runId, ask_id: askId, prev_hash: prevHash };
  return JSON.stringify({ ...same, ...ids, at_ms: at, data: { unreadable: e.data } });
}

function isAsWritten(text: string, e: Event): boolean {
  try {
    const { data, id, session_id, type, prev_hash, hash } = JSON.parse(text) as EventView;
    const isSame = id === e.id && session_id === e.sessionId && type === e.type;
    if (!isSame || prev_hash !== e.prevHash || hash !== e.hash) return false;
    // Usually its keys come back in their order: only numbers among them do not.
    return JSON.stringify(data) === e.data || canonical(data) === e.data;
  } catch {
    return false;
  }
}

export const messageView = ({ subject, payload, attempts, ...m }: Message): MessageView => ({
  message_id: m.id,
  subject,
  from_session_id: m.fromSessionId,
  payload,
  attempts,
  created_at_ms: m.createdAt,
  ...optional('reason', m.reason),
  ...optional('dead_at_ms', m.deadAt),
});

export const itemView = (i: ThreadItem): ItemView => ({
  item_id: i.id,
  thread_id: threadIdOf(i.sessionId),
  author: { role: i.role, name: i.author },
  content: i.content,
  ...optional('metadata', i.metadata),
  ...optional('run_id', i.runId),
  ...optional('ask_id', i.askId),
  created_at_ms: i.at,
});

export const tokenView = (t: Token) => ({
  token_id: t.id,
  kind: t.kind,
  name: t.name,
  scope: t.scope,
  ...optional('session_id', t.sessionId),
  ...optional('labels', t.labels),
  created_at_ms: t.createdAt,
  ...optional('expires_at_ms', t.expiresAt),
  ...optional('revoked_at_ms', t.revokedAt),
});

function optional<K extends string, T>(name: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: T });
}
