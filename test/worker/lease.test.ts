// The lease of a run as workers of this process use it: a worker that lost it is refused everything; one that stops releases
// the run or, where the agent cannot be resumed, fails it; and what recovery does with the run of a lost worker.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mock } from '../../src/agents/mock/agent.ts';
import type { Step } from '../../src/agents/mock/input.ts';
import { HoldpointProblem } from '../../src/client/http.ts';
import type { AskView, ClaimedRunView } from '../../src/core/views.ts';
import type { HostedAgent } from '../../src/worker/host.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { BASH, TestBed, WHICH } from '../support/test-bed.ts';

const server = serverForAll();
let bed: TestBed;
beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
});
afterEach(() => bed.close());

const none = { ...mock, name: 'fragile', recovery: 'none' as const };
const replaying = { ...mock, name: 'replaying', recovery: 'replay' as const };
const first = async (sessionId: string): Promise<AskView> => (await bed.pending(sessionId))[0] as AskView;
const code = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => undefined,
    (e: unknown) => e,
  );
  return error instanceof HoldpointProblem ? error.code : `not refused: ${error}`;
};

it('refuses every call of a worker that lost its run, and changes nothing', async () => {
  const parent = await bed.api.sessions.create({ agent: 'external' });
  const run = await bed.play([], { agent: 'claimed-by-hand', parent_session_id: parent.session_id });
  const claim = (worker_id: string) =>
    bed.api.workers.claim({ worker_id, agents: [{ name: 'claimed-by-hand', recovery: 'resume' }], lease_ms: 1000 });
  const old = (await claim('old')) as ClaimedRunView;
  const ask = await bed.api
    .underLease(old.lease.epoch)
    .asks.raise(run.run_id, { kind: 'question', tool_call_id: 'q', questions: [WHICH] });
  server.advance(1500);
  await bed.until(async () => ((await bed.events(run.session_id, 'run.recovered')).length > 0 ? true : undefined));
  await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  const claimed = await bed.until(() => claim('new'));
  expect(claimed.lease.epoch).toBe(old.lease.epoch + 1);
  expect(claimed).toMatchObject({ resumed: true, due: [{ ask_id: ask.ask_id }] });

  const before = await bed.events(run.session_id);
  const calls = bed.api.underLease(old.lease.epoch);
  const hold = { worker_id: 'old', lease_epoch: old.lease.epoch };
  const questions = [WHICH];
  const refusals = {
    raise: calls.asks.raise(run.run_id, { kind: 'question', tool_call_id: 'q2', questions }),
    clarify: calls.asks.clarify(run.run_id, { tool_call_id: 'c', questions }),
    delivered: calls.asks.delivered(ask.ask_id),
    undeliverable: calls.asks.undeliverable(ask.ask_id),
    output: calls.runs.output(run.run_id, { text: 'still here' }),
    complete: calls.runs.complete(run.run_id),
    fail: calls.runs.fail(run.run_id),
    heartbeat: calls.workers.heartbeat(run.run_id, hold),
    release: calls.workers.release(run.run_id, hold),
  };
  for (const [name, call] of Object.entries(refusals)) expect([name, await code(call)]).toEqual([name, 'lease_lost']);
  expect(await bed.events(run.session_id)).toEqual(before);
});

