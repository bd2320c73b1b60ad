// Comments in a storm, at the limits, in a race with the answer, and over kill -9 of the server: the ask has one end, given by
// an answer, and what was written reaches the agent that waits.
// Covers: src/gateway/comment.ts, src/client/comment-reader.ts
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { connect } from '../../src/client/holdpoint.ts';
import { MOST_COMMENTS } from '../../src/core/activity.ts';
import type { AskView } from '../../src/core/views.ts';
import { allow, decide, eventsOfSession, held, ok, refusal, showAsk } from '../support/api-calls.ts';
import { endEverything, startHoldpoint } from '../support/process.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
afterAll(endEverything);

const say = (ask: AskView, text: string, token = server.token) =>
  server.post(`/v1/asks/${ask.ask_id}/comments`, { text }, { token });
const approval = { kind: 'approval', takes_comments: true } as const;

it('leaves one end to an approval that is decided in a storm of comments, and shows it to the agent once', async () => {
  const { ask, sessionId, runId } = await held(server, approval);
  const { token } = await server.makeToken('agent', sessionId);
  const waiting = server.get<AskView>(`/v1/asks/${ask.ask_id}?wait_ms=20000&comments_read=1000`, { token });
  const storm = Array.from({ length: 40 }, (_, n) => say(ask, n % 2 ? 'yes' : 'allow', n % 3 ? undefined : token));
  await ok(decide(server, runId, { request_id: ask.ask_id, behavior: 'deny', reason: 'no' }));
  const statuses = (await Promise.all(storm)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
  expect(await ok(waiting)).toMatchObject({ status: 'answered', answer: { behavior: 'deny' } });
  const events = await eventsOfSession(server, sessionId);
  expect(events.filter(({ type }) => type === 'ask.claimed')).toHaveLength(1);
  const claimed = events.findIndex(({ type }) => type === 'ask.claimed');
  expect(events.slice(claimed).map(({ type }) => type)).not.toContain('ask.commented');
  const { comments = [] } = await showAsk(server, ask.ask_id);
  expect(comments).toHaveLength(statuses.filter((status) => status === 201).length);
});

it('stays answerable at the limits of comments', async () => {
  const { ask, runId, sessionId } = await held(server, approval);
  const { token } = await server.makeToken('agent', sessionId);
  for (let n = 0; n < MOST_COMMENTS; n++) await ok(say(ask, `because ${n}`, token));
  await refusal(say(ask, 'because', token), 409, 'ask_state_conflict');
  // The agent has used up its own limit, not that of people.
  await ok(say(ask, 'why?'));
  await ok(decide(server, runId, allow(ask.ask_id)));
  const long = await held(server, approval);
  for (let n = 0; n < 10; n++) await ok(say(long.ask, 'x'.repeat(10_000)));
  await refusal(say(long.ask, 'y'), 409, 'ask_state_conflict');
  await refusal(say(long.ask, 'x'.repeat(10_001)), 400, 'invalid_request');
  await ok(decide(server, long.runId, allow(long.ask.ask_id)));
});

it('passes on what was written before kill -9 of the server, once, and not what had a reply', async () => {
  const first = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  const before = connect({ url: first.url, token: first.token });
  const spec = { id: 'import', question: 'Overwrite?' };
  const { ask_id } = await before.raise(spec);
  const people = createClient({ url: first.url, token: first.token });
  await people.asks.comment(ask_id, 'old');
  await people.asks.comment(ask_id, 'replied', { role: 'agent' });
  await people.asks.comment(ask_id, 'yes, overwrite');
  await first.end('SIGKILL');
  before.close();
  const second = await startHoldpoint({ via: 'main', args: ['--no-worker'], data: first.data });
  const after = connect({ url: second.url, token: second.token });
  const heard: string[] = [];
  const asked = after.ask({ ...spec, onComment: (text) => `${heard.push(text)} heard` });
  const { asks, questions } = createClient({ url: second.url, token: second.token });
  const said = async () => (await asks.get(ask_id)).comments?.map(({ role, text }) => `${role}: ${text}`);
  await expect
    .poll(said, { timeout: 30_000 })
    .toEqual(['person: old', 'agent: replied', 'person: yes, overwrite', 'agent: 1 heard']);
  const { run_id, status } = await asks.get(ask_id);
  expect([status, heard]).toEqual(['pending', ['yes, overwrite']]);
  const answers = [{ question_id: 'question-1', freeform_answer: 'no' }];
  await questions.answerRun(run_id, { resolution: { request_id: ask_id, answers } });
  expect(await asked).toMatchObject({ status: 'answered', answer: 'no' });
  after.close();
});
