// A second, simple Holdpoint: a few lists in memory and the rules of the specification, to compare the real one with.
// Written from the pages, not from the gateway. Knows no transactions, events or storage: every rule acts at once.

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'waiting_for_user_question'
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'cancelled';
export type Mode = 'blocking' | 'deferred' | 'form' | 'restart';
export type End = 'answered' | 'declined' | 'cancelled' | 'expired' | 'failed';
export type Recovery = 'none' | 'replay' | 'resume';

export interface Session {
  id: string;
  external: boolean;
  autonomous: boolean;
  parent: Session | undefined;
  ended: boolean;
  active: Run | undefined;
  queue: Run[];
}

export interface Run {
  /** Empty until the real one is known: a run that carries an answer on is made by the answer. */
  id: string;
  session: Session;
  status: RunStatus;
  lease: { worker: string; until: number } | undefined;
  epoch: number;
  recovery: Recovery;
  /** The question a child asked: this run exists only to ask it. */
  clarification: Ask | undefined;
  resumes: Run | undefined;
  carries: Ask | undefined;
  /** What people post before it has begun joins its input. */
  takesPosts: boolean;
}

export interface Ask {
  id: string;
  run: Run;
  call: string;
  kind: 'approval' | 'question';
  mode: Mode;
  /** Two payloads are the same when this is the same. */
  payload: string;
  expiresAt: number | undefined;
  /** A clarification is `unasked` while its run waits for the slot. */
  status: 'unasked' | 'pending' | End;
  decision: string | undefined;
  allowed: boolean;
  /** Died with the worker that held it: the same tool call may ask anew. */
  lost: boolean;
  /** Answered, but its worker was lost before it heard: given again to whoever asks the same. */
  kept: boolean;
  by: string | undefined;
  at: number | undefined;
  delivery: 'none' | 'due' | 'delivered' | 'undeliverable';
  child: Session | undefined;
  /** Who, where and when, in the order they came. */
  seenBy: string[];
  mail: { state: 'open' | 'acked' | 'dead'; attempts: number; postedAt: number } | undefined;
}

export interface ModelState {
  /** Several steps are under way: a claim passes over a session that another one writes. */
  isConcurrent?: boolean;
  now: number;
  sessions: Session[];
  runs: Run[];
  asks: Ask[];
}

const DAY_MS = 24 * 3600 * 1000;
export const isOver = (run: Run) => ['completed', 'failed', 'interrupted', 'cancelled'].includes(run.status);
export const isHeld = (run: Run) => run.status.startsWith('waiting');
export const pendingOf = (w: ModelState, run: Run) => w.asks.filter((a) => a.run === run && a.status === 'pending');
export const isLate = (w: ModelState, ask: Ask) => ask.expiresAt !== undefined && ask.expiresAt <= w.now;
/** The form or restart that another run will carry on. A run has one at most. */
export const carriedOf = (w: ModelState, run: Run) =>
  w.asks.find((a) => a.run === run && (a.mode === 'form' || a.mode === 'restart'));

export function newRun(w: ModelState, session: Session, given: Partial<Run> = {}): Run {
  const run: Run = {
    id: '',
    session,
    status: 'queued',
    lease: undefined,
    epoch: 0,
    recovery: 'none',
    clarification: undefined,
    resumes: undefined,
    carries: undefined,
    takesPosts: false,
    ...given,
  };
  w.runs.push(run);
  return run;
}

export function newAsk(
  w: ModelState,
  given: Pick<Ask, 'id' | 'run' | 'call' | 'kind' | 'mode' | 'payload'> & Partial<Ask>,
): Ask {
  const ask: Ask = {
    expiresAt: undefined,
    status: 'pending',
    decision: undefined,
    allowed: false,
    lost: false,
    kept: false,
    by: undefined,
    at: undefined,
    delivery: 'none',
    child: undefined,
    seenBy: [],
    mail: undefined,
    ...given,
  };
  w.asks.push(ask);
  return ask;
}

