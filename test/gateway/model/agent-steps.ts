// What agents and workers do: start, ask, acknowledge, end, clarify, fetch mail, claim, keep and let go of runs.
import { messageIdOf } from '../../../src/core/id.ts';
import { person } from '../../support/gateway.ts';
import {
  type Ask,
  begin,
  carriedOf,
  carriedTo,
  endAsk,
  fillSlot,
  finish,
  hold,
  isHeld,
  isLost,
  isOver,
  killMail,
  loseWorker,
  type Mode,
  type ModelState,
  newAsk,
  newRun,
  pendingOf,
  type Recovery,
  type Run,
  settle,
} from './model.ts';
import { askIn, got, OK, type Picks, type Plan, QUESTIONS, runIn, type Step, sessionIn } from './steps.ts';

const LEASE_MS = 10_000;
const agent = person('agent');

export const createSession: Plan = (w, picks) => {
  if (w.sessions.length >= 5) return undefined;
  const id = `s${w.sessions.length + 1}`;
  const external = picks.number(3) > 0;
  const autonomous = picks.number(5) === 4;
  const parentId = picks.number(2) === 1 ? picks.one(w.sessions)?.id : undefined;
  const body = {
    session_id: id,
    agent: external ? 'external' : 'mock',
    permissions: autonomous ? ('autonomous' as const) : ('approval' as const),
    ...(parentId !== undefined && { parent_session_id: parentId }),
  };
  return {
    name: `createSession ${JSON.stringify(body)}`,
    call: ({ gateway }) => got(gateway.createSession(body)),
    expect(model) {
      // The same again is the same session.
      if (model.sessions.some((s) => s.id === id)) return OK;
      const parent = parentId === undefined ? undefined : sessionIn(model, parentId);
      if (autonomous && parent && !parent.autonomous) return ['session_conflict'];
      model.sessions.push({ id, external, autonomous, parent, ended: false, active: undefined, queue: [] });
      return OK;
    },
  };
};

export const startRun: Plan = (w, picks) => {
  const session = picks.one(w.sessions);
  if (!session || w.runs.length >= 18) return undefined;
  const sessionId = session.id;
  return {
    name: `startRun ${sessionId}`,
    call: ({ gateway }) =>
      got(gateway.startRun({ sessionId, body: { input: { text: 'go' } }, actor: agent }), (r) => ({
        id: r.view.run_id,
      })),
    expect(model, { id }) {
      const own = sessionIn(model, sessionId);
      if (own.ended) return ['session_ended'];
      if (own.active && pendingOf(model, own.active).some((a) => a.mode === 'form'))
        return ['pending_interactive_form'];
      own.queue.push(newRun(model, own, { id }));
      fillSlot(model, own);
      return OK;
    },
  };
};

export const raise: Plan = (w, picks) => {
  const run = picks.one(w.runs.filter((r) => !isOver(r))) ?? picks.one(w.runs);
  if (!run) return undefined;
  const kind = picks.of<'approval' | 'question'>('question', 'approval');
  const call = picks.of('call-1', 'call-2', 'call-3');
  const mode =
    kind === 'approval'
      ? picks.of<Mode>('blocking', 'deferred')
      : picks.of<Mode>('blocking', 'deferred', 'form', 'restart');
  const after = picks.of(undefined, 500, 5_000);
  const text = picks.of('a', 'a', 'b');
  const leaseEpoch = staleOrTrue(run, picks);
  const expiry = after === undefined ? {} : { expires_after_ms: after };
  const body =
    kind === 'approval'
      ? {
          kind,
          tool_call_id: call,
          mode: mode as 'blocking' | 'deferred',
          tool_name: 'Bash',
          input: { command: text },
          ...expiry,
        }
      : { kind, tool_call_id: call, mode, questions: QUESTIONS.map((q) => ({ ...q, header: text })), ...expiry };
  const runId = run.id;
  return {
    name: `raise ${JSON.stringify({ runId, leaseEpoch, ...body, questions: undefined, text })}`,
    call: ({ gateway }) =>
      got(gateway.raiseAsk({ runId, body, actor: agent, leaseEpoch }), (r) => ({ id: r.view.ask_id })),
    expect(model, { id }) {
      const own = runIn(model, runId);
      if (leaseEpoch !== undefined && (leaseEpoch !== own.epoch || own.status === 'queued')) return ['lease_lost'];
      const payload = `${kind} ${mode} ${text}`;
      const known = model.asks.find((a) => a.run === own && a.call === call && !a.lost);
      if (known)
        return known.payload === payload ? [id === known.id ? 'ok' : `not ${known.id}`] : ['ask_identity_conflict'];
      if (isOver(own) || own.status === 'queued' || own.clarification) return ['run_state_conflict'];
      const stoppedBy = carriedOf(model, own);
      if (stoppedBy)
        return [mode === 'form' && stoppedBy.mode === 'form' ? 'ask_state_conflict' : 'run_state_conflict'];
      carriedTo(own, 'delivered');
      const expiresAt = after === undefined ? undefined : model.now + after;
      const ask = newAsk(model, { id, run: own, call, kind, mode, payload, expiresAt });
      if (kind === 'approval' && own.session.autonomous)
        endAsk(model, ask, 'answered', 'policy:autonomous', 'policy', true);
      else hold(model, own);
      giveKept(model, ask, text);
      return OK;
    },
  };
};

