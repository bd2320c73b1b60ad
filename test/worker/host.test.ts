// How a hosted run ends: once, with a text that is truncated where it is too long, and as failed with the reason where the
// server refuses the end. Nothing is started again for it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HostedAgent } from '../../src/worker/host.ts';
import { openServer, type Server } from '../support/server.ts';
import { LONG_LEASE_MS, TestBed } from '../support/test-bed.ts';

const LONG = 700_000;
const begun = new Map<string, number>();

const agent = (name: string, ending: Awaited<ReturnType<HostedAgent['run']>>): HostedAgent => ({
  name,
  recovery: 'replay',
  async run(context) {
    begun.set(name, (begun.get(name) ?? 0) + 1);
    if (ending.ended === 'completed') await context.output(ending.text, { id: 'said' });
    return ending;
  },
});
const long = (character: string) => `BEGIN${character.repeat(LONG)}END`;
const refused = { exit_code: 'none' as unknown as number };

const ODD = 'a\0b\ud800';
const SIGNS = 'a␀b�';
/** Says, asks and ends with characters that a database does not keep. */
const oddAgent = (name: string, completes: boolean): HostedAgent => ({
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

/** Displays a form at the door for models, and is done. */
const former: HostedAgent = {
  name: 'displays-a-form',
  recovery: 'replay',
  async run(context) {
    begun.set('displays-a-form', (begun.get('displays-a-form') ?? 0) + 1);
    const questions = [{ id: 'colour', question: 'Which colour?', options: ['Red', 'Blue'] }];
    await context.callTool({ name: 'interactive_form_question', arguments: { questions }, tool_use_id: 'toolu_form' });
    return { ended: 'completed', text: 'I have asked.' };
  },
};

let server: Server;
let bed: TestBed;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  await bed.worker({
    leaseMs: LONG_LEASE_MS,
    agents: [
      agent('says-much', { ended: 'completed', text: long('x') }),
      agent('says-signs', { ended: 'completed', text: long('\u001b') }),
      agent('says-faces', { ended: 'completed', text: long('😀') }),
      agent('fails-at-length', { ended: 'failed', error: long('x') }),
      agent('completes-oddly', { ended: 'completed', text: 'done', ...refused }),
      agent('fails-oddly', { ended: 'failed', error: 'no', ...refused }),
      former,
      oddAgent('completes', true),
      oddAgent('fails', false),
    ],
  });
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

const ended = async (name: string) => bed.over((await bed.play([], { agent: name })).run_id);

it.each(['says-much', 'says-signs', 'says-faces'])(
  'completes a run whose last message is too long with its beginning and its end: %s',
  async (name) => {
    const run = await ended(name);
    expect(run.status).toBe('completed');
    const { last_message } = (await bed.api.sessions.get(run.session_id)).snapshot;
    for (const text of [last_message, run.outputs.find((output) => output.output_id === 'said')?.text])
      expect(text).toMatch(/^BEGIN.*\n\[… \d+ characters left out …\]\n.*END$/s);
    expect(begun.get(name)).toBe(1);
  },
);

it('fails a run whose error is too long with the beginning and the end of the error', async () => {
  const run = await ended('fails-at-length');
  expect(run).toMatchObject({ status: 'failed', error: expect.stringMatching(/^BEGINx+\n\[… \d+ .*\]\nx+END$/) });
  expect(begun.get('fails-at-length')).toBe(1);
});

it.each(['completes-oddly', 'fails-oddly'])(
  'fails a run whose end the server refuses, with the refusal: %s',
  async (name) => {
    const run = await ended(name);
    expect(run).toMatchObject({ status: 'failed', error: expect.stringMatching(/did not take the end.*exit_code/s) });
    expect(begun.get(name)).toBe(1);
  },
);

it('holds a run whose agent ended after it displayed a form, without a process', async () => {
  const run = await bed.play([], { agent: 'displays-a-form' });
  const [form] = await bed.pending(run.session_id);
  await bed.until(async () => (await bed.events(run.session_id, 'run.released'))[0]);
  expect(await bed.api.runs.get(run.run_id)).toMatchObject({ status: 'waiting_for_user_question' });
  expect(form).toMatchObject({ mode: 'form', status: 'pending' });
  expect(begun.get('displays-a-form')).toBe(1);
});

it.each(['completes', 'fails'])(
  'replaces characters that a database does not store in what an agent says and asks: %s',
  async (name) => {
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
  },
);
