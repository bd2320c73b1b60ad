// The tools `request_approval`, which only a person allows, and `request_parent_clarification` with `check_answer`.
// Covers: src/mcp/tool-backend.ts, src/mcp/result.ts, src/mcp/schemas.ts
import { describe, expect, it } from 'vitest';
import { allow, decide, deny, type Fields, newSession, ok } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  checkAnswer,
  connecting,
  handle,
  IMPATIENCE,
  jsonOf,
  PATIENCE,
  PROTOCOLS,
  pendingAsk,
  textOf,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
const impatient = serverForAll({ patience: IMPATIENCE });

const connect = connecting(() => server);
const connectImpatient = connecting(() => impatient);
const BASH = { tool_name: 'Bash', input: { command: 'rm -rf build' }, reason: 'stale' };
const request = ({ client }: Agent, args: Fields = BASH) =>
  client.callTool({ name: 'request_approval', arguments: args }, { onprogress: () => {}, timeout: 60_000 });

describe.each(PROTOCOLS)('request_approval, %s', (protocol) => {
  it('returns allow with the input that the person updated', async () => {
    const agent = await connect({ protocol, capabilities: { elicitation: { form: {} } } });
    const result = request(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    expect(ask).toMatchObject({ kind: 'approval', request: { tool_name: 'Bash', reason: 'stale' } });
    await ok(decide(server, ask.run_id, allow(ask.ask_id, { updated_input: { command: 'rm -r build' } })));
    expect(jsonOf(await result)).toEqual({
      ask_id: handle(ask),
      status: 'answered',
      behavior: 'allow',
      updatedInput: { command: 'rm -r build' },
      edited: true,
      answered_by: 'operator',
    });
    expect(agent.received.some((m) => m.method === 'elicitation/create')).toBe(false);
  });

  it('returns deny with the reason', async () => {
    const agent = await connect({ protocol });
    const result = request(agent);
    const ask = await pendingAsk(server, agent.sessionId);
    await ok(decide(server, ask.run_id, deny(ask.ask_id, { reason: 'keep it' })));
    expect(jsonOf(await result)).toMatchObject({ behavior: 'deny', message: 'keep it' });
  });

  it('returns deny and pending when no person has decided', async () => {
    const agent = await connectImpatient({ protocol });
    const result = await agent.client.callTool({ name: 'request_approval', arguments: BASH });
    expect(jsonOf(result)).toMatchObject({ status: 'pending', behavior: 'deny' });
    const ask = await pendingAsk(impatient, agent.sessionId);
    await ok(decide(impatient, ask.run_id, allow(ask.ask_id)));
    const later = await agent.client.callTool({ name: 'check_answer', arguments: { ask_id: ask.ask_id } });
    expect(jsonOf(later)).toMatchObject({ behavior: 'allow', updatedInput: BASH.input });
  });

  it('is refused without a tool name and an input', async () => {
    const agent = await connect({ protocol });
    const result = await request(agent, { tool_name: ' ', input: 'rm' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/tool_name.*input.*call request_approval again/);
  });
});

describe('request_parent_clarification', () => {
  it('raises a clarification whose answer check_answer returns', async () => {
    const parent = await newSession(server);
    const child = await connect({ session: { parent_session_id: parent.session_id } });
    const args = { questions: [{ question: 'Which branch?' }] };
    const asked = await child.client.callTool({ name: 'request_parent_clarification', arguments: args });
    const { ask_id } = jsonOf(asked) as { ask_id: string };
    const open = await pendingAsk(server, parent.session_id);
    expect(ask_id).toBe('parent_1');
    await answer(server, open, { question_id: 'question-1', freeform_answer: 'main' });
    const check = await child.client.callTool({ name: 'check_answer', arguments: { ask_id } });
    expect(jsonOf(check)).toEqual({
      ask_id,
      status: 'answered',
      answers: [{ question_id: 'question-1', text: 'main' }],
      answered_by: 'operator',
    });
    expect(jsonOf(await checkAnswer(child, { ask_id }))).toEqual(jsonOf(check));
    expect(await ok(server.get<unknown[]>(`/v1/sessions/${child.sessionId}/mailbox`))).toHaveLength(1);
    await child.client.callTool({
      name: 'request_parent_clarification',
      arguments: { questions: [{ question: 'Why?' }] },
    });
    expect(await ok(server.get<unknown[]>(`/v1/sessions/${child.sessionId}/mailbox`))).toEqual([]);
  });

  it('is offered only where there is a parent session', async () => {
    const agent = await connect();
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('request_parent_clarification');
  });
});
