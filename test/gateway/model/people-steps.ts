// What people do: answer, decline, cancel, approve in batches, stop runs and sessions; rightly, wrongly, twice, late.
import { person } from '../../support/gateway.ts';
import {
  type Ask,
  endAsk,
  fillSlot,
  isLate,
  isOver,
  type ModelState,
  newRun,
  pendingOf,
  type Run,
  type Session,
  settle,
  stop,
} from './model.ts';
import { askIn, DECISIONS, type Got, got, OK, type Picks, type Plan, RESOLUTIONS, runIn, sessionIn } from './steps.ts';

const who = (picks: Picks) => person(picks.of('lead', 'mate'), picks.of('api', 'web', 'cli'));
/** Mostly something that is open. */
const someAsk = (w: ModelState, picks: Picks, kind: Ask['kind']): Ask | undefined => {
  const open = w.asks.filter((a) => a.kind === kind && a.status === 'pending');
  return picks.number(4) > 0 && open.length > 0 ? picks.one(open) : picks.one(w.asks);
};

export const answer: Plan = (w, picks) => {
  const ask = someAsk(w, picks, 'question');
  if (!ask) return undefined;
  const [resolution, validity] = picks.of(RESOLUTIONS[0], ...RESOLUTIONS);
  const actor = who(picks);
  const wrongRun = picks.number(8) === 0 ? picks.one(w.runs) : undefined;
  const bySession = picks.number(3) === 0;
  const request_id = ask.id;
  const runId = (wrongRun ?? ask.run).id;
  const sessionId = (wrongRun ?? ask.run).session.id;
  const decision = JSON.stringify(resolution);
  return {
    name: `answer ${request_id} by ${actor.name} for ${bySession ? sessionId : runId}: ${decision}`,
    call: ({ gateway }) => {
      const given = { resolution: { request_id, ...resolution }, actor };
      if (bySession) return got(gateway.answerForSession({ sessionId, ...given }));
      return got(gateway.answerForRun({ runId, ...given }), (r) => ({ id: r.view.run_id }));
    },
    expect(model, g) {
      const own = askIn(model, request_id);
      const session = sessionIn(model, sessionId);
      const inSession = own.run.session === session && own.status !== 'unasked' ? own.run : session.active;
      const run = bySession ? inSession : runIn(model, runId);
      const fault = run ? questionFault(model, run, own, decision) : 'question_state_conflict';
      if (fault === 'same') return [bySession ? 'ok' : sameRun(g, carrying(model, own) ?? own.run)];
      if (fault) return [fault];
      if (validity !== 'ok') return [validity];
      endAsk(model, own, resolution.declined ? 'declined' : 'answered', actor.name, decision);
      return [settled(model, own.run, [own], bySession ? undefined : g)];
    },
  };
};

export const see: Plan = (w, picks) => {
  const ask = picks.one(w.asks);
  if (!ask) return undefined;
  const { id } = ask;
  const actor = who(picks);
  const place = `${actor.name} ${actor.surface} `;
  return {
    name: `see ${id} by ${place}`,
    call: ({ gateway }) => got(gateway.seeAsk(id, actor)),
    expect(model) {
      const own = askIn(model, id);
      if (own.status === 'unasked') return ['ask_not_found'];
      const isNews = !own.seenBy.some((known) => known.startsWith(place));
      if (isNews && own.status === 'pending' && !isLate(model, own)) own.seenBy.push(`${place}${model.now}`);
      return OK;
    },
  };
};

export const cancelQuestion: Plan = (w, picks) => {
  const ask = someAsk(w, picks, 'question');
  if (!ask) return undefined;
  const requestId = ask.id;
  const runId = ((picks.number(8) === 0 ? picks.one(w.runs) : undefined) ?? ask.run).id;
  const actor = who(picks);
  return {
    name: `cancelQuestion ${requestId} of ${runId} by ${actor.name}`,
    call: ({ gateway }) =>
      got(gateway.cancelQuestion({ runId, requestId, justification: 'no', actor }), (r) => ({ id: r.view.run_id })),
    expect(model, g) {
      const own = askIn(model, requestId);
      const fault = questionFault(model, runIn(model, runId), own, 'cancel');
      if (fault) return [fault];
      endAsk(model, own, 'cancelled', actor.name);
      return [settled(model, own.run, [own], g)];
    },
  };
};

/** Why a decision about a question comes too late or to the wrong place; `same` for an identical one. */
function questionFault(w: ModelState, run: Run, ask: Ask, decision: string): string | undefined {
  if (ask.run !== run || ask.status === 'unasked')
    return pendingOf(w, run).some((a) => a.kind === 'question')
      ? 'question_request_mismatch'
      : 'question_state_conflict';
  if (ask.kind === 'approval') return 'question_state_conflict';
  if (ask.status === 'pending') return undefined;
  if (ask.status === 'expired') return 'question_expired';
  if (ask.decision !== undefined && ask.decision === decision) return 'same';
  const isSecondCancel = decision === 'cancel' && ask.status === 'cancelled';
  return run.clarification && ask.status !== 'failed' && !isSecondCancel
    ? 'question_resolution_conflict'
    : 'question_state_conflict';
}

