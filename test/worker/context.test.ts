// An agent that can be held without a process may keep it for a while: an answer in time is returned at once, a late one to
// the run when it is claimed again. And the lineage of sub-agents in what they ask.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HostedAgent } from '../../src/worker/host.ts';
import { openServer, type Server } from '../support/server.ts';
import { TestBed, WHICH } from '../support/test-bed.ts';

let server: Server;
let bed: TestBed;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

async function waiting(patience: () => AbortSignal) {
  const heard: string[] = [];
  const name = `patient-${crypto.randomUUID()}`;
  const agent: HostedAgent = {
    name,
    recovery: 'resume',
    async run(context) {
      const spec = { id: 'call', mode: 'deferred' as const, questions: [WHICH], lineage: ['tester', 'helper: look'] };
      const outcome = await context.ask(spec, { patience: patience() });
      heard.push(outcome.status);
      return outcome.status === 'held' ? { ended: 'held' } : { ended: 'completed' };
    },
  };
  await bed.worker({ agents: [agent] });
  const { session_id } = await bed.api.sessions.create({ agent: name });
  const run = await bed.api.runs.start(session_id, { input: {} });
  const [ask] = await bed.pending(session_id);
  if (!ask) throw new Error('nothing was asked');
  return { run, ask, heard };
}

it('returns an answer in time without releasing the run', async () => {
  const { run, ask, heard } = await waiting(() => new AbortController().signal);
  expect(ask).toMatchObject({ mode: 'deferred', request: { lineage: ['tester', 'helper: look'] } });
  await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(heard).toEqual(['answered']);
  expect(await bed.events(run.session_id, 'run.released')).toEqual([]);
});

it('releases the run when its patience is over, and starts it again with the answer', async () => {
  const patience = new AbortController();
  const { run, ask, heard } = await waiting(() => patience.signal);
  patience.abort();
  await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[0]);
  expect(heard).toEqual(['held']);
  await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  expect(await bed.over(run.run_id)).toMatchObject({ status: 'completed' });
  expect(heard).toEqual(['held', 'answered']);
});
