// `interactive_form_question` with the official client, over both transports and in both protocols: the messages are
// compared with the JSON of the defer contract. And fifty concurrent calls for one subtask.
// Covers: src/mcp/tools.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOL_ARGUMENTS } from '../../src/agents/claude/form.ts';
import type { AskView, ItemView } from '../../src/core/views.ts';
import { eventsOfSession, type Fields, newSession, ok, showAsk, showRun, typesOf } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import {
  type Agent,
  connecting,
  jsonOf,
  type Message,
  PROTOCOLS,
  pendingAsk,
  QUESTIONS,
  TRANSPORTS,
  textOf,
} from './test-bed.ts';

let server: Server;
beforeAll(async () => {
  server = await openServer();
});
afterAll(async () => {
  await server.close();
  expect(server.mcpErrors).toEqual([]);
});

const connect = connecting(() => server);
const FORM = 'interactive_form_question';
const OTHER_QUESTIONS = { questions: [{ id: 'why', question: 'Why?' }] };
const display = ({ client }: Agent, args: unknown = QUESTIONS, meta: Fields = {}) =>
  client.callTool({ name: FORM, arguments: args as Fields, ...(Object.keys(meta).length > 0 && { _meta: meta }) });
const blocksOf = async (sessionId: string) =>
  (await ok(server.get<ItemView[]>(`/v1/threads/thr_${sessionId}/items`))).flatMap((item) =>
    item.metadata?.block ? [item.metadata.block as Fields] : [],
  );

describe.each(TRANSPORTS.flatMap((transport) => PROTOCOLS.map((protocol) => ({ transport, protocol }))))(
  'interactive_form_question over $transport, protocol $protocol',
  (how) => {
    it('displays a form and returns the deferred result', { timeout: 60_000 }, async () => {
      const agent = await connect({ ...how, session: { task_id: 1 }, run: { subtask_id: 2 } });
      await display(agent, QUESTIONS, { 'claudecode/toolUseId': 'toolu_01' });
      const call = agent.sent.find((message) => message.method === 'tools/call') as Message;
      const reply = agent.received.find((message) => message.id === call.id) as Message;
      const ask = await pendingAsk(server, agent.sessionId);

      const { content, isError } = reply.result as { content: Fields[]; isError?: boolean };
      expect(isError).toBeUndefined();
      expect(content).toEqual([
        {
          type: 'text',
          text: `{"__deferred_user_input__":true,"success":true,"status":"waiting_for_user_response","ask_id":"${ask.ask_id}"}`,
        },
      ]);
      const [block] = await blocksOf(agent.sessionId);
      const payload = ask.kind === 'question' ? ask.render_payload : undefined;
      expect(block?.render_payload).toEqual(payload);
      expect(JSON.stringify({ ...payload, questions: [] })).toBe(
        `{"type":"interactive_form_question","ask_id":"${ask.ask_id}","task_id":1,"subtask_id":2,"questions":[]}`,
      );
      expect(block?.render_payload).toHaveProperty('questions', [
        {
          id: 'colour',
          question: 'Which colour?',
          input_type: 'choice',
          options: [
            { label: 'Red', value: 'r', recommended: false },
            { label: 'Blue', value: 'Blue', recommended: false },
          ],
          multi_select: false,
          required: true,
          default: null,
          placeholder: null,
        },
      ]);
      expect(block).toMatchObject({ type: 'tool', tool_name: FORM, tool_use_id: 'toolu_01' });
      expect(block).not.toHaveProperty('tool_input');
      expect(ask).toMatchObject({ mode: 'form', tool_call_id: 'toolu_01', run_id: agent.runId });
      expect(await showRun(server, agent.runId)).toMatchObject({ stop_reason: 'tool_deferred' });

      expect(jsonOf(await display(agent, QUESTIONS, { 'claudecode/toolUseId': 'toolu_01' }))).toEqual(
        jsonOf(reply.result),
      );
      expect(await blocksOf(agent.sessionId)).toHaveLength(1);
    });

    it('tells the model how to correct its arguments, and displays nothing', { timeout: 60_000 }, async () => {
      const parent = await newSession(server);
      const agent = await connect({ ...how, session: { parent_session_id: parent.session_id } });
      const result = await display(agent, { questions: [{ question: 'Q?', options: [{}] }] });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe(
        'Nobody was asked. questions[0].id: is missing; questions[0].options[0].label: is missing. Correct this and call interactive_form_question again.',
      );
      expect(await blocksOf(agent.sessionId)).toEqual([]);
      expect((await showRun(server, agent.runId)).status).toBe('running');
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        FORM,
        'ask_user',
        'request_approval',
        'request_parent_clarification',
        'check_answer',
      ]);
      // A hosted Claude Code may use each of them without a permission, and nothing else.
      expect(TOOL_ARGUMENTS.at(-1)).toBe(tools.map(({ name }) => `mcp__holdpoint__${name}`).join(','));
    });
  },
);

