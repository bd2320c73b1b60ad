// The state of the model and the state of the real gateway in the same words, so that they can be held side by side.
// The real one is read through the gateway's own lists: what people see is what is compared.
import { messageIdOf } from '../../../src/core/id.ts';
import type { OpenGateway } from '../../support/gateway.ts';
import { type Ask, isOver, type ModelState, pendingOf, type Session } from './model.ts';

const ALL = { limit: 500 };

export interface State {
  sessions: unknown[];
  runs: unknown[];
  asks: unknown[];
  mail: unknown[];
}

/** Names the runs that the gateway made by itself: the model knows only what they carry on. */
export async function adopt(model: ModelState, { gateway }: OpenGateway): Promise<void> {
  if (model.runs.every((r) => r.id !== '')) return;
  const { views } = await gateway.listRuns({}, ALL);
  for (const run of model.runs)
    if (run.id === '') run.id = views.find((v) => v.resumes_run_id === run.resumes?.id)?.run_id ?? '';
}

export async function realState({ gateway, store }: OpenGateway): Promise<State> {
  const sessions = (await gateway.listSessions({}, ALL)).views.filter((s) => s.session_id !== 'system');
  const runs = (await gateway.listRuns({}, ALL)).views;
  const asks = (await gateway.listAsks({}, ALL)).views;
  const pending = {
    question: (await gateway.listPending('question', undefined, ALL)).views,
    approval: (await gateway.listPending('approval', undefined, ALL)).views,
  };
  // No list shows the deadline of a clarification before it is asked.
  const kept = new Map((await store.read((r) => r.runs({}, ALL))).map(({ value }) => [value.id, value.clarification]));
  const seen = new Map((await store.read((r) => r.asks({}, ALL))).map(({ value }) => [value.id, value.seenBy]));
  const mail: unknown[] = [];
  for (const { session_id } of sessions)
    for (const which of ['open', 'dead'] as const)
      for (const m of (await gateway.listMessages(session_id, which, ALL)).views)
        mail.push({ id: m.message_id, to: session_id, state: which, attempts: m.attempts });
  return {
    sessions: sessions.map((s) => ({
      id: s.session_id,
      status: s.status,
      shown: s.snapshot.status,
      active: s.active_run_id,
      queue: s.queued_run_ids,
      approvals: s.snapshot.pending_approvals.map((a) => a.id),
      questions: s.snapshot.pending_questions.map((q) => q.id),
    })),
    runs: runs.map((r) => ({
      id: r.run_id,
      session: r.session_id,
      status: r.status,
      place: r.queued_position,
      resumes: r.resumes_run_id,
      approvals: r.pending_approval_ids,
      questions: r.pending_question_ids,
      ended: r.finished_at_ms !== undefined,
      deadline: kept.get(r.run_id)?.expiresAt,
    })),
    asks: bySession(
      asks.map((a) => ({
        id: a.ask_id,
        session: a.session_id,
        run: a.run_id,
        kind: a.kind,
        mode: a.mode,
        status: a.status,
        expires: a.expires_at_ms,
        outcome: a.answer?.outcome,
        behavior: a.answer?.behavior,
        by: a.answer?.answered_by,
        at: a.answer?.answered_at_ms,
        delivery: a.delivery.state,
        listed: pending[a.kind].some((p) => p.request.id === a.ask_id),
        seen: seen.get(a.ask_id)?.map(({ by, surface, at_ms }) => `${by} ${surface} ${at_ms}`),
      })),
    ),
    mail: byId(mail),
  };
}

export function modelState(w: ModelState): State {
  const ids = (asks: Ask[], kind: Ask['kind']) => asks.filter((a) => a.kind === kind).map((a) => a.id);
  const pendingIn = (s: Session) => w.asks.filter((a) => a.run.session === s && a.status === 'pending');
  return {
    sessions: w.sessions.map((s) => ({
      id: s.id,
      status: s.ended ? 'ended' : (s.active?.status ?? 'idle'),
      shown: s.ended ? 'ended' : (s.active?.status ?? 'idle'),
      active: s.active?.id,
      queue: s.queue.map((r) => r.id),
      approvals: ids(pendingIn(s), 'approval'),
      questions: ids(pendingIn(s), 'question'),
    })),
    runs: w.runs.map((r) => ({
      id: r.id,
      session: r.session.id,
      status: r.status,
      place: r.status === 'queued' ? r.session.queue.indexOf(r) + 1 : undefined,
      resumes: r.resumes?.id,
      approvals: ids(pendingOf(w, r), 'approval'),
      questions: ids(pendingOf(w, r), 'question'),
      ended: isOver(r),
      deadline: r.clarification?.expiresAt,
    })),
    asks: bySession(
      w.asks
        .filter((a) => a.status !== 'unasked')
        .map((a) => ({
          id: a.id,
          session: a.run.session.id,
          run: a.run.id,
          kind: a.kind,
          mode: a.mode,
          status: a.status,
          expires: a.expiresAt,
          outcome: a.status === 'pending' ? undefined : a.status,
          behavior: a.kind === 'question' || a.status === 'pending' ? undefined : a.allowed ? 'allow' : 'deny',
          by: a.by,
          at: a.at,
          delivery: a.delivery,
          listed: a.status === 'pending',
          seen: a.seenBy,
        })),
    ),
    mail: byId(
      w.asks.flatMap((a) =>
        a.mail && a.mail.state !== 'acked'
          ? [{ id: messageIdOf(a.id), to: a.child?.id, state: a.mail.state, attempts: a.mail.attempts }]
          : [],
      ),
    ),
  };
}

const byId = (list: unknown[]): unknown[] =>
  [...list].sort((a, b) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1));

/** In their order within each session. What one sweep raises and ends in several sessions is stored in any order. */
const bySession = <T extends { session: string }>(asks: readonly T[]): T[] =>
  asks.toSorted((a, b) => a.session.localeCompare(b.session));
