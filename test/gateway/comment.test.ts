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

  it('is refused with the winner once the ask has ended, and when it is blank', async () => {
    const h = await held(server);
    await refusal(say(h.ask.ask_id, ' \n'), 400, 'invalid_request');
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