/** One active run per session, first in, first out. A worker's run waits for its worker. */
export function fillSlot(w: ModelState, session: Session): void {
  const [next] = session.queue;
  if (session.ended || session.active || !next) return;
  if (next.clarification) {
    begin(session, next);
    next.clarification.status = 'pending';
    arrive(w, next.clarification);
    hold(w, next);
  } else if (session.external) begin(session, next);
}

/** A clarification takes its place among the asks when it is asked, or given up. */
function arrive(w: ModelState, ask: Ask): void {
  w.asks = [...w.asks.filter((a) => a !== ask), ask];
}

/** The answer that a run carries has reached the agent's side when a worker begins that run. */
export function begin(session: Session, run: Run): void {
  session.queue = session.queue.filter((r) => r !== run);
  session.active = run;
  run.status = 'running';
  run.takesPosts = false;
  if (!session.external) carriedTo(run, 'delivered');
}

/** Who comes to its own end had the answer it carried. */
export function carriedTo(run: Run, state: 'delivered' | 'undeliverable'): void {
  if (run.carries?.delivery === 'due') run.carries.delivery = state;
}

/** Both kinds pending: the question is named. None: the run is at work again. */
export function hold(w: ModelState, run: Run): void {
  const kinds = pendingOf(w, run).map((a) => a.kind);
  run.status = 'running';
  if (kinds.includes('approval')) run.status = 'waiting_for_approval';
  if (kinds.includes('question')) run.status = 'waiting_for_user_question';
}

export function endAsk(w: ModelState, ask: Ask, status: End, by: string, decision?: string, allowed = false): void {
  ask.status = status;
  ask.by = by;
  ask.at = w.now;
  ask.decision = decision;
  ask.allowed = allowed;
  ask.delivery = 'due';
}

export function finish(w: ModelState, run: Run, status: RunStatus, by: string): void {
  const { session } = run;
  for (const ask of pendingOf(w, run)) endAsk(w, ask, status === 'failed' ? 'failed' : 'cancelled', by);
  if (run.clarification?.status === 'unasked') {
    arrive(w, run.clarification);
    endAsk(w, run.clarification, isLate(w, run.clarification) ? 'expired' : 'cancelled', by);
    postMail(w, run.clarification);
  }
  carriedTo(run, status === 'completed' ? 'delivered' : 'undeliverable');
  if (run.status !== 'queued' && !run.clarification) giveUp(w, run, status);
  run.status = status;
  run.lease = undefined;
  session.queue = session.queue.filter((r) => r !== run);
  if (session.active === run) session.active = undefined;
  fillSlot(w, session);
}

/** Nobody takes what only another run could have carried, or what no process is left to take. */
function giveUp(w: ModelState, run: Run, status: RunStatus): void {
  const isHosted = run.lease !== undefined && !isLost(run);
  const hasAgent = run.session.external || isHosted;
  for (const ask of w.asks) {
    if (ask.run !== run || ask.delivery !== 'due') continue;
    const isAnswer = ask.status === 'answered' || ask.status === 'declined';
    const isLeft = isHosted && status !== 'completed' && isAnswer;
    if (!hasAgent || isLeft || ask.mode === 'form' || ask.mode === 'restart') ask.delivery = 'undeliverable';
  }
}

/** What the end of some asks of one run does to it. */
export function settle(w: ModelState, run: Run, ended: Ask[]): void {
  const by = ended[0]?.by ?? '';
  if (run.clarification) {
    postMail(w, run.clarification);
    finish(w, run, 'completed', by);
    return;
  }
  const stops = (a: Ask) =>
    a.kind === 'question' && (a.status === 'expired' || (a.status === 'cancelled' && a.mode !== 'form'));
  if (ended.some(stops)) {
    finish(w, run, 'cancelled', by);
    return;
  }
  hold(w, run);
  if (run.status !== 'running') return;
  const carried = carriedOf(w, run);
  if (carried) handOver(w, run, carried);
}

/** The held run is completed; another one takes its place with the answer. */
function handOver(w: ModelState, run: Run, ask: Ask): void {
  const { session } = run;
  carriedTo(run, 'delivered');
  run.status = 'completed';
  run.lease = undefined;
  session.active = undefined;
  session.queue.unshift(newRun(w, session, { resumes: run, carries: ask }));
  fillSlot(w, session);
}

