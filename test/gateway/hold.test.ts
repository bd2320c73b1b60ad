// The four holding modes as the API shows them: in every mode the run waits and is answered the same way; the mode decides
// which run carries on.
// Covers: src/gateway/settle.ts
import { describe, expect, it } from 'vitest';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  callId,
  decide,
  declined,
  eventsOfRun,
  type Fields,
  type Held,
  held,
  NOTES,
  newSession,
  ok,
  picks,
  ROUTING,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  showSession,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const MODES = ['blocking', 'deferred', 'form', 'restart'] as const;
const runsOf = (h: Held): Promise<RunView[]> => ok(server.get<RunView[]>(`/v1/runs?session_id=${h.sessionId}`));
/** The input of a run is for workers; an external agent reads what it carries from its own run's claim or ask. */
const inputOf = async (runId: string): Promise<Record<string, unknown>> => {
  const run = await server.ports.store.read((r) => r.get('run', runId));
  return run?.input ?? {};
};

describe.each(MODES)('the holding mode %s', (mode) => {
  it('shows the run as waiting and lists the ask', async () => {
    const h = await held(server, { mode });
    expect(h.ask.mode).toBe(mode);
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_user_question');
    expect(await ok(server.get<unknown[]>(`/v1/sessions/${h.sessionId}/questions`))).toHaveLength(1);
  });

  it('is named beside the request in the event that announces it', async () => {
    const h = await held(server, { mode });
    const shown = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'waiting_for_user_question');
    expect(shown?.data).toEqual({ request_ids: [h.ask.ask_id], requests: [h.ask.request], mode });
  });

  it('keeps the ask pending over a restart, and answerable', async () => {
    const h = await held(server, { mode });
    await server.restart();
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
    expect((await ok(answer(server, h))).status).toBe('running');
  });

  it('carries on in exactly one run after two equal answers, and returns that run to both', async () => {
    const h = await held(server, { mode });
    const replies = await Promise.all(Array.from({ length: 12 }, () => answer(server, h)));
    expect(new Set(replies.map((r) => r.status))).toEqual(new Set([202]));
    const carrying = new Set(replies.map((r) => r.body.run_id));
    expect(carrying.size).toBe(1);
    const runs = await runsOf(h);
    expect(runs.filter((r) => r.status === 'running').map((r) => r.run_id)).toEqual([...carrying]);
    expect(runs).toHaveLength(mode === 'form' || mode === 'restart' ? 2 : 1);
    const later = await ok(answer(server, h));
    expect(later.run_id).toBe([...carrying][0]);
  });

  it('carries on in exactly one run after two different answers', async () => {
    const h = await held(server, { mode });
    const replies = await Promise.all(['openai', 'local'].map((option) => answer(server, h, picks(option))));
    expect(replies.map((r) => r.status).sort()).toEqual([202, 409]);
    expect((await runsOf(h)).filter((r) => r.status === 'running')).toHaveLength(1);
  });

  it('cancels the held run of an expired question and starts no other', async () => {
    const h = await held(server, { mode, expires_after_ms: 1 });
    server.advance(1);
    await refusal(answer(server, h), 409, 'question_expired');
    expect((await runsOf(h)).map((r) => r.status)).toEqual(['cancelled']);
  });
});

