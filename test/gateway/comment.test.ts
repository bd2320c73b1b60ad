// Comments, "I'm on it" and snooze: stored with the ask and in the log, shown on every surface, and never a decision.
// Covers: src/gateway/act.ts, src/core/activity.ts, src/server/routes/activity.ts, src/client/activity-calls.ts
import { describe, expect, it } from 'vitest';
import type { AskView, CommentView, ItemView } from '../../src/core/views.ts';
import { answer, eventsOfSession, held, ok, refusal, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const say = (askId: string, text: string, token?: string) =>
  server.post<CommentView>(`/v1/asks/${askId}/comments`, { text }, token === undefined ? {} : { token });
const approval = {
  kind: 'approval',
  tool_call_id: 'call',
  tool_name: 'Bash',
  input: { command: 'make' },
  takes_comments: true,
} as const;

describe('comment', () => {
  it.each(['yes', 'approve', 'allow', '1', 'deny'])(
    'leaves an approval pending whatever it says: "%s"',
    async (text) => {
      const { ask } = await held(server, approval);
      expect(await ok(say(ask.ask_id, text))).toMatchObject({ role: 'person', by: 'operator', text });
      expect(await showAsk(server, ask.ask_id)).toMatchObject({
        status: 'pending',
        takes_comments: true,
        comments: [{ text, role: 'person' }],
      });
    },
  );

  it('shows the agent the comment and everyone its reply, in the thread too', async () => {
    const { ask, sessionId } = await held(server, approval);
    const { token } = await server.makeToken('agent', sessionId, { name: 'bot' });
    const waiting = server.get<AskView>(`/v1/asks/${ask.ask_id}?wait_ms=20000&comments_read=0`, { token });
    await ok(say(ask.ask_id, 'why?'));
    expect(await ok(waiting)).toMatchObject({ status: 'pending', comments: [{ text: 'why?' }] });
    await ok(say(ask.ask_id, 'To build it.', token));
    const { comments = [] } = await showAsk(server, ask.ask_id);
    expect(comments.map(({ role, text }) => `${role}: ${text}`)).toEqual(['person: why?', 'agent: To build it.']);
    const items = await ok(server.get<ItemView[]>(`/v1/threads/${await threadOf(sessionId)}/items`));
    const shown = items.filter(({ metadata }) => metadata?.type === 'comment');
    expect(shown.map(({ author, content }) => [author.role, content[0]])).toEqual([
      ['user', { type: 'text', text: 'why?' }],
      ['worker', { type: 'text', text: 'To build it.' }],
    ]);
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  });

  it('is the reply of an own program where an operator says so, and never of a person for an agent', async () => {
    const { ask, sessionId } = await held(server, approval, { agent_id: 'importer' });
    const reply = { text: 'To build it.', role: 'agent' };
    const path = `/v1/asks/${ask.ask_id}/comments`;
    expect(await ok(server.post(path, reply))).toMatchObject({ role: 'agent', by: 'importer' });
    const { token } = await server.makeToken('agent', sessionId);
    await refusal(server.post(path, { text: 'yes', role: 'person' }, { token }), 400, 'invalid_request');
    expect(await ok(say(ask.ask_id, 'allow', token))).toMatchObject({ role: 'agent', by: 'importer' });
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  });

  it('is no reply of an operator where an agent or a worker asked', async () => {
    const { ask, runId, sessionId } = await held(server, approval);
    const { token } = await server.makeToken('agent', sessionId);
    const raise = (by: object, tool_call_id: string) =>
      ok(server.post<AskView>(`/v1/runs/${runId}/asks`, { ...approval, tool_call_id }, by));
    const reply = (askId: string) => server.post(`/v1/asks/${askId}/comments`, { text: 'It is safe.', role: 'agent' });
    const { ask_id } = await raise({ token }, 'of the agent');
    await refusal(reply(ask_id), 403, 'scope_forbidden');
    expect(await showAsk(server, ask_id)).not.toHaveProperty('comments');
    await ok(say(ask_id, 'To build it.', token));
    await ok(reply(ask.ask_id));
  });

  it('is made by "/comment" in a thread, about the open prompt only', async () => {
    const { ask, sessionId } = await held(server, approval);
    const path = `/v1/threads/${await threadOf(sessionId)}/items`;
    const post = (text: string, prompt?: object) =>
      server.post<ItemView>(path, { content: [{ type: 'text', text }], ...(prompt && { metadata: { prompt } }) });
    const item = await ok(post(' /comment  yes'));
    expect(item).toMatchObject({ metadata: { type: 'comment', ask_id: ask.ask_id }, content: [{ text: 'yes' }] });
    expect(await showAsk(server, ask.ask_id)).toMatchObject({ status: 'pending', comments: [{ text: 'yes' }] });
    const listed = await ok(server.get<ItemView[]>(path));
    expect(listed.filter(({ item_id }) => item_id === item.item_id)).toMatchObject([{ content: item.content }]);
    await refusal(post('/comment'), 400, 'thread_item_empty');
    await refusal(post('/comment why?', { prompt_id: 'ask_other' }), 409, 'thread_prompt_mismatch');
    expect((await showAsk(server, ask.ask_id)).comments).toHaveLength(1);
    for (const text of ['/comments yes', '/comment: yes', '/Comment:yes', '/comment\u200byes', '\u200b/commentyes'])
      await refusal(post(text, { prompt_id: ask.ask_id }), 400, 'invalid_request');
    await refusal(post('/comment \u200b'), 400, 'thread_item_empty');
    await ok(post('\u200b/Comment yes'));
    expect(await showAsk(server, ask.ask_id)).toMatchObject({ status: 'pending', comments: [{}, { text: 'yes' }] });
    await ok(post('no'));
    expect(await showAsk(server, ask.ask_id)).toMatchObject({ status: 'answered', answer: { behavior: 'deny' } });
    await refusal(post('/comment why?'), 409, 'thread_prompt_mismatch');
  });

  it('is refused with the winner once the ask has ended, and when it is blank', async () => {
    const h = await held(server);
    for (const text of [' \n', '\u200b', '\u2800 \u0007'])
      await refusal(say(h.ask.ask_id, text), 400, 'invalid_request');
    await ok(answer(server, h));
    const problem = await refusal(say(h.ask.ask_id, 'why?'), 409, 'ask_state_conflict');
    expect(problem).toMatchObject({ winner: { answered_by: 'operator' } });
    const types = (await eventsOfSession(server, h.sessionId)).map(({ type }) => type);
    expect(types).not.toContain('ask.commented');
  });

  it('is refused to viewers and to agents of other sessions', async () => {
    const { ask } = await held(server);
    const { token: viewer } = await server.makeToken('viewer');
    await refusal(say(ask.ask_id, 'why?', viewer), 403, 'scope_forbidden');
    const other = await held(server);
    const { token } = await server.makeToken('agent', other.sessionId);
    await refusal(say(ask.ask_id, 'trust me', token), 403, 'session_forbidden');
  });
});

describe('take and snooze', () => {
  it('are shown to people and not to the agent, wake no wait, and leave the ask answerable', async () => {
    const h = await held(server);
    const { token } = await server.makeToken('agent', h.sessionId);
    const { token: mate } = await server.makeToken('operator', undefined, { name: 'mate' });
    const until_ms = Date.now() + 3_600_000;
    const post = (verb: string, body: object, by = server.token) =>
      server.post<AskView>(`/v1/asks/${h.ask.ask_id}/${verb}`, body, { token: by });
    await ok(post('take', {}));
    await ok(post('take', {}, mate));
    expect(await ok(post('snooze', { until_ms }))).toMatchObject({ taken_by: { by: 'mate' }, snoozed: { until_ms } });
    const own = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}`, { token }));
    expect(own).not.toHaveProperty('taken_by');
    expect(own).not.toHaveProperty('snoozed');
    const before = await ok(server.get<{ updated_at_ms: number }>(`/v1/sessions/${h.sessionId}`));
    await ok(post('release', {}));
    const back = await ok(post('snooze', { until_ms: null }));
    expect(back).not.toHaveProperty('taken_by');
    expect(back).not.toHaveProperty('snoozed');
    expect(await ok(server.get(`/v1/sessions/${h.sessionId}`))).toMatchObject(before);
    await ok(answer(server, h));
    await refusal(post('take', {}), 409, 'ask_state_conflict');
  });

  it('refuses a snooze into the past or beyond 31 days', async () => {
    const { ask } = await held(server);
    for (const until_ms of [0, Date.now() - 1, Date.now() + 40 * 86_400_000])
      await refusal(server.post(`/v1/asks/${ask.ask_id}/snooze`, { until_ms }), 400, 'invalid_request');
  });
});

const threadOf = async (sessionId: string) =>
  (await ok(server.get<{ thread_id: string }>(`/v1/sessions/${sessionId}`))).thread_id;