describe('one form for each subtask', () => {
  it.each(PROTOCOLS)('displays one form for fifty concurrent calls (%s)', async (protocol) => {
    const agent = await connect({ protocol });
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => display(agent, QUESTIONS, { 'claudecode/toolUseId': `toolu_${i}` })),
    );
    const shown = results.filter((result) => !result.isError);
    expect(shown).toHaveLength(1);
    const { ask_id } = jsonOf(shown[0]) as { ask_id: string };
    for (const result of results.filter((r) => r.isError))
      expect(textOf(result)).toMatch(new RegExp(`^A form was already displayed for subtask .*${ask_id}`));
    expect(await blocksOf(agent.sessionId)).toHaveLength(1);
    expect(typesOf(await eventsOfSession(server, agent.sessionId)).filter((t) => t === 'ask.raised')).toHaveLength(1);
  });

  it('starts one run and displays one form for fifty concurrent calls without an active run', async () => {
    const agent = await connect();
    await ok(server.post(`/v1/runs/${agent.runId}/complete`));
    const results = await Promise.all(Array.from({ length: 50 }, () => display(agent)));
    expect(new Set(results.map((result) => jsonOf(result).ask_id)).size).toBe(1);
    expect(await blocksOf(agent.sessionId)).toHaveLength(1);
    const runs = await ok(server.get<unknown[]>(`/v1/runs?session_id=${agent.sessionId}`));
    expect(runs).toHaveLength(2);
  });

  it('gives the answer to the next run, which may display a form of its own', async () => {
    const agent = await connect();
    await display(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    const interactive_form_answer = {
      type: FORM,
      tool_use_id: ask.tool_call_id,
      answers: { colour: 'Blue' },
      status: 'answered',
    };
    await ok(server.post(`/v1/sessions/${agent.sessionId}/messages`, { interactive_form_answer }));
    expect((await showAsk(server, ask.ask_id)).delivery.state).toBe('due');
    expect((await display(agent, OTHER_QUESTIONS, { tool_use_id: 'toolu_2' })).isError).toBeUndefined();
    expect((await showAsk(server, ask.ask_id)).delivery.state).toBe('delivered');
    expect(await blocksOf(agent.sessionId)).toHaveLength(2);
  });
});

it('returns the answer to a runtime that repeats the deferred call', async () => {
  const agent = await connect({ session: { task_id: 1 }, run: { subtask_id: 2 } });
  const meta = { 'claudecode/toolUseId': 'toolu_again' };
  await display(agent, QUESTIONS, meta);
  const interactive_form_answer = {
    type: FORM,
    tool_use_id: 'toolu_again',
    status: 'cancelled',
    message: 'never mind',
  };
  const ask = await pendingAsk(server, agent.sessionId);
  await ok(server.post(`/v1/sessions/${agent.sessionId}/messages`, { interactive_form_answer }));
  expect((await showAsk(server, ask.ask_id)).delivery.state).toBe('due');
  expect(jsonOf(await display(agent, QUESTIONS, meta))).toEqual({
    ...interactive_form_answer,
    task_id: 1,
    subtask_id: 2,
    answers: {},
    success: false,
  });
  expect((await showAsk(server, ask.ask_id)).delivery).toMatchObject({ state: 'due', attempts: 1 });
  expect(await blocksOf(agent.sessionId)).toHaveLength(1);
  await display(agent, OTHER_QUESTIONS);
  expect((await showAsk(server, ask.ask_id)).delivery.state).toBe('delivered');
});

describe('the identity of the caller', () => {
  it('comes from the token, whatever ids the arguments name', async () => {
    const [one, other] = [await connect(), await connect()];
    await display(one, { ...QUESTIONS, session_id: other.sessionId, run_id: other.runId, task_id: 9, subtask_id: 9 });
    const ask = await pendingAsk(server, one.sessionId);
    expect(ask).toMatchObject({ render_payload: { task_id: one.sessionId, subtask_id: one.runId } });
    expect(await ok(server.get<AskView[]>(`/v1/asks?session_id=${other.sessionId}`))).toEqual([]);
  });

  it('is refused without an active run when a worker hosts the session', async () => {
    const agent = await connect({ session: { agent: 'mock' } });
    await ok(server.post(`/v1/runs/${agent.runId}/cancel`));
    const result = await display(agent);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('No run is at work');
  });

  it('must be an agent token', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const call = (token: string | null) => server.raw('POST', '/mcp', JSON.stringify(body), { token });
    expect((await call(null)).status).toBe(401);
    expect((await call(server.token)).status).toBe(403);
    for (const scope of ['viewer', 'worker'])
      expect((await call((await server.makeToken(scope)).token)).status).toBe(403);
  });
});