describe.each(['blocking', 'deferred'] as const)('the holding mode %s, which carries on in the same run', (mode) => {
  it('returns the same run, and keeps the answer due until the agent acknowledges it', async () => {
    const h = await held(server, { mode });
    const run = await ok(answer(server, h));
    expect(run).toMatchObject({ run_id: h.runId, status: 'running', kind: 'user_question_resume' });
    expect((await showAsk(server, h.ask.ask_id)).delivery).toEqual({ state: 'due', attempts: 0 });
    const acked = await ok(server.post<AskView>(`/v1/asks/${h.ask.ask_id}/delivered`));
    expect(acked.delivery).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('counts the attempts to send a due answer, and refuses them before the answer and after its delivery', async () => {
    const h = await held(server, { kind: 'approval', mode });
    const path = `/v1/asks/${h.ask.ask_id}`;
    await refusal(server.post(`${path}/sent`), 409, 'ask_state_conflict');
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    await refusal(server.post(`${path}/sent`, { digest: 'another' }), 409, 'ask_digest_mismatch');
    expect((await showAsk(server, h.ask.ask_id)).delivery).toMatchObject({ state: 'due', attempts: 0 });
    for (const attempts of [1, 2]) {
      const sent = await ok(server.post<AskView>(`${path}/sent`, { digest: h.ask.request.digest }));
      expect(sent.delivery).toEqual({ state: 'due', attempts, sent_at_ms: expect.any(Number) });
    }
    expect((await ok(server.post<AskView>(`${path}/delivered`))).delivery).toMatchObject({ attempts: 2 });
    await refusal(server.post(`${path}/sent`), 409, 'ask_state_conflict');
  });

  it('carries on in the same run after an approval', async () => {
    const h = await held(server, { kind: 'approval', mode });
    expect(await ok(decide(server, h.runId, allow(h.ask.ask_id)))).toMatchObject({
      run_id: h.runId,
      status: 'running',
      kind: 'approval_resume',
    });
  });
});

describe('the holding mode form, which carries on in the next run', () => {
  /** While the form waits nothing more can be queued, so the other run is there before it. */
  async function heldBeforeAnother(fields: Fields) {
    const { session_id: sessionId } = await newSession(server);
    const { run_id: runId } = await startRun(server, sessionId);
    const queued = await startRun(server, sessionId);
    return { h: { sessionId, runId, ask: await raiseQuestion(server, runId, { mode: 'form', ...fields }) }, queued };
  }

  it('completes the held run and starts the next with the answer as its input', async () => {
    const { h, queued } = await heldBeforeAnother({ tool_call_id: 'toolu_1' });
    const run = await ok(answer(server, h));
    expect(run.run_id).not.toBe(h.runId);
    expect(run).toMatchObject({ status: 'running', kind: 'user_question_resume', resumes_run_id: h.runId });
    const before = await showRun(server, h.runId);
    expect(before).toMatchObject({ status: 'completed', pending_question_ids: [] });
    expect(before).not.toHaveProperty('outcome');
    expect(await inputOf(run.run_id)).toMatchObject({
      answer: { ask_id: h.ask.ask_id, tool_call_id: 'toolu_1', outcome: 'answered', answers: picks('openai') },
    });
    expect((await showRun(server, queued.run_id)).status).toBe('queued');
  });

  it.each([
    ['says so', (askId: string) => `/v1/asks/${askId}/delivered`, {}],
    ['says something', (_: string, runId: string) => `/v1/runs/${runId}/output`, { text: 'blue, then' }],
    ['completes it', (_: string, runId: string) => `/v1/runs/${runId}/complete`, {}],
  ])('delivers the answer when the agent of the next run %s, not when the run begins', async (_, path, body) => {
    const h = await held(server, { mode: 'form' });
    const run = await ok(answer(server, h));
    const delivery = async () => (await showAsk(server, h.ask.ask_id)).delivery.state;
    expect([run.status, await delivery()]).toEqual(['running', 'due']);
    await ok(server.post(path(h.ask.ask_id, run.run_id), body));
    expect(await delivery()).toBe('delivered');
  });

  it('starts the carrying run before a run that was queued earlier', async () => {
    const { h, queued } = await heldBeforeAnother({});
    const run = await ok(answer(server, h));
    const told = (await eventsOfRun(server, run.run_id)).find((e) => e.type === 'queued');
    expect(told?.data ?? { position: 1 }).toEqual({ position: 1 });
    await ok(server.post(`/v1/runs/${run.run_id}/complete`));
    expect((await showRun(server, queued.run_id)).status).toBe('running');
  });

  it('carries the cancellation of a form and its message to the next run', async () => {
    const h = await held(server, { mode: 'form' });
    const path = `/v1/runs/${h.runId}/questions/${h.ask.ask_id}/cancel`;
    const run = await ok(server.post<RunView>(path, { justification: 'not needed any more' }));
    expect(run).toMatchObject({ status: 'running', resumes_run_id: h.runId });
    expect((await showRun(server, h.runId)).status).toBe('completed');
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('cancelled');
    expect(await inputOf(run.run_id)).toMatchObject({
      text: 'not needed any more',
      answer: { outcome: 'cancelled', justification: 'not needed any more', answers: [] },
    });
  });

  it('carries a declined form to the next run as declined', async () => {
    const h = await held(server, { mode: 'form' });
    const path = `/v1/sessions/${h.sessionId}/questions`;
    const session = await ok(server.post<SessionView>(path, declined(h.ask.ask_id, 'no')));
    expect(session.active_run_id).not.toBe(h.runId);
    expect(await inputOf(String(session.active_run_id))).toMatchObject({ answer: { outcome: 'declined' } });
  });
});

describe('the holding mode restart, which carries on in a new dispatch of the same spec', () => {
  it('links the new dispatch by resumes_run_id and completes the held run with the outcome needs_input', async () => {
    const h = await held(server, { mode: 'restart', questions: [ROUTING, NOTES] });
    const answers = [...picks('local'), { question_id: 'notes', freeform_answer: 'quick' }];
    const run = await ok(answer(server, h, answers));
    expect(run).toMatchObject({ kind: 'dispatch', status: 'running', resumes_run_id: h.runId });
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'completed', outcome: 'needs_input' });
    const completed = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'completed');
    expect(completed?.data).toMatchObject({ outcome: 'needs_input' });
    expect(await inputOf(run.run_id)).toMatchObject({ task: 'fix the build', declined: false });
    expect(String((await inputOf(run.run_id)).answer)).toMatch(/Local[\s\S]*quick/);
  });

  it('links every dispatch to the one before when it asks again', async () => {
    const h = await held(server, { mode: 'restart' });
    const second = await ok(answer(server, h));
    const ask = await raiseQuestion(server, second.run_id, { mode: 'restart', tool_call_id: 'again' });
    const third = await ok(server.post<RunView>(`/v1/runs/${second.run_id}/questions`, resolution(ask.ask_id)));
    expect(third.resumes_run_id).toBe(second.run_id);
    expect((await showRun(server, second.run_id)).outcome).toBe('needs_input');
    expect(await inputOf(third.run_id)).toMatchObject({ task: 'fix the build' });
  });

  it('cancels the run and starts no other when the question is cancelled', async () => {
    const h = await held(server, { mode: 'restart' });
    await ok(server.post(`/v1/runs/${h.runId}/questions/${h.ask.ask_id}/cancel`));
    expect((await runsOf(h)).map((r) => r.status)).toEqual(['cancelled']);
    expect((await showSession(server, h.sessionId)).active_run_id).toBeUndefined();
  });

  it('returns the carrying run to a retry under an idempotency key', async () => {
    const h = await held(server, { mode: 'restart' });
    const send = () => answer(server, h, picks('openai'), { headers: { 'idempotency-key': 'k' } });
    const first = await send();
    expect(await send()).toMatchObject({ status: 202, text: first.text });
    expect(await runsOf(h)).toHaveLength(2);
  });
});

