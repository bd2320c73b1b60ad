// Labels route runs: each session's work is hosted where its labels are, also when it is taken up again, and the
// sessions an agent spawns stay there.
import { afterEach, beforeAll, expect, it } from 'vitest';
import { mock } from '../../src/agents/mock/input.ts';
import type { ClaimedRunView } from '../../src/core/views.ts';
import { serverForAll } from '../support/for-all.ts';
import { Stage, WHICH } from '../support/test-bed.ts';

const server = serverForAll();
let stage: Stage;
beforeAll(async () => {
  stage = new Stage(await server.url(), server.token);
});
afterEach(() => stage.close());

/** The mock agent, keeping a list of the sessions that this worker hosted. */
const hosting = (sessions: string[]) => ({
  ...mock,
  run: (context: Parameters<typeof mock.run>[0]) => {
    sessions.push(context.session.session_id);
    return mock.run(context);
  },
});

it('each run goes to the worker that has its labels, and what no worker has stays queued', async () => {
  const hosted = { plain: [] as string[], gpu: [] as string[], both: [] as string[] };
  const say = [{ do: 'say' as const, text: 'here' }];
  const linux = await stage.play(say, { labels: ['gpu', 'os=linux'] });
  const nowhere = await stage.play(say, { labels: ['arm'] });
  await stage.worker({ agents: [hosting(hosted.plain)] });
  await stage.worker({ agents: [hosting(hosted.gpu)], labels: ['gpu'] });
  const plain = await stage.play(say);
  const gpu = await stage.play(say, { labels: ['gpu'] });
  await Promise.all([stage.over(plain.run_id), stage.over(gpu.run_id)]);
  expect((await stage.api.runs.get(linux.run_id)).status).toBe('queued');
  await stage.worker({ agents: [hosting(hosted.both)], labels: ['os=linux', 'gpu'] });
  await stage.over(linux.run_id);
  expect(hosted).toEqual({ plain: [plain.session_id], gpu: [gpu.session_id], both: [linux.session_id] });
  expect((await stage.api.runs.get(nowhere.run_id)).status).toBe('queued');
});

it('a run whose worker is gone, and an answer that another run carries on, stay with the labels', async () => {
  const run = await stage.play([{ do: 'ask', id: 'q', questions: [WHICH], mode: 'restart' }], { labels: ['lab'] });
  const claim = (labels?: string[]) =>
    stage.api.workers.claim({
      worker_id: 'hand',
      agents: [{ name: 'mock', recovery: 'resume' }],
      lease_ms: 1000,
      labels,
    });
  const lost = (await claim(['lab'])) as ClaimedRunView;
  expect(lost.run.run_id).toBe(run.run_id);
  server.advance(1500);
  await stage.until(async () => ((await stage.events(run.session_id, 'run.recovered')).length > 0 ? true : undefined));
  expect(await claim()).toBeUndefined();
  await stage.worker({ labels: ['lab'] });
  const [ask] = await stage.pending(run.session_id);
  if (!ask) throw new Error('nothing was asked');
  await stage.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  expect(await claim()).toBeUndefined();
  expect((await stage.carriedOn(run)).status).toBe('completed');
});

it('a session found again must have the same labels, in any order; the view says which', async () => {
  const body = { session_id: 'labelled', agent: 'mock', labels: ['b', 'a', 'b'] };
  expect(await stage.api.sessions.create(body)).toMatchObject({ labels: ['a', 'b'] });
  expect(await stage.api.sessions.create({ ...body, labels: ['a', 'b'] })).toMatchObject({ labels: ['a', 'b'] });
  await expect(stage.api.sessions.create({ ...body, labels: ['a'] })).rejects.toMatchObject({
    code: 'session_conflict',
  });
  await expect(stage.api.sessions.create({ agent: 'mock', labels: ['a b'] })).rejects.toMatchObject({ status: 400 });
});
