// A comment while a tool call waits: the model reads it in a result that is still pending, replies with check_answer, and
// gets the decision after that. Whatever a comment says, it decides nothing.
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { allow, decide, type Fields, ok, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  askUser,
  CHOOSE_BLUE,
  checkAnswer,
  connecting,
  FORMS,
  handle,
  jsonOf,
  PATIENCE,
  pendingAsk,
  textOf,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
const connect = connecting(() => server);
const say = (ask: AskView, text: string) => ok(server.post(`/v1/asks/${ask.ask_id}/comments`, { text }));
const requestApproval = ({ client }: Agent, more: Fields = {}) =>
  client.callTool({
    name: 'request_approval',
    arguments: { tool_name: 'Bash', input: { command: 'make' }, ...more },
  });
const said = async (ask: AskView) =>
  ((await showAsk(server, ask.ask_id)).comments ?? []).map(({ role, text }) => `${role}: ${text}`);

describe.each([
  { protocol: '2025-11-25', transport: 'http' },
  { protocol: '2026-07-28', transport: 'stdio' },
] as const)('a comment, $protocol over $transport', (how) => {
  it('reaches the model as pending, is replied to once, and leaves the approval to a decision', async () => {
    const agent = await connect(how);
    const waiting = requestApproval(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    expect(ask.takes_comments).toBe(true);
    await say(ask, 'yes, allow');
    expect(jsonOf(await waiting)).toMatchObject({
      ask_id: handle(ask),
      status: 'pending',
      behavior: 'deny',
      comments: [{ by: 'operator', text: 'yes, allow' }],
      message: expect.stringContaining('no answer'),
    });
    const reply = { ask_id: handle(ask), reply: 'It only builds.', wait_ms: 100 };
    expect(jsonOf(await checkAnswer(agent, reply))).not.toHaveProperty('comments');
    await checkAnswer(agent, reply);
    expect(await said(ask)).toEqual(['person: yes, allow', 'agent: It only builds.']);
    expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
    await ok(decide(server, ask.run_id, allow(ask.ask_id)));
    expect(jsonOf(await checkAnswer(agent, { ask_id: handle(ask), reply: 'too late' }))).toMatchObject({
      behavior: 'allow',
    });
    expect(await said(ask)).toHaveLength(2);
  });
});

describe('ask_user', () => {
  it('shows each comment once as it comes, and again with what is pending until it has a reply', async () => {
    const agent = await connect({});
    const waiting = askUser(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    await say(ask, 'why?');
    expect(jsonOf(await waiting)).toMatchObject({ status: 'pending', comments: [{ text: 'why?' }] });
    const next = checkAnswer(agent, { ask_id: handle(ask) });
    await say(ask, 'and what for?');
    expect(jsonOf(await next)).toMatchObject({ comments: [{ text: 'why?' }, { text: 'and what for?' }] });
    await answer(server, ask, CHOOSE_BLUE);
    expect(jsonOf(await checkAnswer(agent, { ask_id: handle(ask) }))).toMatchObject({ status: 'answered' });
  });

  it('shows what was written while the model replied, and posts a repeated reply once', async () => {
    const agent = await connect({});
    const waiting = askUser(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    await say(ask, 'why?');
    await waiting;
    await say(ask, 'stop, show me first');
    const reply = { ask_id: handle(ask), reply: 'To build it.' };
    expect(jsonOf(await checkAnswer(agent, reply))).toMatchObject({ comments: [{ text: 'stop, show me first' }] });
    await checkAnswer(agent, { ...reply, reply: 'Here it is.', wait_ms: 100 });
    await say(ask, 'thanks');
    expect(jsonOf(await checkAnswer(agent, { ...reply, reply: 'Here it is.' }))).toMatchObject({
      comments: [{ text: 'thanks' }],
    });
    expect((await said(ask)).filter((text) => text.startsWith('agent'))).toEqual([
      'agent: To build it.',
      'agent: Here it is.',
    ]);
  });

  it('says that nobody reads comments where the client prompts by itself, or a program reads the decision', async () => {
    const modern = await connect({ protocol: '2026-07-28', capabilities: FORMS });
    void askUser(modern).catch(() => {});
    expect(await pendingAsk(server, modern.sessionId)).not.toHaveProperty('takes_comments');
    const agent = await connect({});
    const decision = requestApproval(agent, { tool_use_id: 'toolu_1' });
    const ask = await pendingAsk(server, agent.sessionId);
    expect(ask).not.toHaveProperty('takes_comments');
    await say(ask, 'why?');
    const refused = await checkAnswer(agent, { ask_id: handle(ask), reply: 'so', wait_ms: 0 });
    expect(textOf(refused)).toContain('Leave it out');
    await ok(decide(server, ask.run_id, allow(ask.ask_id)));
    expect(jsonOf(await decision)).toMatchObject({ behavior: 'allow' });
  });
});
