// A secret answer is readable by the agent until it acknowledges it. People see that it was given, never its value; it is
// in no event, thread, list, export or file.
// Covers: src/gateway/views.ts, src/store/sealer.ts
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AskView, ClaimedRunView, RunView } from '../../src/core/views.ts';
import {
  answer,
  type Held,
  held,
  NOTES,
  newSession,
  ok,
  ROUTING,
  refusal,
  resolution,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
let viewer: string;
let worker: string;
beforeAll(async () => {
  viewer = (await server.makeToken('viewer')).token;
  worker = (await server.makeToken('worker')).token;
});

const PASSWORD = 'correct-horse-battery-staple-0451';
const SECRET = { id: 'pass', question: 'Password?', secret: true };
const given = (id = 'pass', text = PASSWORD) => [{ question_id: id, freeform_answer: text }];
const MARK = [{ question_id: 'pass', secret: true }];

const heldOnSecret = (fields = {}): Promise<Held> => held(server, { questions: [SECRET], ...fields });
const agentOf = async (h: Held) => (await server.makeToken('agent', h.sessionId)).token;
const answersFor = async (askId: string, token: string) =>
  (await ok(server.get<AskView>(`/v1/asks/${askId}`, { token }))).answer?.answers;

describe('a secret answer', () => {
  it('is readable with the token of the agent until it is acknowledged, and with no token afterwards', async () => {
    const h = await heldOnSecret();
    const agent = await agentOf(h);
    await ok(answer(server, h, given()));
    expect(await answersFor(h.ask.ask_id, agent)).toMatchObject([{ question_id: 'pass', freeform_answer: PASSWORD }]);
    const acked = await server.post(`/v1/asks/${h.ask.ask_id}/delivered`, {}, { token: agent });
    expect(acked.text).not.toContain(PASSWORD);
    for (const token of [agent, worker, viewer, server.token])
      expect(await answersFor(h.ask.ask_id, token)).toEqual(MARK);
  });

  it('is readable after a restart while it is due', async () => {
    const h = await heldOnSecret();
    await ok(answer(server, h, given()));
    await server.restart();
    expect(await answersFor(h.ask.ask_id, await agentOf(h))).toMatchObject([{ freeform_answer: PASSWORD }]);
  });

  it('is shown to operators and viewers as given, never with its value, on any path', async () => {
    const h = await heldOnSecret({ questions: [SECRET, NOTES] });
    const answers = [...given(), { question_id: 'notes', freeform_answer: 'plain' }];
    const replied = await answer(server, h, answers, { headers: { 'idempotency-key': 'k' } });
    expect(replied.text).not.toContain(PASSWORD);
    const paths = [
      `/v1/asks/${h.ask.ask_id}`,
      '/v1/asks?limit=500',
      `/v1/runs/${h.runId}`,
      `/v1/sessions/${h.sessionId}`,
      `/v1/runs/${h.runId}/events?limit=500`,
      '/v1/events?limit=500',
      `/v1/threads/thr_${h.sessionId}/items`,
    ];
    for (const token of [server.token, viewer])
      for (const path of paths) expect((await server.get(path, { token })).text, path).not.toContain(PASSWORD);
    expect(await answersFor(h.ask.ask_id, viewer)).toEqual([
      ...MARK,
      { question_id: 'notes', freeform_answer: 'plain' },
    ]);
    const events = await server.get(`/v1/runs/${h.runId}/events?limit=500`, { token: await agentOf(h) });
    expect(events.text).not.toContain(PASSWORD);
  });

  it('is in no file of the state folder in clear text or as a plain hash', async () => {
    const h = await heldOnSecret();
    await ok(answer(server, h, given(), { headers: { 'idempotency-key': 'k' } }));
    for (const name of readdirSync(server.folder))
      expect(readFileSync(join(server.folder, name)).includes(PASSWORD), name).toBe(false);
    const pin = await heldOnSecret();
    const reply = await answer(server, pin, given('pass', '0451'), { headers: { 'idempotency-key': 'k' } });
    expect(reply.status).toBe(202);
    const guess = {
      resolution: { request_id: pin.ask.ask_id, answers: given('pass', '0451') },
    };
    const { fingerprint } = await import('../../src/core/idempotency.ts');
    const text = fingerprint('POST /v1/runs/:run_id/questions', [pin.runId], guess, server.ports.hash);
    for (const name of readdirSync(server.folder))
      expect(readFileSync(join(server.folder, name)).includes(text), name).toBe(false);
  });

  it('is compared with a second answer without being stored in clear text', async () => {
    const h = await heldOnSecret();
    await ok(answer(server, h, given()));
    await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
    await ok(answer(server, h, given()));
    const problem = await refusal(answer(server, h, given('pass', 'other')), 409, 'question_state_conflict');
    expect(JSON.stringify(problem)).not.toContain(PASSWORD);
  });

  it('reveals nothing when it was declined', async () => {
    const h = await heldOnSecret();
    const body = { resolution: { request_id: h.ask.ask_id, declined: true } };
    await ok(server.post(`/v1/runs/${h.runId}/questions`, body));
    expect(await answersFor(h.ask.ask_id, worker)).toBeUndefined();
  });
});

describe.each(['form', 'restart'])('a secret answer in the mode %s', (mode) => {
  it('is fetched once by the run that carries it', async () => {
    const h = await heldOnSecret({ mode });
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, given())));
    expect(run).toMatchObject({ status: 'running', resumes_run_id: h.runId });
    expect(JSON.stringify(await server.ports.store.read((r) => r.get('run', run.run_id)))).not.toContain(PASSWORD);
    const agent = await agentOf(h);
    expect(await answersFor(h.ask.ask_id, agent)).toMatchObject([{ freeform_answer: PASSWORD }]);
    await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`, {}, { token: agent }));
    expect(await answersFor(h.ask.ask_id, agent)).toEqual(MARK);
  });

  it('is handed to the worker that claims the carrying run', async () => {
    const { session_id } = await newSession(server, { agent: `claude-${mode}` });
    const { run_id } = await startRun(server, session_id);
    const claim = () =>
      ok(
        server.post<ClaimedRunView>(
          '/v1/workers/claim',
          { worker_id: 'w1', agents: [{ name: `claude-${mode}`, recovery: 'resume' }] },
          { token: worker },
        ),
      );
    await claim();
    const ask = await ok(
      server.post<AskView>(`/v1/runs/${run_id}/asks`, {
        kind: 'question',
        mode,
        tool_call_id: 'c',
        questions: [SECRET],
      }),
    );
    await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id, given())));
    const next = await claim();
    expect(next.run.resumes_run_id).toBe(run_id);
    expect(next.due.map((a) => a.answer?.answers)).toMatchObject([[{ freeform_answer: PASSWORD }]]);
  });
});

it('refuses a secret question with options', async () => {
  const h = await held(server);
  const body = { kind: 'question', tool_call_id: 'c', questions: [{ ...ROUTING, secret: true }] };
  expect((await refusal(server.post(`/v1/runs/${h.runId}/asks`, body), 400, 'invalid_ask')).detail).toMatch(/secret/);
});

it('returns a token that was created under a key again, and stores it sealed', async () => {
  const make = () =>
    server.post<{ token: string }>('/v1/tokens', { scope: 'viewer' }, { headers: { 'idempotency-key': 'once' } });
  const first = await make();
  expect((await make()).text).toBe(first.text);
  for (const name of readdirSync(server.folder))
    expect(readFileSync(join(server.folder, name)).includes(first.body.token), name).toBe(false);
});

it('reveals secret answers to questions whose ids are names of Object members', async () => {
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
