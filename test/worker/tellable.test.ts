// Whatever characters an agent says or fails with, its run goes on and ends; what a person is to decide about is told to
// the letter, or not at all.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HostedAgent } from '../../src/worker/host.ts';
import { openServer, type Server } from '../support/server.ts';
import { TestBed } from '../support/test-bed.ts';

const ODD = 'a\0b\ud800';
const SIGNS = 'a␀b�';

let server: Server;
let bed: TestBed;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  await bed.worker({ agents: [agent('completes', true), agent('fails', false)] });
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

const agent = (name: string, completes: boolean): HostedAgent => ({
  name,
  recovery: 'resume',
  async run(context) {
    await context.output(ODD, { id: 'odd' });
    const spec = { tool_name: 'Bash', reason: ODD, lineage: [ODD] };
    await context.approve({ ...spec, id: 'shown', input: { command: 'ls' } });
    const refused = await context.approve({ ...spec, id: 'unshown', input: { command: ODD } }).catch((error) => error);
    await context.output(refused.detail, { id: 'refused' });
    return completes ? { ended: 'completed', text: ODD } : { ended: 'failed', error: ODD };
  },
});

it.each(['completes', 'fails'])('an agent that %s with odd characters', async (name) => {
  const run = await bed.play([], { agent: name });
  const [ask] = await bed.pending(run.session_id);
  expect(ask).toMatchObject({ request: { reason: SIGNS, lineage: [SIGNS], input: { command: 'ls' } } });
  await bed.decide(ask as never, { behavior: 'allow' });
  const over = await bed.over(run.run_id);
  expect(over.outputs[0]?.text).toBe(SIGNS);
  expect(over.outputs[1]?.text).toContain('NUL');
  if (name === 'completes') expect(over).toMatchObject({ status: 'completed' });
  else expect(over).toMatchObject({ status: 'failed', error: SIGNS });
  expect((await bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
});