function postMail(w: ModelState, ask: Ask): void {
  const closed = ask.child?.ended === true;
  ask.mail = { state: closed ? 'dead' : 'open', attempts: 0, postedAt: w.now };
  if (closed) ask.delivery = 'undeliverable';
}

export function killMail(ask: Ask): void {
  if (ask.mail) ask.mail.state = 'dead';
  if (ask.delivery === 'due') ask.delivery = 'undeliverable';
}

export function expire(w: ModelState, ask: Ask): void {
  endAsk(w, ask, 'expired', 'system');
  settle(w, ask.run, [ask]);
}

/** A run is stopped by a person; a clarification is declined instead, and its run completes. */
export function stop(w: ModelState, run: Run, status: 'cancelled' | 'interrupted', by: string): void {
  if (run.clarification?.status === 'pending') {
    endAsk(w, run.clarification, 'cancelled', by);
    settle(w, run, [run.clarification]);
  } else finish(w, run, status, by);
}

/** Nobody has the run, and no worker has come to say so. */
const LOST = { worker: '(lost)', until: 0 };
/** By its name: a model is copied, and what was lost in it with it. */
export const isLost = (run: Run): boolean => run.lease?.worker === LOST.worker;

/**
 * The worker is gone. An ask inside its tool call is lost with it, when a worker comes back; what can still be told goes
 * on holding the run.
 */
export function loseWorker(w: ModelState, run: Run, isBack = false): void {
  const isHeldInside = isHeld(run) && pendingOf(w, run).every((ask) => ask.mode === 'blocking');
  if (!isBack && isHeldInside && run.recovery !== 'resume') {
    run.lease = LOST;
    return;
  }
  run.lease = undefined;
  if (isHeld(run) && run.recovery !== 'resume') {
    for (const ask of pendingOf(w, run)) {
      if (ask.mode !== 'blocking') continue;
      endAsk(w, ask, 'cancelled', 'system');
      ask.lost = true;
    }
    hold(w, run);
  }
  if (isHeld(run)) return;
  if (run.recovery === 'none')
    for (const ask of w.asks.filter((a) => a.run === run && a.delivery === 'due' && a.status === 'answered'))
      if (ask.mode === 'blocking') Object.assign(ask, { delivery: 'undeliverable', kept: true });
  const carried = carriedOf(w, run);
  if (carried) handOver(w, run, carried);
  else if (run.recovery === 'none') finish(w, run, 'interrupted', 'system');
  else {
    run.status = 'queued';
    run.session.active = undefined;
    run.session.queue.unshift(run);
  }
}

/** Overdue asks first, then workers that are known to be lost, then leases, then mail nobody fetched for a week. */
export function sweep(w: ModelState, lostWorkers: string[] = []): void {
  const byDeadline = (a: Ask, b: Ask) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0);
  for (;;) {
    const late = w.asks.filter((a) => isLate(w, a));
    const pending = late.filter((a) => a.status === 'pending').sort(byDeadline);
    const unasked = late.filter((a) => a.status === 'unasked').sort(byDeadline);
    if (pending.length + unasked.length === 0) break;
    for (const ask of pending) if (ask.status === 'pending') expire(w, ask);
    for (const ask of unasked) if (ask.status === 'unasked') finish(w, ask.run, 'cancelled', 'system');
  }
  for (const run of w.runs) if (run.lease && lostWorkers.includes(run.lease.worker)) loseWorker(w, run, true);
  const lapsed = w.runs.filter((r) => r.lease && r.lease.until <= w.now && !(isLost(r) && isHeld(r)));
  lapsed.sort((a, b) => (a.lease?.until ?? 0) - (b.lease?.until ?? 0));
  for (const run of lapsed) loseWorker(w, run);
  for (const ask of w.asks) if (ask.mail?.state === 'open' && ask.mail.postedAt <= w.now - 7 * DAY_MS) killMail(ask);
}
