// A worker token acts for the runs it has claimed, for their children and for the attached agents it serves, and for nothing
// else. Each test is named after the finding of the security review that it answers.
// Covers: src/gateway/lease.ts, src/gateway/run-input.ts, src/store/migrations/
import { beforeAll, describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView, SessionView } from '../../src/core/views.ts';
import { answer, type Fields, held, newSession, ok, raiseQuestion, refusal, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
let agents = 0;
let worker: string;
let other: string;
beforeAll(async () => {
  worker = (await server.makeToken('worker')).token;
  other = (await server.makeToken('worker')).token;
});

const claimed = (agent: string, fields: Fields = {}, token = worker) =>
  server.post<ClaimedRunView>(
    '/v1/workers/claim',
    { worker_id: 'w', agents: [{ name: agent, recovery: 'replay' }], ...fields },
    { token },
  );

const under = (epoch: number, token = worker) => ({ token, headers: { 'holdpoint-lease': String(epoch) } });

/** A run of an agent of its own that the worker holds. */
async function leased(fields: Fields = {}) {
  agents += 1;
  const agent = `own-${agents}`;
  const session = await newSession(server, { agent, work_folder: '/srv/work', ...fields });
  const run = await startRun(server, session.session_id);
  const claim = await ok(claimed(agent, { labels: fields.labels }));
  expect(claim.run.run_id).toBe(run.run_id);
  const own = { token: String(claim.env.HOLDPOINT_TOKEN) };
  return { agent, sessionId: session.session_id, runId: run.run_id, epoch: claim.lease.epoch, own };
}

const create = (body: Fields, options: object) => server.post<SessionView>('/v1/sessions', body, options);
const start = (sessionId: string, input: Fields, options: object) =>
  server.post<RunView>(`/v1/sessions/${sessionId}/runs`, { input }, options);

describe('finding 1: a worker token is not the operator', () => {
  it('starts no command anywhere: neither in a session of its own nor in one that is there', async () => {
    await refusal(create({ agent: 'exec', work_folder: '/srv' }, { token: worker }), 403, 'scope_forbidden');
    const { session_id } = await newSession(server, { agent: 'exec', work_folder: '/srv' });
    const command = { command: ['/bin/sh', '-c', 'cat operator.token'] };
    await refusal(start(session_id, command, { token: worker }), 403, 'scope_forbidden');
    await refusal(start(session_id, command, under(1)), 403, 'scope_forbidden');
    expect(await ok(server.get<RunView[]>(`/v1/runs?session_id=${session_id}`))).toEqual([]);
  });

  it('creates children of the session it has leased, with the labels, folder and permissions of that session', async () => {
    const { agent, sessionId, epoch } = await leased();
    const child = { agent, parent_session_id: sessionId };
    await refusal(create(child, { token: worker }), 403, 'scope_forbidden');
    await refusal(create(child, under(epoch, other)), 403, 'scope_forbidden');
    await refusal(create({ ...child, agent: 'exec' }, under(epoch)), 403, 'scope_forbidden');
    await refusal(create({ ...child, labels: ['gpu'] }, under(epoch)), 403, 'scope_forbidden');
    await refusal(create({ ...child, work_folder: '/' }, under(epoch)), 403, 'scope_forbidden');
    await refusal(create({ ...child, permissions: 'autonomous' }, under(epoch)), 409, 'session_conflict');
    const made = await ok(create(child, under(epoch)));
    expect(made).toMatchObject({ parent_session_id: sessionId, work_folder: '/srv/work', labels: [] });
    expect(await ok(start(made.session_id, { text: 'dig' }, under(epoch)))).toMatchObject({ status: 'queued' });
  });

  it('opens no attached conversation in which nothing is asked', async () => {
    const attached = { agent: 'external', labels: ['attached'], session_id: 'claude.of-a-person' };
    await refusal(create({ ...attached, permissions: 'autonomous' }, { token: worker }), 403, 'scope_forbidden');
    expect(await ok(create(attached, { token: worker }))).toMatchObject({ permissions: 'approval' });
  });

  it('chooses no settings for the runs it starts', async () => {
    const { sessionId, epoch } = await leased();
    const child = await ok(create({ agent: 'claude', parent_session_id: sessionId }, under(epoch)));
    const open = { text: 'go on', permission_mode: 'bypassPermissions' };
    await refusal(start(child.session_id, open, under(epoch)), 403, 'scope_forbidden');
    await ok(start(child.session_id, { text: 'go on' }, under(epoch)));
  });

  it('sees the environment of a run only while it has claimed the work of its session', async () => {
    const { session_id } = await newSession(server, { agent: 'exec', labels: ['env'] });
    const input = { command: ['true'], env: { API_KEY: 'hunter2' } };
    const { run_id } = await startRun(server, session_id, { input });
    const token = (await server.makeToken('worker', undefined, { labels: ['env'] })).token;
    const shown = (reader: string) => ok(server.get<Fields>(`/v1/runs/${run_id}/input`, { token: reader }));
    const hidden = { command: ['true'], env: { API_KEY: '(hidden)' } };
    expect(await shown(worker)).toEqual(hidden);
    expect(await shown(token)).toEqual(hidden);
    const { run } = await ok(claimed('exec', { labels: ['env'] }, token));
    expect(run.run_id).toBe(run_id);
    expect(await shown(token)).toEqual(input);
    expect(await shown(worker)).toEqual(hidden);
  });

  it('reports to the parent of the session it has leased, and starts nothing in any other session', async () => {
    const parent = await newSession(server);
    const { epoch } = await leased({ parent_session_id: parent.session_id });
    await refusal(start(parent.session_id, { text: 'done' }, under(epoch, other)), 403, 'scope_forbidden');
    await ok(start(parent.session_id, { text: 'done' }, under(epoch)));
    const stranger = await newSession(server);
    await refusal(start(stranger.session_id, { text: 'done' }, under(epoch)), 403, 'scope_forbidden');
  });

  it('ends children of the session it has leased and no other session', async () => {
    const { agent, sessionId, epoch } = await leased();
    const child = await ok(create({ agent, parent_session_id: sessionId }, under(epoch)));
    const stranger = await newSession(server);
    const end = (id: string) => server.post(`/v1/sessions/${id}/end`, {}, under(epoch));
    await refusal(end(stranger.session_id), 403, 'scope_forbidden');
    await ok(end(child.session_id));
  });

  it('says, asks and ends only in runs that it has claimed', async () => {
    const { runId, epoch } = await leased();
    const at = (verb: string) => `/v1/runs/${runId}/${verb}`;
    for (const options of [{ token: worker }, under(epoch, other)]) {
      await refusal(server.post(at('output'), { text: 'hello' }, options), 403, 'scope_forbidden');
      const question = { kind: 'question', tool_call_id: 'c', questions: [{ question: 'Which?' }] };
      await refusal(server.post(at('asks'), question, options), 403, 'scope_forbidden');
      await refusal(server.post(at('fail'), { error: 'gone' }, options), 403, 'scope_forbidden');
    }
    const beat = { worker_id: 'w', lease_epoch: epoch };
    await refusal(server.post(at('heartbeat'), beat, { token: other }), 403, 'scope_forbidden');
    await refusal(server.post(at('release'), beat, { token: other }), 403, 'scope_forbidden');
    await ok(server.post(at('heartbeat'), beat, { token: worker }));
    await ok(server.post(at('complete'), { text: 'done' }, under(epoch)));
  });

  it('claims only work that the labels of its token cover', async () => {
    const body = { scope: 'worker', labels: ['gpu', 'lab'] };
    const { token, labels } = await ok(server.post<{ token: string; labels: string[] }>('/v1/tokens', body));
    expect(labels).toEqual(['gpu', 'lab']);
    const { session_id } = await newSession(server, { agent: 'labelled', labels: ['gpu'] });
    const run = await startRun(server, session_id);
    await refusal(claimed('labelled', { labels: ['gpu'] }), 403, 'scope_forbidden');
    await refusal(claimed('labelled', { labels: ['gpu', 'arm'] }, token), 403, 'scope_forbidden');
    await refusal(claimed('labelled', { labels: [] }, token), 403, 'scope_forbidden');
    expect((await ok(claimed('labelled', {}, token))).run.run_id).toBe(run.run_id);
    await refusal(server.post('/v1/tokens', { scope: 'viewer', labels: ['gpu'] }), 400, 'invalid_token_request');
  });

  it('gives the built-in worker what people and its own agents started, never what another worker started', async () => {
    await server.gateway.presetToken('builtin-secret', 'worker', 'worker:builtin');
    const { agent, sessionId, epoch } = await leased();
    const child = await ok(create({ agent, parent_session_id: sessionId }, under(epoch)));
    const foreign = await ok(start(child.session_id, { text: 'dig' }, under(epoch)));
    const { session_id } = await newSession(server, { agent });
    const own = await startRun(server, session_id);
    const next = async (token: string) => (await claimed(agent, {}, token)).body?.run?.run_id;
    expect(await next('builtin-secret')).toBe(own.run_id);
    expect(await next('builtin-secret')).toBeUndefined();
    expect(await next(other)).toBe(foreign.run_id);
  });

  it('serves attached agents in sessions that it created itself, and a server’s own worker in all of them', async () => {
    await server.gateway.presetToken('builtin-secret', 'worker', 'worker:builtin');
    const body = { session_id: 'codex-own-1', agent: 'external', agent_id: 'codex', labels: ['attached', 'at=1'] };
    const { session_id } = await ok(create(body, { token: worker }));
    const turn = { input: { text: 'a turn' }, source: 'codex' };
    const begin = (token: string) => server.post<RunView>(`/v1/sessions/${session_id}/runs`, turn, { token });
    await refusal(begin(other), 403, 'scope_forbidden');
    await refusal(create(body, { token: other }), 403, 'scope_forbidden');
    const { run_id } = await ok(begin(worker));
    const ask = await raiseQuestion(server, run_id);
    const withdraw = (token: string) => server.post(`/v1/asks/${ask.ask_id}/withdraw`, {}, { token });
    await refusal(withdraw(other), 403, 'scope_forbidden');
    await ok(withdraw('builtin-secret'));
    await ok(server.post(`/v1/runs/${run_id}/complete`, {}, { token: worker }));
  });

  it('lets a new worker token take up the attached conversations of a revoked one', async () => {
    const before = await server.makeToken('worker');
    const body = { session_id: 'codex-own-2', agent: 'external', agent_id: 'codex', labels: ['attached'] };
    await ok(create(body, { token: before.token }));
    await refusal(create(body, { token: other }), 403, 'scope_forbidden');
    await ok(server.call('DELETE', `/v1/tokens/${before.token_id}`));
    await ok(create(body, { token: other }));
  });
});

describe('finding 10: secret answers and acknowledgements belong to the holder of the lease', () => {
  const SECRET = { id: 'pass', question: 'Password?', secret: true };
  const given = [{ question_id: 'pass', freeform_answer: 'hunter2' }];
  const shown = async (askId: string, options: object) =>
    JSON.stringify((await ok(server.get<AskView>(`/v1/asks/${askId}`, options))).answer);

  it('shows a secret of an external session to no worker', async () => {
    const h = await held(server, { questions: [SECRET] });
    await ok(answer(server, h, given));
    for (const options of [{ token: worker }, under(1)])
      expect(await shown(h.ask.ask_id, options)).not.toMatch(/hunter2/);
    for (const verb of ['sent', 'delivered', 'undeliverable'])
      await refusal(server.post(`/v1/asks/${h.ask.ask_id}/${verb}`, {}, { token: worker }), 403, 'scope_forbidden');
    const agent = (await server.makeToken('agent', h.sessionId)).token;
    expect(await shown(h.ask.ask_id, { token: agent })).toMatch(/hunter2/);
  });

  it('shows a secret of a conversation that a person attached to no worker', async () => {
    const body = { session_id: 'acp.editor', agent: 'external', agent_id: 'acp', labels: ['attached'] };
    const { session_id } = await ok(create(body, {}));
    const turn = { input: { text: 'a turn' }, source: 'acp' };
    const { run_id } = await ok(server.post<RunView>(`/v1/sessions/${session_id}/runs`, turn));
    const { ask_id } = await raiseQuestion(server, run_id, { questions: [SECRET] });
    const resolution = { request_id: ask_id, answers: given };
    await ok(server.post(`/v1/runs/${run_id}/questions`, { resolution }));
    expect(await shown(ask_id, { token: worker })).not.toContain('hunter2');
  });

  it('shows a secret of a hosted run to the worker that sends its lease, which alone settles the ask', async () => {
    const { runId, epoch } = await leased();
    const ask = await raiseQuestion(server, runId, { questions: [SECRET] });
    const pending = await raiseQuestion(server, runId);
    await refusal(server.post(`/v1/asks/${pending.ask_id}/withdraw`, {}, { token: worker }), 403, 'scope_forbidden');
    await refusal(server.post(`/v1/asks/${pending.ask_id}/withdraw`, {}, under(epoch, other)), 403, 'scope_forbidden');
    await ok(server.post(`/v1/asks/${pending.ask_id}/withdraw`, {}, under(epoch)));
    const resolution = { request_id: ask.ask_id, answers: given };
    await ok(server.post(`/v1/runs/${runId}/questions`, { resolution }));
    for (const options of [{ token: worker }, under(epoch, other)])
      expect(await shown(ask.ask_id, options)).not.toMatch(/hunter2/);
    await refusal(server.post(`/v1/asks/${ask.ask_id}/delivered`, {}, under(epoch, other)), 403, 'scope_forbidden');
    await refusal(server.post(`/v1/asks/${ask.ask_id}/delivered`, {}, under(epoch + 1)), 409, 'lease_lost');
    expect(await shown(ask.ask_id, under(epoch))).toMatch(/hunter2/);
    await ok(server.post(`/v1/asks/${ask.ask_id}/delivered`, {}, under(epoch)));
  });
});

describe('finding 22: the run’s own token leaves to the worker what the worker raised', () => {
  const approval = (id = 'call') => ({
    kind: 'approval',
    tool_call_id: id,
    tool_name: 'Bash',
    input: { command: 'make' },
  });

  it('neither withdraws nor acknowledges an ask of its worker', async () => {
    const { runId, epoch, own } = await leased();
    const raised = await ok(server.post<AskView>(`/v1/runs/${runId}/asks`, approval(), under(epoch)));
    expect(raised.raised_by).toBe('worker');
    const settle = (verb: string, options: object) => server.post(`/v1/asks/${raised.ask_id}/${verb}`, {}, options);
    await refusal(settle('withdraw', own), 403, 'scope_forbidden');
    const denial = { resolutions: [{ request_id: raised.ask_id, behavior: 'deny', reason: 'no' }] };
    await ok(server.post(`/v1/runs/${runId}/approvals`, denial));
    for (const verb of ['sent', 'delivered', 'undeliverable']) await refusal(settle(verb, own), 403, 'scope_forbidden');
    await ok(settle('delivered', under(epoch)));
    const mine = await ok(server.post<AskView>(`/v1/runs/${runId}/asks`, approval('mine'), own));
    expect(mine.raised_by).toBe('agent');
    await ok(server.post(`/v1/asks/${mine.ask_id}/withdraw`, {}, own));
  });

  it('does not end its run under the worker', async () => {
    const { runId, epoch, own } = await leased();
    await refusal(server.post(`/v1/runs/${runId}/complete`, { text: 'done' }, own), 403, 'scope_forbidden');
    await refusal(server.post(`/v1/runs/${runId}/fail`, { error: 'gone' }, own), 403, 'scope_forbidden');
    await ok(server.post(`/v1/runs/${runId}/complete`, { text: 'done' }, under(epoch)));
  });

  it('has no screen at which a person could have replied, neither to a question nor to an approval', async () => {
    const { runId, epoch, own } = await leased();
    const question = { kind: 'question', tool_call_id: 'q', questions: [{ id: 'q', question: 'Which?' }] };
    for (const body of [question, approval()]) {
      const { ask_id } = await ok(server.post<AskView>(`/v1/runs/${runId}/asks`, body, under(epoch)));
      const result = { action: 'accept', content: { q: 'this', behavior: 'allow' } };
      const reply = { jsonrpc: '2.0', id: `elicit:${ask_id}:${Date.now()}-${crypto.randomUUID()}`, result };
      const headers = { 'mcp-session-id': 'elicits-1', accept: 'application/json, text/event-stream' };
      expect((await server.raw('POST', '/mcp', JSON.stringify(reply), { ...own, headers })).status).toBe(202);
      expect(await ok(server.get<AskView>(`/v1/asks/${ask_id}`))).toMatchObject({ status: 'pending' });
    }
  });
});

describe('finding 15: a program in a hosted run raises no twin of what its worker asks', () => {
  const approval = (id: string) => ({
    kind: 'approval',
    tool_call_id: id,
    tool_name: 'Bash',
    input: { command: 'make' },
  });

  it('is refused the call ids of its worker, and ids like those of repeated asks', async () => {
    const { runId, epoch, own } = await leased();
    const raise = (id: string, options: object) =>
      server.post<AskView>(`/v1/runs/${runId}/asks`, approval(id), options);
    await ok(raise('call', under(epoch)));
    for (const id of ['call', 'call#1', 'call~2', 'call~1700000000000'])
      await refusal(raise(id, own), 403, 'scope_forbidden');
    await ok(raise('another', own));
  });

  it('does not answer for its worker by asking first under the same call id', async () => {
    const { runId, epoch, own } = await leased();
    const raise = (options: object) => server.post<AskView>(`/v1/runs/${runId}/asks`, approval('next'), options);
    const first = await ok(raise(own));
    await ok(
      server.post(`/v1/runs/${runId}/approvals`, { resolutions: [{ request_id: first.ask_id, behavior: 'allow' }] }),
    );
    const second = await ok(raise(under(epoch)));
    expect(second).toMatchObject({ status: 'pending', raised_by: 'worker' });
    expect((await ok(raise(under(epoch)))).ask_id).toBe(second.ask_id);
  });
});
