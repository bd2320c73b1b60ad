// Workers claim runs under a lease, renew it and release it; a worker that lost a run is refused every change.
// Covers: src/gateway/lease.ts, src/server/routes/workers.ts
import { describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView } from '../../src/core/views.ts';
import {
  allow,
  callId,
  clarify,
  decide,
  eventually,
  type Fields,
  NOTES,
  newSession,
  ok,
  picks,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

let agents = 0;
/** An agent name of its own for each test, so that no test claims another one's runs. */
const freshAgent = (): string => `agent-${++agents}`;
const claim = (agent: string, more: Fields = {}) =>
  server.post<ClaimedRunView>('/v1/workers/claim', {
    worker_id: 'w1',
    agents: [{ name: agent, recovery: 'resume' }],
    lease_ms: 600_000,
    ...more,
  });
const claimed = async (agent: string, more: Fields = {}): Promise<ClaimedRunView> => {
  const reply = await claim(agent, more);
  expect(reply.status).toBe(200);
  return reply.body;
};
const lease = (c: ClaimedRunView, worker = 'w1') => ({ worker_id: worker, lease_epoch: c.lease.epoch });
const queuedRun = async (agent: string, fields: Fields = {}): Promise<RunView> => {
  const { session_id } = await newSession(server, { agent });
  return startRun(server, session_id, fields);
};

describe('claim', () => {
  it('keeps a run queued until a worker claims it, and hands over its input', async () => {
    const agent = freshAgent();
    const run = await queuedRun(agent, { input: { text: 'fix', depth: 2 } });
    expect(run).toMatchObject({ status: 'queued', queued_position: 1 });
    const c = await claimed(agent);
    expect(c).toMatchObject({
      run: { run_id: run.run_id, status: 'running' },
      session: { session_id: run.session_id, active_run_id: run.run_id },
      input: { text: 'fix', depth: 2 },
      lease: { epoch: 1 },
      resumed: false,
      due: [],
    });
    expect(c.lease.until_ms).toBeGreaterThan(server.now());
  });

  it('answers 204 when there is nothing to do, and leaves runs of other agents and external runs alone', async () => {
    const agent = freshAgent();
    await queuedRun(freshAgent());
    await queuedRun('external');
    expect((await claim(agent)).status).toBe(204);
    expect((await claim('external')).status).toBe(204);
  });

  it('gives each run to one worker only', async () => {
    const agent = freshAgent();
    const runs = [await queuedRun(agent), await queuedRun(agent), await queuedRun(agent)];
    const replies = await Promise.all(Array.from({ length: 9 }, (_, i) => claim(agent, { worker_id: `w${i}` })));
    const got = replies.filter((r) => r.status === 200).map((r) => r.body.run.run_id);
    expect(got.sort()).toEqual(runs.map((r) => r.run_id).sort());
  });

  it('gives out the runs of a session one after the other, in order', async () => {
    const agent = freshAgent();
    const first = await queuedRun(agent);
    const second = await startRun(server, first.session_id);
    expect((await claimed(agent)).run.run_id).toBe(first.run_id);
    expect((await claim(agent)).status).toBe(204);
    await ok(server.post(`/v1/runs/${first.run_id}/complete`));
    expect((await claimed(agent)).run.run_id).toBe(second.run_id);
  });

  it('waits with wait_ms for a run that is started', async () => {
    const agent = freshAgent();
    const waiting = claim(agent, { wait_ms: 60_000 });
    const run = await queuedRun(agent);
    expect((await ok(waiting)).run.run_id).toBe(run.run_id);
  });

  it.each(['complete', 'fail', 'cancel'])(
    'waits with wait_ms for the next run of a queue after the one before it ends by %s',
    async (call) => {
      const agent = freshAgent();
      const first = await queuedRun(agent);
      const second = await startRun(server, first.session_id);
      await claimed(agent);
      const waiting = claim(agent, { worker_id: 'w2', wait_ms: 60_000 });
      await eventually(async () => (await server.get<string>('/metrics')).text).toMatch(/holdpoint_streams_open [1-9]/);
      await ok(server.post(`/v1/runs/${first.run_id}/${call}`));
      expect((await ok(waiting)).run.run_id).toBe(second.run_id);
    },
  );

  it('gives the run of a clarification to no worker', async () => {
    const agent = freshAgent();
    const { session_id: parentId } = await newSession(server, { agent });
    const { session_id: childId } = await newSession(server, { parent_session_id: parentId });
    const { run_id } = await startRun(server, childId);
    const asked = await clarify(server, run_id);
    expect((await claim(agent)).status).toBe(204);
    expect((await showRun(server, asked.run_id)).status).toBe('waiting_for_user_question');
  });
});

describe('heartbeat and release', () => {
  it('extends the lease on a heartbeat of its holder and refuses that of any other worker', async () => {
    const agent = freshAgent();
    const { run_id } = await queuedRun(agent);
    const c = await claimed(agent, { lease_ms: 10_000 });
    const beat = (body: object) => server.post(`/v1/runs/${run_id}/heartbeat`, body);
    await ok(beat({ ...lease(c), lease_ms: 600_000 }));
    await refusal(beat(lease(c, 'w2')), 409, 'lease_lost');
    await refusal(beat({ worker_id: 'w1', lease_epoch: 2 }), 409, 'lease_lost');
    server.advance(20_000);
    await server.restart();
    expect((await showRun(server, run_id)).status).toBe('running');
    await ok(beat(lease(c)));
    expect((await claim(agent)).status).toBe(204);
  });

  it('lets a deferred run be released, wait without a process, and be claimed again with the answer due', async () => {
    const agent = freshAgent();
    const { run_id } = await queuedRun(agent);
    const c = await claimed(agent);
    const ask = await raiseQuestion(server, run_id, { mode: 'deferred' });
    await ok(server.post(`/v1/runs/${run_id}/release`, lease(c)));
    expect((await claim(agent)).status).toBe(204);
    await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id, picks('local'))));
    const again = await claimed(agent, { worker_id: 'w2' });
    expect(again).toMatchObject({
      run: { run_id, status: 'running' },
      resumed: true,
      lease: { epoch: 2 },
      due: [{ ask_id: ask.ask_id, status: 'answered', answer: { answers: picks('local') } }],
    });
    await refusal(server.post(`/v1/runs/${run_id}/release`, lease(c)), 409, 'lease_lost');
    await ok(server.post(`/v1/asks/${ask.ask_id}/delivered`, {}, { headers: { 'holdpoint-lease': '2' } }));
  });

  it('wakes a parked worker when a released run is answered', async () => {
    const agent = freshAgent();
    const { run_id } = await queuedRun(agent);
    const c = await claimed(agent);
    const ask = await raiseQuestion(server, run_id, { mode: 'deferred' });
    await ok(server.post(`/v1/runs/${run_id}/release`, lease(c)));
    const waiting = claim(agent, { worker_id: 'w2', wait_ms: 60_000 });
    await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id)));
    expect((await ok(waiting)).due.map((a: AskView) => a.ask_id)).toEqual([ask.ask_id]);
  });

  it('refuses the heartbeat and the release of an ended run', async () => {
    const agent = freshAgent();
    const { run_id } = await queuedRun(agent);
    const c = await claimed(agent);
    await ok(server.post(`/v1/runs/${run_id}/complete`));
    await refusal(server.post(`/v1/runs/${run_id}/heartbeat`, lease(c)), 409, 'lease_lost');
  });
});

