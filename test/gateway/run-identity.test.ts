// The identity of a managed run: an agent token for its session, which its programs find in their environment and which
// is valid until the run is over.
// Covers: src/core/output.ts, src/gateway/signed-token.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentContext, Ending } from '../../src/agents/agent.ts';
import { createClient } from '../../src/client/client.ts';
import { signToken } from '../../src/gateway/signed-token.ts';
import { newSession, ok } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import { TestBed, WHICH } from '../support/test-bed.ts';

let server: Server;
let bed: TestBed;
const at = new Map<string, { context: AgentContext; end: (ending: Ending) => void }>();
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const run = (context: AgentContext) =>
    new Promise<Ending>((end) => {
      at.set(context.run.run_id, { context, end });
    });
  await bed.worker({ agents: [{ name: 'own', recovery: 'none', run }] });
});
afterAll(async () => {
  await bed.close();
  await server.close();
});

async function atWork() {
  const run = await bed.play([], { agent: 'own' });
  const { context, end } = await bed.until(async () => at.get(run.run_id));
  const { HOLDPOINT_URL: url = '', HOLDPOINT_TOKEN: token = '' } = context.env;
  return { run, token, context, end, api: createClient({ url, token, retryForMs: 0 }) };
}

it('asks in its own session and is refused every answer', async () => {
  const { run, api, end } = await atWork();
  const ask = await api.asks.raise(run.run_id, { kind: 'question', tool_call_id: 'own', questions: [WHICH] });
  expect((await api.sessions.list()).items.map((s) => s.session_id)).toEqual([run.session_id]);
  await expect(bed.answer.call({ api } as unknown as TestBed, ask)).rejects.toMatchObject({ code: 'scope_forbidden' });
  await expect(api.tokens.create({ scope: 'operator' })).rejects.toMatchObject({ code: 'scope_forbidden' });
  // It would choose the limits of its next run itself.
  const unbound = { input: { text: 'go on', permission_mode: 'bypassPermissions' } };
  await expect(api.runs.start(run.session_id, unbound)).rejects.toMatchObject({ code: 'scope_forbidden' });
  const other = await newSession(server);
  await expect(api.sessions.get(other.session_id)).rejects.toMatchObject({ code: 'session_forbidden' });
  const waiting = api.asks.wait(ask.ask_id, 20_000);
  await bed.answer(ask, { question_id: 'which', selected_option_ids: ['a'] });
  expect((await waiting).status).toBe('answered');
  end({ ended: 'completed' });
  await bed.over(run.run_id);
});

it('writes outputs, but none of the types by which its worker resumes the run', async () => {
  const { run, api, context, end } = await atWork();
  await api.runs.output(run.run_id, { type: 'progress', text: 'half done', data: { part: 1 } });
  const kept = [{ type: 'own-thread', data: { thread_id: 'x' } }, { type: 'exit' }, { output_id: 'own-held-on-x' }];
  // With the epoch of the lease, too: that is no secret.
  for (const calls of [api, api.underLease(1)])
    for (const body of kept)
      await expect(calls.runs.output(run.run_id, body)).rejects.toMatchObject({ status: 403, code: 'scope_forbidden' });
  await expect(bed.api.runs.output(run.run_id, { type: 'own-thread' })).rejects.toMatchObject({ status: 403 });
  await context.output(undefined, { type: 'own-thread', data: { thread_id: 'own' } });
  expect(await context.recall('own-thread')).toEqual({ thread_id: 'own' });
  end({ ended: 'completed' });
  const { outputs } = await bed.over(run.run_id);
  expect(outputs.map(({ type }) => type)).toEqual(['progress', 'own-thread']);
});

it('is refused once its run is over, also in a poll that was open', async () => {
  const { run, api, end } = await atWork();
  const ask = await api.asks.raise(run.run_id, { kind: 'question', tool_call_id: 'own', questions: [WHICH] });
  const waiting = api.asks.wait(ask.ask_id, 20_000);
  const refused = expect(waiting).rejects.toMatchObject({ code: 'unauthenticated' });
  end({ ended: 'failed', error: 'out of words' });
  await refused;
  await expect(api.sessions.list()).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('is refused when it is forged, or made from another kind of token', async () => {
  const { run, token, end } = await atWork();
  const list = (secret: string) => server.raw('GET', '/v1/sessions', undefined, { token: secret });
  expect((await list(token)).status).toBe(200);
  const claims = { type: 'run', run_id: run.run_id, name: 'x', exp: server.now() + 1000 };
  const genuine = signToken(server.ports.sealer, 'hpr_', claims);
  expect((await list(genuine)).status).toBe(200);
  const others = [
    `${genuine}x`,
    genuine.replace('hpr_', 'hps_'),
    signToken(server.ports.sealer, 'hps_', claims).replace('hps_', 'hpr_'),
    signToken(server.ports.sealer, 'hpr_', { ...claims, exp: 1 }),
    signToken(server.ports.sealer, 'hpr_', { ...claims, run_id: 'run_unknown' }),
    signToken(server.ports.sealer, 'hpr_', { ...claims, scope: 'operator' }),
  ];
  for (const other of others) expect((await list(other)).status, other).toBe(401);
  end({ ended: 'completed' });
  await ok(server.get(`/v1/runs/${run.run_id}`));
});