/** A question that was answered before its worker was lost has that answer at once; an approval is decided again. */
function giveKept(w: ModelState, ask: Ask, text: string): void {
  if (ask.status !== 'pending' || (ask.mode !== 'blocking' && ask.mode !== 'deferred')) return;
  const isSame = (a: Ask) =>
    a.kept && a.run.session === ask.run.session && a.payload === `${ask.kind} blocking ${text}`;
  const kept = w.asks.findLast(isSame);
  if (!kept) return;
  kept.kept = false;
  if (ask.kind === 'approval') return;
  endAsk(w, ask, 'answered', kept.by ?? '', kept.decision);
  ask.at = kept.at;
  settle(w, ask.run, [ask]);
}

/** Usually nothing; for a run that has a worker sometimes its epoch, sometimes that of a worker that lost it. */
const staleOrTrue = (run: Run, picks: Picks) => {
  const which = picks.number(4);
  if (run.epoch === 0 || which < 2) return undefined;
  return which === 2 ? run.epoch : run.epoch + 1;
};

export const end: Plan = (w, picks) => {
  const run = picks.one(w.runs.filter((r) => r.status === 'running')) ?? picks.one(w.runs);
  const other = picks.number(4) === 0 ? picks.one(w.runs) : run;
  if (!other) return undefined;
  const status = picks.of<'completed' | 'failed'>('completed', 'failed');
  const runId = other.id;
  const leaseEpoch = staleOrTrue(other, picks);
  return {
    name: `${status} ${runId} ${leaseEpoch ?? ''}`,
    call: ({ gateway }) => {
      const command = { runId, actor: agent, leaseEpoch };
      return got(status === 'completed' ? gateway.completeRun(command) : gateway.failRun(command));
    },
    expect(model) {
      const own = runIn(model, runId);
      if (own.status === status) return OK;
      if (leaseEpoch !== undefined && (leaseEpoch !== own.epoch || own.status === 'queued')) return ['lease_lost'];
      if (isOver(own) || own.clarification) return ['run_state_conflict'];
      if (status === 'completed' && own.status !== 'running') return ['run_state_conflict'];
      finish(model, own, status, agent.name);
      return OK;
    },
  };
};

export const acknowledge: Plan = (w, picks) => {
  const ask = picks.one(w.asks.filter((a) => a.delivery === 'due')) ?? picks.one(w.asks);
  const other = picks.number(4) === 0 ? picks.one(w.asks) : ask;
  if (!other) return undefined;
  const askId = other.id;
  const state = picks.of<'delivered' | 'undeliverable' | 'sent'>('delivered', 'delivered', 'undeliverable', 'sent');
  const digest = picks.of('none', 'right', 'wrong');
  return {
    name: `acknowledge ${askId} ${state}, digest ${digest}`,
    call: ({ gateway }) => {
      const told = async () => {
        const view = await gateway.showAsk(askId, agent);
        const right = view.answer?.digest ?? view.request.digest;
        const given = digest === 'none' ? {} : { digest: digest === 'right' ? right : `${right}0` };
        return gateway.acknowledge({ askId, state, ...given });
      };
      return got(told());
    },
    expect(model) {
      const own = askIn(model, askId);
      if (own.status === 'unasked') return ['ask_not_found'];
      if (own.status === 'pending') return ['ask_state_conflict'];
      // A clarification is acknowledged by the child's mail.
      if (own.run.clarification) return ['ask_state_conflict'];
      if (digest === 'wrong') return ['ask_digest_mismatch'];
      // An answer that the next run carries is not the held run's to acknowledge.
      if ((own.mode === 'form' || own.mode === 'restart') && !isOver(own.run)) return ['ask_state_conflict'];
      if (own.delivery === state) return OK;
      if (own.delivery !== 'due') return ['ask_state_conflict'];
      if (state !== 'sent') own.delivery = state;
      return OK;
    },
  };
};

