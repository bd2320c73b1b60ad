// Named regressions of other systems, the ones about who came first: answers that meet an agent which is just starting,
// not yet waiting, already waiting twice, or busy.
import { describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  decide,
  eventsOfRun,
  held,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  resolution,
  showAsk,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

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

describe('#2 approve during agent start-up', () => {
  it('an approval given while nobody hosts the agent is there when it starts', async () => {
    const { runId, askId } = await parked('starting-1');
    await ok(decide(server, runId, allow(askId)));
    const started = await ok(claim('starting-1', 'w2'));
    expect(started.due).toMatchObject([{ ask_id: askId, answer: { behavior: 'allow' } }]);
  });

  it('an approval given in the very moment of the start is in the start or due after it, never lost', async () => {
    for (let i = 0; i < 10; i++) {
      const agent = `starting-2-${i}`;
      const { runId, askId } = await parked(agent);
      const [started] = await Promise.all([ok(claim(agent, 'w2')), ok(decide(server, runId, allow(askId)))]);
      const due = await ok(server.get<AskView[]>(`/v1/asks?run_id=${runId}&delivery=due`));
      expect(started.run.run_id).toBe(runId);
      expect(due.map((a) => a.ask_id)).toEqual([askId]);
    }
  });

  it('one that asks again after its start gets the decision it already has', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const first = await raiseApproval(server, run_id, { tool_call_id: 'same' });
    await ok(decide(server, run_id, allow(first.ask_id)));
    const again = await raiseApproval(server, run_id, { tool_call_id: 'same' });
    expect(again).toMatchObject({ ask_id: first.ask_id, status: 'answered', answer: { behavior: 'allow' } });
  });
});

describe('#3 answer before wait registered', () => {
  it('a wait that begins after the answer returns at once', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    const ask = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`));
    expect(ask.status).toBe('answered');
  });

  it('a wait that begins in the same moment never sleeps through it', async () => {
    const asked = await Promise.all(Array.from({ length: 60 }, () => held(server)));
    const waits = asked.flatMap((h, i) => {
      const wait = () => ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=60000`));
      const give = () => ok(answer(server, h));
      return i % 2 === 0 ? [wait(), give().then(wait)] : [give().then(wait), wait()];
    });
    for (const ask of await Promise.all(waits)) expect(ask.status).toBe('answered');
  });

  it('the same for settle_ms: a pause that came before the wait is seen', async () => {
    const h = await held(server);
    const second = await raiseQuestion(server, h.runId);
    const run = await ok(
      server.post<RunView>(`/v1/runs/${h.runId}/questions?settle_ms=60000`, resolution(h.ask.ask_id)),
    );
    expect(run.pending_question_ids).toEqual([second.ask_id]);
  });
});

describe('#5 duplicate processing self-conflict', () => {
  it('the same agent doing the same thing twice at once does not conflict with itself', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const twice = <T>(path: string, body: unknown = {}) =>
      Promise.all([server.post<T>(path, body), server.post<T>(path, body)]);
    const question = { kind: 'question', tool_call_id: 'c', questions: [{ question: 'A?' }] };
    const asks = await twice<AskView>(`/v1/runs/${run_id}/asks`, question);
    expect(asks.map((r) => r.status).sort()).toEqual([200, 201]);
    const askId = String(asks[0]?.body.ask_id);
    expect(asks[1]?.body.ask_id).toBe(askId);
    const given = resolution(askId, [{ question_id: 'question-1', freeform_answer: 'x' }]);
    for (const [path, body, status] of [
      [`/v1/runs/${run_id}/questions`, given, 202],
      [`/v1/asks/${askId}/delivered`, {}, 200],
      [`/v1/runs/${run_id}/output`, { output_id: 'o', text: 'hi' }, 200],
      [`/v1/runs/${run_id}/complete`, {}, 200],
      [`/v1/sessions/${session_id}/end`, {}, 200],
    ] as const) {
      const replies = await twice(path, body);
      expect(
        replies.map((r) => r.status),
        path,
      ).toEqual([status, status]);
      expect(replies[0]?.text).toBe(replies[1]?.text);
    }
    const types = typesOf(await eventsOfRun(server, run_id));
    for (const type of ['ask.raised', 'ask.claimed', 'ask.delivered', 'output', 'completed'])
      expect(
        types.filter((t) => t === type),
        type,
      ).toHaveLength(1);
  });

  it('the same session created twice at once is one session', async () => {
    const body = { session_id: 'twin', agent: 'external' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => server.post('/v1/sessions', body)));
    expect(replies.map((r) => r.status).sort()).toEqual([...Array(7).fill(200), 201]);
  });
});

describe('#18 double click during slow work', () => {
  it('the second click is told the same while the first still waits for the agent', async () => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/questions`;
    const slow = server.post<RunView>(`${path}?settle_ms=60000`, resolution(h.ask.ask_id));
    await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
    const second = await server.post<RunView>(path, resolution(h.ask.ask_id));
    expect(second).toMatchObject({ status: 202, body: { run_id: h.runId, status: 'running' } });
    await ok(server.post(`/v1/runs/${h.runId}/complete`));
    expect((await ok(slow)).status).toBe('completed');
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(1);
  });

  it('allow and deny clicked together: one counts and the other is told which', async () => {
    const h = await held(server, { kind: 'approval' });
    const replies = await Promise.all(
      ['allow', 'deny'].map((behavior) => decide(server, h.runId, { request_id: h.ask.ask_id, behavior })),
    );
    expect(replies.map((r) => r.status).sort()).toEqual([202, 409]);
    const loser = replies.find((r) => r.status === 409);
    expect(loser?.body).toMatchObject({ code: 'approval_state_conflict', winner: { answered_by: 'operator' } });
    const kept = (await showAsk(server, h.ask.ask_id)).answer?.behavior;
    expect(kept).toBe(replies[0]?.status === 202 ? 'allow' : 'deny');
  });
});