describe('several asks in one run', () => {
  it('carries on in another run only when the last ask of the run has ended', async () => {
    const h = await held(server, { kind: 'approval' });
    const form = await raiseQuestion(server, h.runId, { mode: 'form' });
    const still = await ok(answer(server, { ...h, ask: form }));
    expect(still).toMatchObject({ run_id: h.runId, status: 'waiting_for_approval' });
    const run = await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    expect(run).toMatchObject({ resumes_run_id: h.runId, status: 'running' });
    expect(await inputOf(run.run_id)).toMatchObject({ answer: { ask_id: form.ask_id } });
  });

  it('refuses an approval in the modes form and restart', async () => {
    const h = await held(server);
    for (const mode of ['form', 'restart']) {
      const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: {}, mode };
      await refusal(server.post(`/v1/runs/${h.runId}/asks`, body), 400, 'invalid_request');
    }
  });

  it.each(['form', 'restart'])('refuses further asks of a run that was stopped by a %s', async (mode) => {
    const h = await held(server, { kind: 'approval' });
    const question = (more: object) => ({ kind: 'question', questions: [ROUTING], tool_call_id: callId(), ...more });
    const last = await raiseQuestion(server, h.runId, { mode, tool_call_id: 'last' });
    const path = `/v1/runs/${h.runId}/asks`;
    const late = async () => {
      for (const other of ['form', 'restart', 'deferred', 'blocking']) {
        const code = mode === 'form' && other === 'form' ? 'ask_state_conflict' : 'run_state_conflict';
        const { detail } = await refusal(server.post(path, question({ mode: other })), 409, code);
        expect(detail).toContain(last.ask_id);
      }
      const approval = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: {} };
      await refusal(server.post(path, approval), 409, 'run_state_conflict');
    };
    await late();
    expect(await ok(server.post(path, question({ mode, tool_call_id: 'last' })))).toMatchObject({
      ask_id: last.ask_id,
    });
    await ok(answer(server, { ...h, ask: last }));
    await late();
    const next = await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    expect((await raiseQuestion(server, next.run_id, { mode })).status).toBe('pending');
  });

  it('sets the run to running when its last pending ask is answered', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    const second = await raiseQuestion(server, h.runId);
    expect((await ok(answer(server, h))).status).toBe('waiting_for_user_question');
    const path = `/v1/runs/${h.runId}/questions`;
    expect((await ok(server.post<RunView>(path, resolution(second.ask_id)))).status).toBe('waiting_for_approval');
    expect((await ok(decide(server, h.runId, allow(approval.ask_id)))).status).toBe('running');
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(3);
  });
});

it('marks the answer of a form undeliverable when its run is cancelled before another run carries it', async () => {
  const session = await newSession(server);
  const run = await startRun(server, session.session_id);
  const raise = (fields: object) =>
    ok(server.post<AskView>(`/v1/runs/${run.run_id}/asks`, { kind: 'question', ...fields }));
  await raise({ tool_call_id: 'b', questions: [{ id: 'q', question: 'Q?' }] });
  const form = await raise({ tool_call_id: 'f', mode: 'form', questions: [{ id: 'q', question: 'Q?' }] });
  const resolution = { request_id: form.ask_id, answers: [{ question_id: 'q', freeform_answer: 'x' }] };
  await ok(server.post<RunView>(`/v1/runs/${run.run_id}/questions`, { resolution }));
  await ok(server.post(`/v1/runs/${run.run_id}/cancel`, {}));
  expect((await showAsk(server, form.ask_id)).delivery.state).toBe('undeliverable');
});
