// Labels route runs: a run is hosted by a worker with its labels, also when it is resumed, and so are the sessions it spawns.
// Covers: src/gateway/claim.ts, src/core/label.ts
import { afterEach, beforeAll, expect, it } from 'vitest';
import { mock } from '../../src/agents/mock/agent.ts';
import type { ClaimedRunView } from '../../src/core/views.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { TestBed, WHICH } from '../support/test-bed.ts';

const server = serverForAll();
let bed: TestBed;
beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
});
afterEach(() => bed.close());

/** The mock agent, keeping a list of the sessions that this worker hosted. */
const hosting = (sessions: string[]) => ({
  ...mock,
  run: (context: Parameters<typeof mock.run>[0]) => {
    sessions.push(context.session.session_id);
    return mock.run(context);
  },
});

it('gives each run to a worker with its labels and leaves a run that no worker matches queued', async () => {
  const hosted = { plain: [] as string[], gpu: [] as string[], both: [] as string[] };
  const say = [{ do: 'say' as const, text: 'here' }];
  const linux = await bed.play(say, { labels: ['gpu', 'os=linux'] });
  const nowhere = await bed.play(say, { labels: ['arm'] });
  await bed.worker({ agents: [hosting(hosted.plain)] });
  await bed.worker({ agents: [hosting(hosted.gpu)], labels: ['gpu'] });
  const plain = await bed.play(say);
  const gpu = await bed.play(say, { labels: ['gpu'] });
  await Promise.all([bed.over(plain.run_id), bed.over(gpu.run_id)]);
  expect((await bed.api.runs.get(linux.run_id)).status).toBe('queued');
  await bed.worker({ agents: [hosting(hosted.both)], labels: ['os=linux', 'gpu'] });
  await bed.over(linux.run_id);
  expect(hosted).toEqual({ plain: [plain.session_id], gpu: [gpu.session_id], both: [linux.session_id] });
  expect((await bed.api.runs.get(nowhere.run_id)).status).toBe('queued');
});

it('keeps the labels of a run whose worker is lost, and of the run that carries its answer', async () => {
  const run = await bed.play([{ do: 'ask', id: 'q', questions: [WHICH], mode: 'restart' }], { labels: ['lab'] });
  const claim = (labels?: string[]) =>
    bed.api.workers.claim({
      worker_id: 'hand',
      agents: [{ name: 'mock', recovery: 'resume' }],
      lease_ms: 1000,
      labels,
    });
  const lost = (await claim(['lab'])) as ClaimedRunView;
  expect(lost.run.run_id).toBe(run.run_id);
  server.advance(1500);
  await bed.until(async () => ((await bed.events(run.session_id, 'run.recovered')).length > 0 ? true : undefined));
  expect(await claim()).toBeUndefined();
  await bed.worker({ labels: ['lab'] });
  const [ask] = await bed.pending(run.session_id);
  if (!ask) throw new Error('nothing was asked');
  await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  expect(await claim()).toBeUndefined();
  expect((await bed.carriedOn(run)).status).toBe('completed');
});

it('refuses other labels for an existing session, ignoring their order', async () => {
  const body = { session_id: 'labelled', agent: 'mock', labels: ['b', 'a', 'b'] };
  expect(await bed.api.sessions.create(body)).toMatchObject({ labels: ['a', 'b'] });
  expect(await bed.api.sessions.create({ ...body, labels: ['a', 'b'] })).toMatchObject({ labels: ['a', 'b'] });
  await expect(bed.api.sessions.create({ ...body, labels: ['a'] })).rejects.toMatchObject({
    code: 'session_conflict',
  });
  await expect(bed.api.sessions.create({ agent: 'mock', labels: ['a b'] })).rejects.toMatchObject({ status: 400 });
});
