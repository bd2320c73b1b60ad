// Corners that once let something slip: tokens that end while they wait, question ids that are names of Object's own,
// damaged rows, pages too large to show, answers nobody is left to take.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView } from '../../src/core/views.ts';
import {
  answer,
  clarify,
  family,
  held,
  newSession,
  ok,
  picks,
  raiseApproval,
  refusal,
  showAsk,
  showRun,
  startRun,
} from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const turns = () => new Promise((resolve) => setTimeout(resolve, 100));

it('a token revoked while it waits for an answer does not get it', async () => {
  const h = await held(server, { questions: [{ id: 'a', question: 'Password?', secret: true }] });
  const agent = await server.makeToken('agent', h.sessionId);
  const waiting = server.get(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`, { token: agent.token });
  await turns();
  await ok(server.call('DELETE', `/v1/tokens/${agent.token_id}`));
  await ok(answer(server, h, [{ question_id: 'a', freeform_answer: 'hush' }]));
  const problem = await refusal(waiting, 401, 'unauthenticated');
  expect(JSON.stringify(problem)).not.toContain('hush');
});

it('a worker whose token was revoked while it waited for work gets none', async () => {
  const session = await newSession(server, { agent: 'rare' });
  const worker = await server.makeToken('worker');
  const body = { worker_id: 'w', agents: [{ name: 'rare', recovery: 'none' }], wait_ms: 20_000 };
  const waiting = server.post('/v1/workers/claim', body, { token: worker.token });
  await turns();
  await ok(server.call('DELETE', `/v1/tokens/${worker.token_id}`));
  const run = await startRun(server, session.session_id);
  await refusal(waiting, 401, 'unauthenticated');
  expect((await showRun(server, run.run_id)).status).toBe('queued');
});

it('questions may be called like members of Object, secret or beside a secret', async () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const questions = names.map((id, i) => ({ id, question: 'What?', secret: i !== 1 }));
  const h = await held(server, { questions });
  const given = names.map((id) => ({ question_id: id, freeform_answer: `answer of ${id}` }));
  await ok(answer(server, h, given));
  const { token } = await server.makeToken('agent', h.sessionId);
  const seen = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}`, { token }));
  expect(seen.answer?.answers?.map((a) => [a.question_id, a.freeform_answer])).toEqual(
    names.map((id) => [id, `answer of ${id}`]),
  );
});

it('a damaged row is a named problem by itself and is left out of lists; the rest goes on, over a restart too', async () => {
  const own = await openServer();
  try {
    const [bad, good] = [await held(own), await held(own)];
    await own.restart(() => {
      const db = new DatabaseSync(join(own.folder, 'holdpoint.db'));
      db.prepare(`UPDATE asks SET content = '{"broken', expires_at = 1 WHERE id = ?`).run(bad.ask.ask_id);
      db.close();
    });
    const listed = await ok(own.get<AskView[]>('/v1/asks?status=pending'));
    expect(listed.map((a) => a.ask_id)).toEqual([good.ask.ask_id]);
    const one = await own.get(`/v1/asks/${bad.ask.ask_id}`);
    expect([one.status, (JSON.parse(one.text) as { code: string }).code]).toEqual([500, 'record_unreadable']);
    expect(one.text).toContain(bad.ask.ask_id);
    await ok(answer(own, good, picks('local')));
  } finally {
    await own.close();
  }
});

it('pages, runs and sessions stop showing before they grow without bound; every ask is still found', async () => {
  const session = await newSession(server);
  const run = await startRun(server, session.session_id);
  const input = { command: 'x'.repeat(900_000) };
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) ids.push((await raiseApproval(server, run.run_id, { input })).ask_id);
  const view = await showRun(server, run.run_id);
  expect(view.pending_approval_ids).toEqual(ids);
  expect(view.pending_approvals.length).toBeLessThan(ids.length);
  const found: string[] = [];
  for (let path = `/v1/asks?session_id=${session.session_id}&limit=500`; path !== ''; ) {
    const page = await server.get<AskView[]>(path);
    expect(page.text.length).toBeLessThan(8_000_000);
    found.push(...page.body.map((a) => a.ask_id));
    path = /<([^>]+)>/.exec(String(page.headers.link ?? ''))?.[1] ?? '';
  }
  expect(found).toEqual(ids);
});

it('only the child’s mail delivers a clarification', async () => {
  const f = await family(server);
  const asked = await clarify(server, f.childRunId);
  await ok(
    server.post(`/v1/runs/${asked.run_id}/questions`, {
      resolution: { request_id: asked.request_id, answers: picks('openai') },
    }),
  );
  for (const way of ['delivered', 'undeliverable'])
    await refusal(server.post(`/v1/asks/${asked.request_id}/${way}`, {}), 409, 'ask_state_conflict');
});

it('a replayed agent asks anew what died with its worker', async () => {
  const session = await newSession(server, { agent: 'replayer' });
  const run = await startRun(server, session.session_id);
  const body = { worker_id: 'w', agents: [{ name: 'replayer', recovery: 'replay' }], lease_ms: 1000 };
  await ok(server.post<ClaimedRunView>('/v1/workers/claim', body));
  const first = await raiseApproval(server, run.run_id, { tool_call_id: 'call_1' });
  server.advance(2000);
  // It stays answerable until a worker for its agent is there again.
  await expect.poll(async () => (await server.post('/v1/workers/claim', body)).status, { timeout: 20_000 }).toBe(200);
  expect(await showAsk(server, first.ask_id)).toMatchObject({
    status: 'cancelled',
    answer: { behavior: 'deny', reason: 'worker_restart' },
  });
  const again = await raiseApproval(server, run.run_id, { tool_call_id: 'call_1' });
  expect([again.status, again.ask_id === first.ask_id]).toEqual(['pending', false]);
});

it('an answer that no run will carry, and no process will take, is given up by name', async () => {
  const session = await newSession(server);
  const run = await startRun(server, session.session_id);
  const raise = (fields: object) =>
    ok(server.post<AskView>(`/v1/runs/${run.run_id}/asks`, { kind: 'question', ...fields }));
  await raise({ tool_call_id: 'b', questions: [{ id: 'q', question: 'Q?' }] });
  const form = await raise({ tool_call_id: 'f', mode: 'form', questions: [{ id: 'q', question: 'Q?' }] });
  const resolution = { request_id: form.ask_id, answers: [{ question_id: 'q', freeform_answer: 'x' }] };
  await ok(server.post<RunView>(`/v1/runs/${run.run_id}/questions`, { resolution }));
  await ok(server.post(`/v1/runs/${run.run_id}/cancel`, {}));
  expect((await showAsk(server, form.ask_id)).delivery.state).toBe('undeliverable');
});

it('an agent can read its whole input, other agents cannot', async () => {
  const session = await newSession(server);
  const input = { text: 'y'.repeat(1000), data: { k: 1 } };
  const run = await ok(server.post<RunView>(`/v1/sessions/${session.session_id}/runs`, { input }));
  const own = await server.makeToken('agent', session.session_id);
  const other = await server.makeToken('agent', (await newSession(server)).session_id);
  expect(await ok(server.get(`/v1/runs/${run.run_id}/input`, { token: own.token }))).toEqual(input);
  await refusal(server.get(`/v1/runs/${run.run_id}/input`, { token: other.token }), 403, 'session_forbidden');
});

it('a child never asks less than its parent', async () => {
  const parent = await newSession(server);
  const child = { agent: 'external', parent_session_id: parent.session_id, permissions: 'autonomous' };
  await refusal(server.post('/v1/sessions', child), 409, 'session_conflict');
});