it('refuses the calls of an agent after its run went to another worker', async () => {
  const [goOn, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const refusals: string[] = [];
  let hosts = 0;
  const stubborn: HostedAgent = {
    name: 'stubborn',
    recovery: 'resume',
    async run(context) {
      hosts += 1;
      if (hosts === 2) {
        await end.promise;
        return { ended: 'completed' };
      }
      await goOn.promise;
      for (const call of [
        () => context.output('a ghost'),
        () => context.ask({ id: 'q', questions: [WHICH] }),
        () => context.approve({ id: 'p', ...BASH }),
        () => context.askParent({ id: 'c', questions: [WHICH] }),
      ])
        refusals.push(await code(call()));
      return { ended: 'completed', text: 'said by a ghost' };
    },
  };
  const parent = await bed.api.sessions.create({ agent: 'external' });
  await bed.worker({ agents: [stubborn], leaseMs: 600_000 });
  const run = await bed.play([], { agent: 'stubborn', parent_session_id: parent.session_id });
  await bed.until(async () => (hosts === 1 ? true : undefined));
  server.advance(700_000);
  await bed.until(async () => (hosts === 2 ? true : undefined));
  const before = await bed.events(run.session_id);
  goOn.resolve();
  await bed.until(async () => (refusals.length === 4 ? true : undefined));
  expect(refusals).toEqual(['lease_lost', 'lease_lost', 'lease_lost', 'lease_lost']);
  expect(await bed.events(run.session_id)).toEqual(before);
  end.resolve();
  await bed.over(run.run_id);
  expect((await bed.api.sessions.get(run.session_id)).snapshot.last_message).toBeNull();
});

describe('a worker that stops', () => {
  it('fails the run of an agent that cannot be resumed and denies its pending approval', async () => {
    const worker = await bed.worker({ agents: [none], drainMs: 1 });
    const allowed: Step[] = [{ do: 'say', text: 'ran' }];
    const run = await bed.play([{ do: 'approve', id: 'p', ...BASH, allowed }], { agent: 'fragile' });
    const ask = await first(run.session_id);
    await worker.stop();
    const ended = await bed.over(run.run_id);
    expect(ended).toMatchObject({ status: 'failed', error: 'the worker was shut down', outputs: [] });
    const { answer } = await bed.api.asks.get(ask.ask_id);
    expect(answer).toMatchObject({ outcome: 'cancelled', behavior: 'deny', reason: 'the worker was shut down' });
    expect(await code(bed.decide(ask, { behavior: 'allow' }))).toBe('approval_state_conflict');
  });

  it('lets an agent that cannot be resumed finish within the drain period', async () => {
    const worker = await bed.worker({ agents: [none] });
    const run = await bed.play([{ do: 'sleep', ms: 150 }, { do: 'complete' }], { agent: 'fragile' });
    await bed.until(async () => (worker.hosting === 1 ? true : undefined));
    await worker.stop();
    expect((await bed.api.runs.get(run.run_id)).status).toBe('completed');
  });

  it('stops at once although it hosts its maximum of runs', async () => {
    const worker = await bed.worker({ concurrency: 2 });
    const runs = [await bed.play([{ do: 'sleep', ms: 600_000 }]), await bed.play([{ do: 'sleep', ms: 600_000 }])];
    await bed.until(async () => (worker.hosting === 2 ? true : undefined));
    await worker.stop();
    for (const run of runs) expect(await bed.events(run.session_id, 'run.released')).toHaveLength(1);
  });
});

describe('a lost worker', () => {
  const lapse = async (sessionId: string) => {
    server.advance(700_000);
    await bed.until(async () => {
      const types = (await bed.events(sessionId)).map((e) => e.type);
      return types.includes('run.recovered') || types.includes('interrupted') ? true : undefined;
    });
  };
  const crashing = (mode: 'blocking' | 'deferred'): Step[] => [
    { do: 'parallel', asks: [{ do: 'ask', id: 'q', mode, questions: [WHICH] }] },
    { do: 'complete' },
  ];

  it('ends the blocking ask of a replayed agent as worker_restart, which asks it again', async () => {
    const isAnother = ({ ask_id }: AskView) => ask_id !== ask.ask_id;
    const lost = await bed.worker({ agents: [{ ...replaying, run: vanishAfterAsking }], leaseMs: 600_000 });
    const run = await bed.play(crashing('blocking'), { agent: 'replaying' });
    const ask = await first(run.session_id);
    await bed.until(async () => (lost.hosting === 0 ? true : undefined));
    await lost.stop();
    await lapse(run.session_id);
    expect((await bed.api.asks.get(ask.ask_id)).status).toBe('pending');
    await bed.worker({ agents: [replaying] });
    const again = await bed.until(async () => (await bed.pending(run.session_id)).find(isAnother));
    expect((await bed.api.asks.get(ask.ask_id)).answer).toMatchObject({
      outcome: 'cancelled',
      reason: 'worker_restart',
    });
    await bed.answer(again, { question_id: 'which', selected_option_ids: ['a'] });
    expect(bed.heard(await bed.over(run.run_id))).toEqual(['q: answered: Apples']);
  });

  it('interrupts the run of an agent that cannot be resumed and ends its ask', async () => {
    const lost = await bed.worker({ agents: [{ ...none, run: vanishAfterAsking }], leaseMs: 600_000 });
    const run = await bed.play(crashing('blocking'), { agent: 'fragile' });
    const ask = await first(run.session_id);
    await bed.until(async () => (lost.hosting === 0 ? true : undefined));
    await lapse(run.session_id);
    expect(await bed.api.runs.get(run.run_id)).toMatchObject({
      status: 'interrupted',
      error: 'worker lost while the run was active',
    });
    expect((await bed.api.asks.get(ask.ask_id)).status).toBe('cancelled');
  });
});

/** Raises the mock's first ask as it would, then is gone without a word. */
const vanishAfterAsking: (typeof mock)['run'] = async (context) => {
  void context.ask({ id: 'q', questions: [WHICH] }).catch(() => {});
  await bed.pending(context.session.session_id);
  return { ended: 'vanished' };
};