const carrying = (w: ModelState, ask: Ask) => w.runs.find((r) => r.carries === ask);
/** A run that the gateway made in a step at the same time has no name yet. */
const sameRun = (g: Got, run: Run) => {
  if (g.code !== 'ok') return 'ok';
  if (run.id === '') run.id = g.id ?? '';
  return g.id === run.id ? 'ok' : `not ${run.id}`;
};

/** Settles the run, and holds the caller to being shown the run that carries on. */
function settled(w: ModelState, run: Run, ended: Ask[], g: Got | undefined): string {
  const runs = w.runs.length;
  settle(w, run, ended);
  const next = w.runs[runs];
  if (g?.code !== 'ok') return 'ok';
  if (next) next.id = g.id;
  return sameRun(g, next ?? run);
}

export const approve: Plan = (w, picks) => {
  const first = someAsk(w, picks, 'approval');
  if (!first) return undefined;
  const siblings = w.asks.filter((a) => a.run === first.run && a !== first);
  const more = [picks.one(siblings), picks.number(4) === 0 ? picks.one(w.asks) : undefined];
  const asks = [first, ...more.slice(0, picks.number(3))].filter((a) => a !== undefined);
  const resolutions = asks.map((ask) => ({
    request_id: ask.id,
    ...picks.of(...DECISIONS),
  }));
  if (picks.number(20) === 0) resolutions.length = 0;
  const actor = who(picks);
  const how = picks.of('run', 'session', 'session-run');
  const runId = first.run.id;
  const sessionId = first.run.session.id;
  return {
    name: `approve for ${how} ${runId} by ${actor.name}: ${JSON.stringify(resolutions)}`,
    call: ({ gateway }) => {
      if (how === 'session') return got(gateway.approveForSession({ sessionId, resolutions, actor }));
      if (how === 'session-run') return got(gateway.approveForSessionRun({ sessionId, resolutions, actor }));
      return got(gateway.approveForRun({ runId, resolutions, actor }));
    },
    expect(model) {
      if (resolutions.length === 0) return ['approval_batch_empty'];
      const asked = askIn(model, first.id).status !== 'unasked';
      const run = how === 'run' || asked ? runIn(model, runId) : sessionIn(model, sessionId).active;
      if (!run) return ['approval_state_conflict'];
      const faults = resolutions.map((r) => approvalFault(run, askIn(model, r.request_id), decisionOf(r)));
      if (new Set(resolutions.map((r) => r.request_id)).size < resolutions.length)
        faults.push('approval_duplicate_resolution');
      const bad = faults.filter((f) => f !== undefined && f !== 'same') as string[];
      if (bad.length > 0) return bad;
      const fresh = resolutions.filter((_, i) => faults[i] === undefined);
      const ended = fresh.map((r) => {
        const ask = askIn(model, r.request_id);
        endAsk(model, ask, 'answered', actor.name, decisionOf(r), r.behavior === 'allow');
        return ask;
      });
      if (ended.length > 0) settle(model, run, ended);
      return OK;
    },
  };
};

const decisionOf = ({ request_id: _, ...decision }: { request_id: string }) => JSON.stringify(decision);

function approvalFault(run: Run, ask: Ask, decision: string): string | undefined {
  if (ask.run !== run || ask.status === 'unasked') return 'approval_request_not_pending';
  if (ask.kind === 'question') return 'approval_state_conflict';
  if (ask.status === 'pending') return undefined;
  return ask.decision !== undefined && ask.decision === decision ? 'same' : 'approval_state_conflict';
}

export const cancelRun: Plan = (w, picks) => {
  const early = w.runs.filter((r) => r.status === 'queued' || (r.clarification && !isOver(r)));
  const run = picks.number(3) > 0 && early.length > 0 ? picks.one(early) : picks.one(w.runs);
  if (!run) return undefined;
  const runId = run.id;
  const actor = who(picks);
  return {
    name: `cancelRun ${runId} by ${actor.name}`,
    call: ({ gateway }) => got(gateway.cancelRun({ runId, actor })),
    expect(model) {
      const own = runIn(model, runId);
      if (own.status === 'cancelled' || own.clarification?.status === 'cancelled') return OK;
      if (isOver(own)) return ['run_state_conflict'];
      stop(model, own, 'cancelled', actor.name);
      return OK;
    },
  };
};