describe('fencing by the header Holdpoint-Lease', () => {
  const lost = async () => {
    const agent = freshAgent();
    const { session_id: parentId } = await newSession(server);
    const { session_id } = await newSession(server, { agent, parent_session_id: parentId });
    const { run_id } = await startRun(server, session_id);
    const c = await claimed(agent);
    const ask = await raiseQuestion(server, run_id);
    await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id)));
    await ok(server.post(`/v1/runs/${run_id}/release`, lease(c)));
    await claimed(agent, { worker_id: 'w2' });
    return { runId: run_id, askId: ask.ask_id };
  };
  const question = () => ({ kind: 'question', tool_call_id: callId(), questions: [NOTES] });
  const CALLS: [string, (h: { runId: string; askId: string }) => [string, object]][] = [
    ['raise', (h) => [`/v1/runs/${h.runId}/asks`, question()]],
    ['output', (h) => [`/v1/runs/${h.runId}/output`, { text: 'x' }]],
    ['complete', (h) => [`/v1/runs/${h.runId}/complete`, {}]],
    ['fail', (h) => [`/v1/runs/${h.runId}/fail`, {}]],
    ['delivered', (h) => [`/v1/asks/${h.askId}/delivered`, {}]],
    ['undeliverable', (h) => [`/v1/asks/${h.askId}/undeliverable`, {}]],
    ['clarify', (h) => [`/v1/runs/${h.runId}/clarifications`, { tool_call_id: callId(), questions: [NOTES] }]],
  ];
  it.each(CALLS)('refuses %s of a worker that lost the run, and changes nothing', async (_name, call) => {
    const h = await lost();
    const [path, body] = call(h);
    const stale = server.post(path, body, { headers: { 'holdpoint-lease': '1' } });
    expect((await refusal(stale, 409, 'lease_lost')).detail).toMatch(/claimed again/);
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'running', outputs: [] });
    expect((await showAsk(server, h.askId)).delivery.state).toBe('due');
    expect((await server.post(path, body, { headers: { 'holdpoint-lease': '2' } })).status).toBeLessThan(300);
  });

  it.each(['0', '-1', '1.5', 'x', ''])('refuses the header Holdpoint-Lease: %j', async (value) => {
    const h = await lost();
    const sent = server.post(`/v1/runs/${h.runId}/complete`, {}, { headers: { 'holdpoint-lease': value } });
    await refusal(sent, 400, 'invalid_request');
  });
});

