// The tools as a model sees them: size, annotations, result schemas, and that nothing which the API knows is dropped.
// Covers: src/mcp/schemas.ts, src/mcp/form-tool.ts, src/mcp/clarification-tool.ts
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { eventually, type Fields, newSession, ok, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  askUser,
  checkAnswer,
  connecting,
  handle,
  jsonOf,
  PATIENCE,
  pendingAsk,
  textOf,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
const connect = connecting(() => server);
const call = ({ client }: Agent, name: string, args: Fields) => client.callTool({ name, arguments: args });

it('lists all tools in less than a thousand tokens, with result schemas and accurate annotations', async () => {
  const parent = await newSession(server);
  const agent = await connect({ session: { parent_session_id: parent.session_id } });
  const listed = await agent.client.listTools();
  expect(listed.tools).toHaveLength(5);
  expect(JSON.stringify(listed.tools).length).toBeLessThan(4000);
  for (const tool of listed.tools) {
    expect(tool.annotations, tool.name).toEqual({ readOnlyHint: false, destructiveHint: false });
    // Claude Code refuses structured content of its permission prompt tool.
    const schema = tool.name === 'request_approval' ? undefined : { type: 'object', required: ['status'] };
    if (schema) expect(tool.outputSchema, tool.name).toMatchObject(schema);
    else expect(tool.outputSchema).toBeUndefined();
  }
  expect(agent.client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
});

it('returns the same result as text and as structured content', async () => {
  const agent = await connect();
  const result = askUser(agent);
  await answer(server, await pendingAsk(server, agent.sessionId), {
    question_id: 'colour',
    selected_option_ids: ['option-1'],
    freeform_answer: 'dark',
  });
  const told = await result;
  expect(told.structuredContent).toEqual(jsonOf(told));
  expect(jsonOf(told)).toEqual({
    ask_id: expect.stringMatching(/^ask_[0-9a-f]{8}$/),
    status: 'answered',
    answers: [{ question_id: 'colour', values: ['r'], text: 'dark' }],
    answered_by: 'operator',
  });
});

it('names questions that were skipped', async () => {
  const agent = await connect();
  const questions = [{ question: 'Why?' }, { question: 'Anything else?', required: false }];
  const result = askUser(agent, {}, { questions });
  const given = { question_id: 'question-1', freeform_answer: 'so' };
  await answer(server, await pendingAsk(server, agent.sessionId), given);
  expect(jsonOf(await result)).toMatchObject({ skipped: ['question-2'] });
});

it('asks with every field of a question that the API knows', async () => {
  const agent = await connect();
  const option = { label: 'Red', value: 'r', description: 'warm', preview: '#f00', recommended: true };
  const questions = [
    { id: 'colour', header: 'Paint', question: 'Which?', options: [option, 'Blue'], allow_other: false },
    { id: 'key', question: 'Which key?', secret: true },
  ];
  const result = askUser(agent, {}, { questions, context: 'For the door.', expires_after_ms: 60_000 });
  const ask = await pendingAsk(server, agent.sessionId);
  expect(ask.expires_at_ms).toBeGreaterThan(0);
  expect(ask.request).toMatchObject({
    context: 'For the door.',
    questions: [
      { id: 'colour', header: 'Paint', allow_other: false, options: [option, { label: 'Blue' }] },
      { id: 'key', secret: true },
    ],
  });
  await answer(
    server,
    ask,
    { question_id: 'colour', selected_option_ids: ['option-1'] },
    { question_id: 'key', freeform_answer: 'sesame' },
  );
  expect(jsonOf(await result)).toMatchObject({ answers: [{ values: ['r'] }, { question_id: 'key', text: 'sesame' }] });
  expect(JSON.stringify(await showAsk(server, ask.ask_id))).not.toContain('sesame');
});

it('displays headers, descriptions and previews of a form', async () => {
  const agent = await connect();
  const options = [{ label: 'Red', description: 'warm', preview: '#f00' }];
  await call(agent, 'interactive_form_question', {
    questions: [{ id: 'q', question: 'Q?', header: 'Paint', options }],
  });
  const ask = await pendingAsk(server, agent.sessionId);
  expect(ask).toMatchObject({ render_payload: { questions: [{ header: 'Paint', options: [options[0]] }] } });
});

it('accepts the input of an approval as a JSON text, with everything that the API knows of approvals', async () => {
  const agent = await connect();
  const args = { tool_name: 'Bash', input: '{"command":"ls"}', diff: '+a', work_folder: '/srv', scope: 'project' };
  const result = call(agent, 'request_approval', { ...args, expires_after_ms: 60_000 });
  const ask = await pendingAsk(server, agent.sessionId);
  expect(ask).toMatchObject({
    request: { input: { command: 'ls' }, diff: '+a', work_folder: '/srv', scope: 'project' },
    expires_at_ms: expect.any(Number),
  });
  server.advance(61_000);
  expect(jsonOf(await result)).toMatchObject({ status: 'expired', behavior: 'deny' });
});

it.each([
  [
    'request_approval',
    { tool_name: 'Bash', input: 'rm' },
    /^input: must be an object such as .* call request_approval/,
  ],
  ['ask_user', { questions: [{ question: 'Q?', options: ['a'], secret: true }] }, /secret: a secret is typed/],
  ['ask_user', { questions: [{ question: 'Q?', allow_other: false }] }, /allow_other: false needs options/],
  ['ask_user', { questions: [{ question: 'Q?' }], expires_after_ms: -1 }, /^expires_after_ms: /],
  ['interactive_form_question', { questions: [{ id: 'q', question: 'Q?' }], context: 'c' }, /^context: .*ask_user/],
  ['check_answer', {}, /^ask_id: .* call check_answer again/],
  ['check_answer', { ask_id: 'ask_00000000' }, /^ask_id: this session has asked nothing called "ask_00000000"/],
] as const)('refuses %s of %j in the words of its own arguments', async (tool, args, message) => {
  const agent = await connect();
  const result = await call(agent, tool, args);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(message);
});

it('finds a clarification with check_answer while it is queued, while it waits and after it was returned', async () => {
  const parent = await connect();
  const child = await connect({ session: { parent_session_id: parent.sessionId } });
  const args = { questions: [{ question: 'Which branch?', options: ['main', 'next'] }] };
  const ask = () => call(child, 'request_parent_clarification', args);
  const first = jsonOf(await ask());
  expect(first).toMatchObject({ ask_id: 'parent_1', status: 'pending' });
  expect(jsonOf(await ask())).toEqual(first);
  const look = (wait_ms?: number) =>
    checkAnswer(child, { ask_id: 'parent_1', ...(wait_ms !== undefined && { wait_ms }) });
  expect(jsonOf(await look(0))).toMatchObject({ status: 'pending' });
  await ok(server.post(`/v1/runs/${parent.runId}/complete`));
  const waiting = look();
  const open = await pendingAsk(server, parent.sessionId);
  await answer(server, open, { question_id: 'question-1', selected_option_ids: ['option-1'] });
  const answered = {
    ask_id: 'parent_1',
    status: 'answered',
    answers: [{ question_id: 'question-1', values: ['main'] }],
  };
  expect(jsonOf(await waiting)).toMatchObject(answered);
  expect(jsonOf(await look())).toMatchObject(answered);
  const second = jsonOf(await call(child, 'request_parent_clarification', { questions: [{ question: 'Why?' }] }));
  expect(second.ask_id).toBe('parent_2');
  await eventually(async () => (await showAsk(server, open.ask_id)).delivery.state).toBe('delivered');
  expect(jsonOf(await look())).toMatchObject(answered);
  expect(jsonOf(await ask())).toMatchObject({ ask_id: 'parent_3', status: 'pending' });
});

it('returns the answer of a form to a client without a runtime: by its name, or when the form is repeated', async () => {
  const agent = await connect();
  const args = { questions: [{ id: 'colour', question: 'Which colour?', options: ['Red', 'Blue'] }] };
  const display = () => call(agent, 'interactive_form_question', args);
  const deferred = jsonOf(await display());
  expect(jsonOf(await display())).toEqual(deferred);
  const ask = await pendingAsk(server, agent.sessionId);
  expect(jsonOf(await checkAnswer(agent, { ask_id: deferred.ask_id, wait_ms: 0 }))).toMatchObject({
    status: 'pending',
  });
  await answer(server, ask, { question_id: 'colour', selected_option_ids: ['option-2'] });
  const answered = { ask_id: handle(ask), status: 'answered', answers: [{ question_id: 'colour', values: ['Blue'] }] };
  expect(jsonOf(await display())).toMatchObject(answered);
  expect(jsonOf(await checkAnswer(agent, { ask_id: deferred.ask_id }))).toMatchObject(answered);
});

it('returns the answer of a form with the next result, to a client without a runtime that asks something else', async () => {
  const agent = await connect();
  await call(agent, 'interactive_form_question', { questions: [{ id: 'colour', question: 'Which colour?' }] });
  const form = await pendingAsk(server, agent.sessionId);
  await answer(server, form, { question_id: 'colour', freeform_answer: 'green' });
  const result = askUser(agent, {}, { questions: [{ question: 'Why?' }] });
  const ask = await pendingAsk(server, agent.sessionId);
  expect((await showAsk(server, form.ask_id)).delivery).toEqual({ state: 'due', attempts: 0 });
  await answer(server, ask, { question_id: 'question-1', freeform_answer: 'so' });
  expect(jsonOf(await result)).toMatchObject({
    ask_id: handle(ask),
    earlier: [{ ask_id: handle(form), status: 'answered', answers: [{ question_id: 'colour', text: 'green' }] }],
  });
  expect((await showAsk(server, form.ask_id)).delivery).toMatchObject({ state: 'due', attempts: 1 });
});

it('tells the agent of a hosted run to stop, when it looks for the answer of its form', async () => {
  const agent = await connect({ session: { agent: 'hosted' } });
  await ok(server.post('/v1/workers/claim', { worker_id: 'w', agents: [{ name: 'hosted', recovery: 'none' }] }));
  const { ask_id } = jsonOf(
    await call(agent, 'interactive_form_question', { questions: [{ id: 'q', question: 'Q?' }] }),
  );
  const held = jsonOf(await checkAnswer(agent, { ask_id }));
  expect(held).toMatchObject({ status: 'pending', message: expect.stringContaining('End your turn') });
  expect(JSON.stringify(held)).not.toContain('check_answer');
  expect((await ok(server.get<AskView[]>(`/v1/asks?session_id=${agent.sessionId}`))).length).toBe(1);
});
