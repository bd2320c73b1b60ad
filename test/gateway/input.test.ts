// Posts that answer nothing: input for the next run. Queued posts share one run, start it by themselves, and are worked
// on once.
import { expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import {
  answer,
  type Fields,
  held,
  newSession,
  ok,
  picks,
  raiseQuestion,
  refusal,
  showAsk,
  showRun,
  showSession,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { chat, itemsOf, post } from '../support/thread.ts';

const server = serverForAll();

const inputOf = (runId = ''): Promise<Fields> => ok(server.get<Fields>(`/v1/runs/${runId}/input`));
const complete = (runId: string) => ok(server.post<RunView>(`/v1/runs/${runId}/complete`));
const claim = (agent = 'mock') =>
  ok(
    server.post<{ run: RunView; input: Fields } | null>('/v1/workers/claim', {
      worker_id: 'w',
      agents: [{ name: agent, recovery: 'none' }],
    }),
  );

it('starts a run with a post when the slot is free', async () => {
  const { session_id } = await newSession(server);
  const item = await ok(post(server, session_id, 'fix the build'));
  expect(item.ask_id).toBeUndefined();
  expect(await showRun(server, item.run_id ?? '')).toMatchObject({
    status: 'running',
    kind: 'input',
    request: { source: 'thread', actor_id: 'operator', text_preview: 'fix the build' },
  });
  expect(await inputOf(item.run_id)).toEqual({ text: 'fix the build', item_ids: [item.item_id] });
  expect(await chat(server, session_id)).toEqual(['operator: fix the build']);
});

it('refuses a post to a session that a person drives at the terminal of the agent', async () => {
  const { session_id } = await newSession(server, { labels: ['attached'] });
  const { detail } = await refusal(post(server, session_id, 'and now?'), 409, 'thread_takes_no_input');
  expect(detail).toContain('Type it there.');
  expect(await chat(server, session_id)).toEqual([]);
  expect(await showSession(server, session_id)).toMatchObject({ status: 'idle', queued_run_ids: [] });
});

it('refuses a run that an operator starts in a session driven at the terminal, and leaves its key free for the agent', async () => {
  const { session_id } = await newSession(server, { agent_id: 'claude', labels: ['attached'] });
  const input = { text: 'and now?' };
  const headers = { 'Idempotency-Key': 'turn:1' };
  const start = (body: Fields) => server.post<RunView>(`/v1/sessions/${session_id}/runs`, body, { headers });
  for (const source of [undefined, 'cli', 'web']) await refusal(start({ input, source }), 409, 'thread_takes_no_input');
  expect(await showSession(server, session_id)).toMatchObject({ status: 'idle', queued_run_ids: [] });
  const run = await ok(start({ input, source: 'claude' }));
  expect(run).toMatchObject({ status: 'running', request: { source: 'claude' } });
  expect((await ok(start({ input, source: 'claude' }))).run_id).toBe(run.run_id);
  await refusal(start({ input, source: 'cli' }), 409, 'idempotency_conflict');
});

it('joins posts that wait for the slot in order with a blank line, also over a restart', async () => {
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const posted = [];
  for (const text of ['first', ' second ', 'third']) {
    posted.push(await ok(post(server, session_id, text)));
    await server.restart();
  }
  expect(new Set(posted.map((item) => item.run_id)).size).toBe(1);
  const next = posted[0]?.run_id ?? '';
  expect((await showRun(server, next)).status).toBe('queued');
  await complete(run_id);
  expect((await showRun(server, next)).status).toBe('running');
  expect(await inputOf(next)).toEqual({
    text: 'first\n\n second \n\nthird',
    item_ids: posted.map((item) => item.item_id),
  });
  const fourth = await ok(post(server, session_id, 'fourth'));
  expect(fourth.run_id).not.toBe(next);
  await complete(next);
  expect(await inputOf(fourth.run_id)).toMatchObject({ text: 'fourth' });
  expect((await showSession(server, session_id)).queued_run_ids).toEqual([]);
});

it('does not join a post to the queued run of another caller', async () => {
  const { session_id } = await newSession(server);
  const [active, queued] = [await startRun(server, session_id), await startRun(server, session_id)];
  const item = await ok(post(server, session_id, 'and this'));
  expect((await showSession(server, session_id)).queued_run_ids).toEqual([queued.run_id, item.run_id]);
  await complete(active.run_id);
  expect(await inputOf(queued.run_id)).toEqual({ text: 'fix the build' });
});

it('adds no post to a run that a worker has claimed', async () => {
  const { session_id } = await newSession(server, { agent: 'mock' });
  await ok(post(server, session_id, 'one'));
  const second = await ok(post(server, session_id, 'two'));
  const claimed = await claim();
  expect(claimed?.run.run_id).toBe(second.run_id);
  expect(claimed?.input.text).toBe('one\n\ntwo');
  const third = await ok(post(server, session_id, 'three'));
  expect(third.run_id).not.toBe(second.run_id);
  await complete(second.run_id ?? '');
  expect((await claim())?.input.text).toBe('three');
});

it('works on every one of many concurrent posts once', async () => {
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const texts = Array.from({ length: 20 }, (_, n) => `post ${n}`);
  const [first] = await Promise.all(texts.map((text) => ok(post(server, session_id, text))));
  await complete(run_id);
  const said = (await itemsOf(server, session_id)).filter((item) => item.author.role === 'user').slice(1);
  const input = await inputOf(first?.run_id);
  expect(input.item_ids).toEqual(said.map((item) => item.item_id));
  expect(String(input.text).split('\n\n').sort()).toEqual([...texts].sort());
});

it('begins another run where the joined input grows too long', async () => {
  const { session_id } = await newSession(server);
  await startRun(server, session_id);
  const runs = [];
  for (const letter of ['a', 'b', 'c', 'd'])
    runs.push((await ok(post(server, session_id, letter.repeat(190_000)))).run_id);
  expect([runs[0] === runs[1], runs[1] === runs[2], runs[2] === runs[3]]).toEqual([true, false, true]);
});

it('refuses a post to a session that has ended, that runs commands, or that is unknown', async () => {
  const { session_id } = await newSession(server);
  await ok(server.post(`/v1/sessions/${session_id}/end`));
  await refusal(post(server, session_id, 'hello'), 409, 'session_ended');
  const exec = await newSession(server, { agent: 'exec' });
  await refusal(post(server, exec.session_id, 'hello'), 409, 'thread_takes_no_input');
  await refusal(post(server, 'nobody', 'hello'), 404, 'thread_not_found');
  await refusal(post(server, 'system', 'hello'), 400, 'invalid_request');
});

it('refuses a command that is one string, before anything is started', async () => {
  const { session_id } = await newSession(server, { agent: 'exec' });
  const start = server.post(`/v1/sessions/${session_id}/runs`, { input: { command: 'ls -l' } });
  const { detail } = await refusal(start, 400, 'invalid_request');
  expect(detail).toContain('must be an array with one string for each argument, such as ["ls", "-l"]');
  await startRun(server, session_id, { input: { command: ['ls', '-l'] } });
});

it('names the command of a dispatch in lists', async () => {
  const { session_id } = await newSession(server, { agent: 'exec' });
  const run = await startRun(server, session_id, { input: { command: ['make', 'all targets'] } });
  expect(run.request.text_preview).toBe('make all targets');
});

it('takes a post as input again after the prompt was resolved', async () => {
  const h = await held(server);
  await ok(post(server, h.sessionId, '1'));
  await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
  const item = await ok(post(server, h.sessionId, 'and then the tests'));
  expect(item.ask_id).toBeUndefined();
  expect(await inputOf(item.run_id)).toMatchObject({ text: 'and then the tests' });
});

it('takes a message to the session as a post', async () => {
  const { session_id } = await newSession(server);
  const { run_id } = await startRun(server, session_id);
  const message = await ok(server.post<RunView>(`/v1/sessions/${session_id}/messages`, { text: 'by message' }));
  const item = await ok(post(server, session_id, 'by thread'));
  expect(item.run_id).toBe(message.run_id);
  await complete(run_id);
  expect(await inputOf(message.run_id)).toMatchObject({ text: 'by message\n\nby thread' });
  expect((await chat(server, session_id)).slice(1, 3)).toEqual(['operator: by message', 'operator: by thread']);
});

it('shows the input of a run in the thread once, with its author', async () => {
  const { session_id } = await newSession(server);
  const run = await startRun(server, session_id, { input: { text: ' first\nof all ' } });
  const [opening] = await itemsOf(server, session_id);
  expect(opening).toEqual({
    item_id: expect.any(String),
    thread_id: `thr_${session_id}`,
    author: { role: 'user', name: 'operator' },
    content: [{ type: 'text', text: ' first\nof all ' }],
    run_id: run.run_id,
    created_at_ms: expect.any(Number),
  });
  const { token } = await server.makeToken('agent', session_id, { name: 'helper' });
  for (const input of [{}, { text: ' ' }, { text: 'by the agent itself' }])
    await ok(server.post(`/v1/sessions/${session_id}/runs`, { input }, { token }));
  const items = await itemsOf(server, session_id);
  expect(items).toHaveLength(2);
  expect(items[1]).toMatchObject({ author: { role: 'worker', name: 'helper' }, metadata: { type: 'text' } });
  await ok(post(server, session_id, 'and this'));
  expect((await chat(server, session_id)).slice(1)).toEqual(['by the agent itself', 'operator: and this']);
});

it('takes a message as the answer to the open prompt of the thread', async () => {
  const h = await held(server);
  const say = (text: string) => server.post<RunView>(`/v1/sessions/${h.sessionId}/messages`, { text });
  expect(await ok(say('2'))).toMatchObject({ run_id: h.runId, status: 'running' });
  expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ answers: picks('local'), surface: 'api' });
  const late = await ok(say('1'));
  expect(late).toMatchObject({ kind: 'input', status: 'queued' });
  expect((await ok(post(server, h.sessionId, '1'))).winner).toMatchObject({ answered_by: 'operator' });
  expect((await chat(server, h.sessionId)).slice(0, 2)).toEqual(['? Which provider?', 'operator: 2']);
  await ok(server.post(`/v1/asks/${h.ask.ask_id}/delivered`));
  await ok(say('and then the tests'));
  expect(await inputOf(late.run_id)).toMatchObject({ text: '1\n\n1\n\nand then the tests' });
});

it('queues a post that arrives while the answer of a form is carried for the run after it', async () => {
  const h = await held(server, { mode: 'form' });
  await refusal(post(server, h.sessionId, 'too early'), 409, 'pending_interactive_form');
  await ok(answer(server, h));
  expect((await showAsk(server, h.ask.ask_id)).delivery.state).toBe('due');
  const item = await ok(post(server, h.sessionId, 'and then the tests'));
  expect(item.ask_id).toBeUndefined();
  expect((await showRun(server, item.run_id ?? '')).status).toBe('queued');
  const structured = { prompt: { prompt_id: h.ask.ask_id, answers: [{ answer: ['Local'] }] } };
  await refusal(post(server, h.sessionId, 'x', structured), 409, 'question_state_conflict');
});

it('returns the carrying run to a message that answers the last ask of a run', async () => {
  const h = await held(server, { kind: 'approval' });
  const last = await raiseQuestion(server, h.runId, { mode: 'restart' });
  await ok(answer(server, { ...h, ask: last }));
  const run = await ok(server.post<RunView>(`/v1/sessions/${h.sessionId}/messages`, { text: 'yes' }));
  expect(run).toMatchObject({ kind: 'dispatch', status: 'running', resumes_run_id: h.runId });
});