export const clarify: Plan = (w, picks) => {
  const child =
    picks.one(w.runs.filter((r) => r.session.parent && r.status !== 'queued')) ??
    picks.one(w.runs.filter((r) => r.status !== 'queued'));
  if (!child || w.runs.length >= 18) return undefined;
  const call = picks.of('ask-parent-1', 'ask-parent-2');
  const text = picks.of('a', 'a', 'b');
  const after = picks.of(undefined, 700, 6_000);
  const runId = child.id;
  const body = {
    tool_call_id: call,
    questions: QUESTIONS.map((q) => ({ ...q, header: text })),
    ...(after !== undefined && { expires_after_ms: after }),
  };
  return {
    name: `clarify ${runId} ${call} ${text} ${after ?? ''}`,
    call: ({ gateway }) =>
      got(gateway.clarify({ runId, body, actor: agent }), (r) => ({ id: r.view.request_id, runId: r.view.run_id })),
    expect(model, { id, runId: made = '' }) {
      const own = runIn(model, runId);
      const { parent } = own.session;
      if (!parent) return ['no_parent_session'];
      const known = model.asks.find((a) => a.call === `${runId} ${call}`);
      if (known)
        return known.payload === text ? [id === known.id ? 'ok' : `not ${known.id}`] : ['ask_identity_conflict'];
      const faults = [...(isOver(own) ? ['run_state_conflict'] : []), ...(parent.ended ? ['session_ended'] : [])];
      if (faults.length > 0) return faults;
      const run = newRun(model, parent, { id: made });
      run.clarification = newAsk(model, {
        id,
        run,
        call: `${runId} ${call}`,
        kind: 'question',
        mode: 'blocking',
        payload: text,
        expiresAt: after === undefined ? undefined : model.now + after,
        status: 'unasked',
        child: own.session,
      });
      parent.queue.push(run);
      fillSlot(model, parent);
      return OK;
    },
  };
};

export const mail: Plan = (w, picks) => {
  const ask = picks.one(w.asks.filter((a) => a.mail));
  if (!ask?.child) return undefined;
  const verb = picks.of<'ack' | 'fail'>('ack', 'fail', 'fail');
  const [sessionId, messageId] = [ask.child.id, messageIdOf(ask.id)];
  const askId = ask.id;
  return {
    name: `mail ${verb} ${messageId}`,
    call: ({ gateway }) =>
      got(
        verb === 'ack'
          ? gateway.acknowledgeMessage(sessionId, messageId)
          : gateway.failMessage(sessionId, messageId, undefined),
      ),
    expect(model) {
      const own = askIn(model, askId);
      if (!own.mail || own.mail.state === 'dead') return ['message_not_found'];
      if (own.mail.state === 'acked') return [verb === 'ack' ? 'ok' : 'message_not_found'];
      own.mail.attempts += 1;
      if (verb === 'ack') {
        own.mail.state = 'acked';
        if (own.delivery === 'due') own.delivery = 'delivered';
      } else if (own.mail.attempts >= 3) killMail(own);
      return OK;
    },
  };
};

export const claim: Plan = (_, picks) => {
  const worker = picks.of('builtin', 'other');
  const recovery = picks.of<Recovery>('none', 'replay', 'resume');
  const body = { worker_id: worker, agents: [{ name: 'mock', recovery }], lease_ms: LEASE_MS };
  return {
    name: `claim by ${worker}, ${recovery}`,
    call: ({ gateway }) => got(gateway.waitForWork(body), (r) => ({ id: r?.run.run_id ?? '' })),
    expect(model, { id }) {
      for (const lost of model.runs.filter((r) => isLost(r) && isHeld(r))) loseWorker(model, lost, true);
      const free = (r: Run) =>
        !r.session.external &&
        !r.clarification &&
        !r.lease &&
        (r.status === 'running' || (r.status === 'queued' && !r.session.active && r.session.queue[0] === r));
      const claimed = model.isConcurrent ? model.runs.find((r) => free(r) && r.id === id) : undefined;
      const run = claimed ?? model.runs.find(free);
      // A run that begins with this very step, because what held the one before it is lost, has no name here yet.
      const isNew = run?.id === '' && id !== '' && !model.runs.some((other) => other.id === id);
      if (!isNew && (run?.id ?? '') !== id) return [`not ${run?.id}`];
      if (!run) return OK;
      run.lease = { worker, until: model.now + LEASE_MS };
      run.epoch += 1;
      run.recovery = recovery;
      if (run.status === 'queued') begin(run.session, run);
      return OK;
    },
  };
};

export const lease: Plan = (w, picks) => {
  const run = picks.one(w.runs.filter((r) => r.lease)) ?? picks.one(w.runs.filter((r) => r.epoch > 0));
  if (!run) return undefined;
  const verb = picks.of<'keep' | 'release'>('keep', 'release');
  const worker_id = picks.of('builtin', 'other');
  const lease_epoch = picks.number(4) === 0 ? run.epoch + 1 : run.epoch;
  const runId = run.id;
  return leaseStep(verb, runId, worker_id, lease_epoch);
};

const leaseStep = (verb: 'keep' | 'release', runId: string, worker_id: string, lease_epoch: number): Step => ({
  name: `${verb} ${runId} by ${worker_id}, epoch ${lease_epoch}`,
  call: ({ gateway }) => {
    const body = { worker_id, lease_epoch, lease_ms: LEASE_MS };
    return got(verb === 'keep' ? gateway.keepLease(runId, body) : gateway.releaseLease(runId, body));
  },
  expect(model) {
    const own = runIn(model, runId);
    if (lease_epoch !== own.epoch || own.lease?.worker !== worker_id) return ['lease_lost'];
    own.lease = verb === 'keep' ? { worker: worker_id, until: model.now + LEASE_MS } : undefined;
    return OK;
  },
});
