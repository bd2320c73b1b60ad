// Recovery of a run whose worker is lost, by what its agent can do. A waiting run is never restarted by a watchdog, and
// nothing is allowed by the loss of a worker.
import { describe, expect, it } from 'vitest';
import type { ClaimedRunView, RunView } from '../../src/core/views.ts';
import {
  decide,
  eventsOfRun,
  eventually,
  type Fields,
  held,
  newSession,
  ok,
  picks,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  showSession,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const LEASE_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const LOST = 'worker lost while the run was active';
type Recovery = 'none' | 'replay' | 'resume';

let agents = 0;
const claim = (agent: string, recovery: Recovery, more: Fields = {}) =>
  server.post<ClaimedRunView>('/v1/workers/claim', {
    worker_id: 'w1',
    agents: [{ name: agent, recovery }],
    lease_ms: LEASE_MS,
    ...more,
  });
const atWork = async (recovery: Recovery, more: Fields = {}) => {
  const agent = `agent-${++agents}`;
  const { session_id: sessionId } = await newSession(server, { agent });
  const { run_id: runId } = await startRun(server, sessionId);
  expect((await claim(agent, recovery, more)).status).toBe(200);
  return { agent, sessionId, runId };
};

/** Two ways to lose a worker: its lease lapses, or the server that hosts it starts again. */
const LOSSES: [string, Fields, () => Promise<void>][] = [
  ['its lease ran out', {}, () => server.restart(() => server.advance(LEASE_MS + 1))],
  ['it was built into the server that died', { worker_id: 'builtin' }, () => server.restart()],
];

describe.each(LOSSES)('the worker is lost: %s', (_name, who, lose) => {
  it('interrupts a running run with recovery none and lets the next run start', async () => {
    const { sessionId, runId, agent } = await atWork('none', who);
    const next = await startRun(server, sessionId);
    await lose();
    await eventually(() => showRun(server, runId)).toMatchObject({ status: 'interrupted', error: LOST });
    expect((await ok(claim(agent, 'none'))).run.run_id).toBe(next.run_id);
  });

  it.each(['replay', 'resume'] as const)(
    'queues a running run with recovery %s, to be claimed again as resumed',
    async (recovery) => {
      const { sessionId, runId, agent } = await atWork(recovery, who);
      const behind = await startRun(server, sessionId);
      await lose();
      await eventually(async () => (await showRun(server, runId)).status).toBe('queued');
      expect((await showSession(server, sessionId)).queued_run_ids).toEqual([runId, behind.run_id]);
      const again = await ok(claim(agent, recovery));
      expect(again).toMatchObject({ run: { run_id: runId }, resumed: true, lease: { epoch: 2 } });
      const recovered = (await eventsOfRun(server, runId)).filter((e) => e.type === 'run.recovered');
      expect(recovered).toMatchObject([{ data: { as: 'queued' } }]);
    },
  );

  it('hands an unacknowledged answer over with the run that is claimed again', async () => {
    const { runId, agent } = await atWork('resume', who);
    const ask = await raiseQuestion(server, runId);
    await ok(server.post(`/v1/runs/${runId}/questions`, resolution(ask.ask_id, picks('local'))));
    await lose();
    await eventually(async () => (await showRun(server, runId)).status).toBe('queued');
    const again = await ok(claim(agent, 'resume'));
    expect(again.due).toMatchObject([{ ask_id: ask.ask_id, answer: { answers: picks('local') } }]);
  });

  it('keeps a waiting run with recovery resume waiting, and queues it when it is answered', async () => {
    const { runId, agent } = await atWork('resume', who);
    const ask = await raiseQuestion(server, runId);
    await lose();
    await eventually(async () => (await eventsOfRun(server, runId)).map((e) => e.type)).toContain('run.recovered');
    expect(await showRun(server, runId)).toMatchObject({
      status: 'waiting_for_user_question',
      pending_question_ids: [ask.ask_id],
    });
    expect((await claim(agent, 'resume')).status).toBe(204);
    await ok(server.post(`/v1/runs/${runId}/questions`, resolution(ask.ask_id)));
    expect(await ok(claim(agent, 'resume'))).toMatchObject({ run: { run_id: runId }, due: [{ ask_id: ask.ask_id }] });
  });

  it.each(['none', 'replay', 'resume'] as const)(
    'keeps a run that waits without a process waiting, with recovery %s',
    async (recovery) => {
      const { runId } = await atWork(recovery, who);
      const ask = await raiseQuestion(server, runId, { mode: 'deferred' });
      await lose();
      await eventually(async () => (await eventsOfRun(server, runId)).map((e) => e.type)).toContain('run.recovered');
      expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
      const run = await ok(server.post<RunView>(`/v1/runs/${runId}/questions`, resolution(ask.ask_id)));
      expect(run).toMatchObject({ run_id: runId, status: 'running' });
    },
  );

  it.each([
    ['none', 'interrupted'],
    ['replay', 'running'],
  ] as const)(
    'ends the blocking asks of a run with recovery %s as worker_restart when a worker comes back, and the run is %s',
    async (recovery, status) => {
      const { agent, runId } = await atWork(recovery, who);
      const question = await raiseQuestion(server, runId);
      const approval = await raiseApproval(server, runId);
      await lose();
      if (who.worker_id === undefined) {
        await eventually(async () => (await eventsOfRun(server, runId)).map((e) => e.type)).toContain('run.recovered');
        expect((await claim('another', recovery)).status).toBe(204);
        expect((await showAsk(server, approval.ask_id)).status).toBe('pending');
      }
      expect((await claim(agent, recovery)).status).toBe(recovery === 'none' ? 204 : 200);
      await eventually(async () => (await showRun(server, runId)).status).toBe(status);
      expect(await showAsk(server, question.ask_id)).toMatchObject({
        status: 'cancelled',
        answer: { reason: 'worker_restart', answered_by: 'system', surface: 'system' },
      });
      expect(await showAsk(server, approval.ask_id)).toMatchObject({
        status: 'cancelled',
        answer: { reason: 'worker_restart', behavior: 'deny' },
      });
      const late = server.post(`/v1/runs/${runId}/questions`, resolution(question.ask_id));
      expect((await refusal(late, 409, 'question_state_conflict')).winner).toMatchObject({ outcome: 'cancelled' });
      expect(await showRun(server, runId)).toMatchObject({ pending_approval_ids: [], pending_question_ids: [] });
    },
  );
});

describe('a waiting run is never restarted by a watchdog', () => {
  it('keeps an external run waiting for months', async () => {
    const h = await held(server);
    await server.restart(() => server.advance(90 * DAY_MS));
    expect((await showRun(server, h.runId)).status).toBe('waiting_for_user_question');
    const events = await eventsOfRun(server, h.runId);
    expect(events.filter((e) => e.type.startsWith('run.'))).toEqual([]);
  });

  it('keeps a run waiting whose worker keeps its lease', async () => {
    const { runId } = await atWork('none', { worker_id: 'steady', lease_ms: 600_000 });
    const ask = await raiseQuestion(server, runId);
    await server.restart(() => server.advance(LEASE_MS * 2));
    await ok(server.post(`/v1/runs/${runId}/heartbeat`, { worker_id: 'steady', lease_epoch: 1, lease_ms: 600_000 }));
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  });

  it('keeps a released run waiting without a limit', async () => {
    const { runId } = await atWork('none', { worker_id: 'gone' });
    const ask = await raiseQuestion(server, runId, { mode: 'deferred' });
    await ok(server.post(`/v1/runs/${runId}/release`, { worker_id: 'gone', lease_epoch: 1 }));
    await server.restart(() => server.advance(90 * DAY_MS));
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
    expect((await showRun(server, runId)).status).toBe('waiting_for_user_question');
  });
});

it('refuses the next call of a worker that lost its run', async () => {
  const { runId, agent } = await atWork('replay');
  await server.restart(() => server.advance(LEASE_MS + 1));
  await eventually(async () => (await showRun(server, runId)).status).toBe('queued');
  await refusal(server.post(`/v1/runs/${runId}/heartbeat`, { worker_id: 'w1', lease_epoch: 1 }), 409, 'lease_lost');
  await ok(claim(agent, 'replay', { worker_id: 'w2' }));
  const stale = { headers: { 'holdpoint-lease': '1' } };
  await refusal(server.post(`/v1/runs/${runId}/complete`, { text: 'done!' }, stale), 409, 'lease_lost');
  expect((await showRun(server, runId)).status).toBe('running');
  expect(server.sweepErrors).toEqual([]);
});

describe('a run that is stopped while its worker has it', () => {
  it.each([
    ['was handed to the agent', true, 'the run was cancelled; the agent may have had it'],
    ['had not left the server', false, 'the run was cancelled'],
  ])('marks an answer that %s undeliverable, with the reason', async (_, isSent, reason) => {
    const { runId } = await atWork('resume');
    const { ask_id } = await raiseApproval(server, runId);
    await ok(decide(server, runId, { request_id: ask_id, behavior: 'allow' }));
    if (isSent) await ok(server.post(`/v1/asks/${ask_id}/sent`, {}));
    expect((await showAsk(server, ask_id)).delivery.state).toBe('due');
    await ok(server.post(`/v1/runs/${runId}/cancel`, {}));
    expect((await showAsk(server, ask_id)).delivery).toMatchObject({ state: 'undeliverable', reason });
  });
});

it('makes a new ask of a tool call that a replayed agent repeats after its worker was lost', async () => {
  const session = await newSession(server, { agent: 'replayer' });
  const run = await startRun(server, session.session_id);
  const body = { worker_id: 'w', agents: [{ name: 'replayer', recovery: 'replay' }], lease_ms: 1000 };
  await ok(server.post<ClaimedRunView>('/v1/workers/claim', body));
  const first = await raiseApproval(server, run.run_id, { tool_call_id: 'call_1' });
  server.advance(2000);
  // It stays answerable until a worker for its agent is there again.
  await expect.poll(async () => (await server.post('/v1/workers/claim', body)).status, { timeout: 20_000 }).toBe(200);
  expect(await showAsk(server, first.ask_id)).toMatchObject({
    status: 'cancelled',
    answer: { behavior: 'deny', reason: 'worker_restart' },
  });
  const again = await raiseApproval(server, run.run_id, { tool_call_id: 'call_1' });
  expect([again.status, again.ask_id === first.ask_id]).toEqual(['pending', false]);
});