describe('a decision during the start of a worker', () => {
  const claim = (agent: string, worker = 'w1') =>
    server.post<ClaimedRunView>('/v1/workers/claim', {
      worker_id: worker,
      agents: [{ name: agent, recovery: 'resume' }],
      wait_ms: 20_000,
      lease_ms: 600_000,
    });

  /** A run of a worker's agent, held without a process. */
  async function parked(agent: string) {
    const { session_id } = await newSession(server, { agent });
    const { run_id } = await startRun(server, session_id);
    const { lease } = await ok(claim(agent));
    const ask = await raiseApproval(server, run_id, { mode: 'deferred' });
    await ok(server.post(`/v1/runs/${run_id}/release`, { worker_id: 'w1', lease_epoch: lease.epoch }));
    return { runId: run_id, askId: ask.ask_id };
  }

  it('hands a decision that was given while no worker hosted the run to the worker that claims it', async () => {
    const { runId, askId } = await parked('starting-1');
    await ok(decide(server, runId, allow(askId)));
    const started = await ok(claim('starting-1', 'w2'));
    expect(started.due).toMatchObject([{ ask_id: askId, answer: { behavior: 'allow' } }]);
  });

  it('keeps a decision due that is given while a worker claims the run', async () => {
    for (let i = 0; i < 10; i++) {
      const agent = `starting-2-${i}`;
      const { runId, askId } = await parked(agent);
      const [started] = await Promise.all([ok(claim(agent, 'w2')), ok(decide(server, runId, allow(askId)))]);
      const due = await ok(server.get<AskView[]>(`/v1/asks?run_id=${runId}&delivery=due`));
      expect(started.run.run_id).toBe(runId);
      expect(due.map((a) => a.ask_id)).toEqual([askId]);
    }
  });
});