export const interrupt: Plan = (w, picks) => {
  const session = picks.one(w.sessions);
  if (!session) return undefined;
  const sessionId = session.id;
  const actor = who(picks);
  return {
    name: `interrupt ${sessionId} by ${actor.name}`,
    call: ({ gateway }) => got(gateway.interruptSession({ sessionId, actor })),
    expect(model) {
      const { active } = sessionIn(model, sessionId);
      if (active) stop(model, active, 'interrupted', actor.name);
      return OK;
    },
  };
};

export const endSession: Plan = (w, picks) => {
  const session = picks.number(3) === 0 ? picks.one(w.sessions) : undefined;
  if (!session) return undefined;
  const sessionId = session.id;
  const actor = who(picks);
  return {
    name: `endSession ${sessionId} by ${actor.name}`,
    call: ({ gateway }) => got(gateway.endSession({ sessionId, actor })),
    expect(model) {
      const own = sessionIn(model, sessionId);
      if (own.ended) return OK;
      own.ended = true;
      for (const run of [...own.queue]) stop(model, run, 'cancelled', actor.name);
      if (own.active) stop(model, own.active, 'interrupted', actor.name);
      for (const ask of model.asks) {
        if (ask.child !== own || ask.mail?.state !== 'open') continue;
        ask.mail.state = 'dead';
        if (ask.delivery === 'due') ask.delivery = 'undeliverable';
      }
      return OK;
    },
  };
};

let texts = 0;

/** Words, or the answer to the form the session waits for, or to one it does not. */
export const message: Plan = (w, picks) => {
  const session = picks.one(w.sessions);
  if (!session || w.runs.length >= 18) return undefined;
  const sessionId = session.id;
  const waiting = session.active && formOf(w, session.active);
  const isText = picks.number(3) === 0;
  const status = picks.of<'answered' | 'cancelled'>('answered', 'cancelled');
  const tool_use_id = picks.number(5) === 0 ? 'call-9' : (waiting?.call ?? 'call-1');
  const actor = who(picks);
  const answers = status === 'answered' ? { colour: 'Red' } : {};
  const text = `go on ${++texts}`;
  const form = { type: 'interactive_form_question', tool_use_id, answers, status };
  return {
    name: `message to ${sessionId} by ${actor.name}: ${isText ? 'words' : JSON.stringify(form)}`,
    call: ({ gateway }) => {
      const body = isText ? { text } : { interactive_form_answer: form };
      return got(gateway.postMessage({ sessionId, body, actor }), (r) => ({
        id: r.view.run_id,
        resumes: r.view.resumes_run_id,
      }));
    },
    expect(model, g) {
      const own = sessionIn(model, sessionId);
      const open = own.active && formOf(model, own.active);
      if (isText) {
        if (own.ended) return ['session_ended'];
        if (open) return ['pending_interactive_form'];
        return said(model, own, g, actor.name, text);
      }
      const decision = status === 'answered' ? JSON.stringify(RESOLUTIONS[0][0]) : undefined;
      if (!open) return ['interactive_form_not_pending'];
      if (open.call !== tool_use_id) return ['interactive_form_tool_mismatch'];
      endAsk(model, open, status, actor.name, decision);
      return [settled(model, open.run, [open], g)];
    },
  };
};

const SWAP_MS = 30_000;
const isUndecided = ({ status }: Ask) => ['cancelled', 'expired', 'failed'].includes(status);

/** Words are a post: they answer the oldest ask, unless the answer to one before it is still on its way. */
function said(w: ModelState, session: Session, g: Got, by: string, decision: string): string[] {
  const asked = w.asks.filter((a) => a.run.session === session);
  const isOnItsWay = (a: Ask) =>
    a.status === 'answered' && a.delivery === 'due' && a.mode !== 'form' && (a.mode === 'restart' || !isOver(a.run));
  const oldest = asked.find((a) => a.status === 'pending');
  // While that answer is on its way the words are for the next run; which of both the thread asked shows in the reply.
  const isForNextRun = asked.some(isOnItsWay) && ![g.id, g.resumes].includes(oldest?.run.id);
  // Words may be meant for what has just ended undecided: they decide no approval that took its place.
  const isSwapped = oldest?.kind === 'approval' && asked.some((a) => isUndecided(a) && (a.at ?? 0) > w.now - SWAP_MS);
  if (isSwapped && (g.code !== 'ok' || [g.id, g.resumes].includes(oldest.run.id))) return ['thread_prompt_mismatch'];
  if (oldest && !isForNextRun) {
    endAsk(w, oldest, 'answered', by, decision);
    return [settled(w, oldest.run, [oldest], g)];
  }
  const waiting = session.queue.findLast((r) => r.takesPosts);
  if (waiting) return [waiting.id === g.id ? 'ok' : `not ${waiting.id}`];
  session.queue.push(newRun(w, session, { id: g.id, takesPosts: true }));
  fillSlot(w, session);
  return OK;
}

const formOf = (w: ModelState, run: Run) => pendingOf(w, run).find((a) => a.mode === 'form');
