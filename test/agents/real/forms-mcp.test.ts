// The real Claude Code as a client of our MCP door, over HTTP and over standard input and output: it finds the tools,
// calls them under its own tool call ids, and what the model is told is what the contract says. The model is scripted.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionView } from '../../../src/core/views.ts';
import { answer, pendingAsk, QUESTIONS, TRANSPORTS, type TransportName } from '../../mcp/test-bed.ts';
import { allow, decide, deny, ok, showAsk } from '../../support/api-calls.ts';
import { root } from '../../support/process.ts';
import { openServer, type Server } from '../../support/server.ts';
import { claude, claudeVersion } from './binaries.ts';
import { ClaudeTestBed, claudeEnvironment } from './claude-test-bed.ts';
import { Model } from './model.ts';

const TOOL = 'mcp__holdpoint__';
/** Claude Code puts in what its environment has: no secret stands on a command line. */
const FROM_ENVIRONMENT = '$' + '{AGENT_TOKEN}';
const PATIENT = { timeout: 120_000 };
let server: Server;
let model: Model;
let folder: string;
beforeAll(async () => {
  server = await openServer();
  model = await Model.start();
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-forms-'));
});
afterAll(async () => {
  model.close();
  await server.close();
  expect(server.mcpErrors).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

/** An agent of its own: a session, a token for it, and Claude Code with our door among its MCP servers. */
async function start(transport: TransportName, prompt: string, ...more: string[]) {
  const { session_id } = await ok(server.post<SessionView>('/v1/sessions', { agent: 'external' }));
  const { token } = await server.makeToken('agent', session_id);
  const url = await server.url();
  const headers = { Authorization: `Bearer ${FROM_ENVIRONMENT}` };
  const env = { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: FROM_ENVIRONMENT };
  const holdpoint =
    transport === 'http'
      ? { type: 'http', url: `${url}/mcp`, headers }
      : { type: 'stdio', command: process.execPath, args: [join(root, 'src/cli/main.ts'), 'mcp'], env };
  const work = join(folder, session_id);
  mkdirSync(work);
  const args = ['-p', prompt, '--output-format', 'json', '--mcp-config', JSON.stringify({ mcpServers: { holdpoint } })];
  const child = spawn(claude as string, [...args, ...more], {
    cwd: work,
    env: { ...claudeEnvironment(join(folder, 'home'), model.url), AGENT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(printed)));
  return { sessionId: session_id, work, ended };
}
const allowed = ['--allowedTools', 'mcp__holdpoint'];
/** What the model was told of the call in its last request. */
const resultOf = (callId: string) => resultIn(model.told.at(-1) ?? '{}', callId);
function resultIn(told: string, callId: string): { text: string; is_error?: boolean } {
  const { messages } = JSON.parse(told) as { messages: { content: unknown }[] };
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const block = blocks.find((b) => b.type === 'tool_result' && b.tool_use_id === callId);
  const text = typeof block?.content === 'string' ? block.content : block?.content?.[0]?.text;
  return { text: String(text), is_error: block?.is_error };
}

describe.skipIf(!claude).each(TRANSPORTS)(`Claude Code ${claudeVersion} over %s`, (transport) => {
  it('displays a form under its own tool call id, and is told the deferred result', PATIENT, async () => {
    const id = `toolu_form_${transport}`;
    model.play([[{ tool: `${TOOL}interactive_form_question`, input: QUESTIONS, id }], [{ text: 'I have asked.' }]]);
    const { sessionId, ended } = await start(transport, 'ask them', ...allowed);
    const printed = await ended;
    const ask = await pendingAsk(server, sessionId);
    expect(ask).toMatchObject({ mode: 'form', tool_call_id: id, render_payload: { ask_id: ask.ask_id } });
    expect(resultOf(id), printed).toEqual({
      text: `{"__deferred_user_input__":true,"success":true,"status":"waiting_for_user_response","ask_id":"${ask.ask_id}"}`,
    });
    expect(JSON.parse(printed)).toMatchObject({ result: 'I have asked.', is_error: false });
    expect(model.told[0]).toContain('interactive_form_question');
  });

  it('is told how to correct a form, and does', PATIENT, async () => {
    const bad = { questions: [{ question: 'Which?' }] };
    const ids = [`toolu_bad_${transport}`, `toolu_good_${transport}`] as const;
    model.play([
      [{ tool: `${TOOL}interactive_form_question`, input: bad, id: ids[0] }],
      [{ tool: `${TOOL}interactive_form_question`, input: QUESTIONS, id: ids[1] }],
      [{ text: 'done' }],
    ]);
    const { sessionId, ended } = await start(transport, 'ask them', ...allowed);
    await ended;
    expect(resultOf(ids[0])).toMatchObject({
      is_error: true,
      text: expect.stringContaining('questions[0].id: is missing'),
    });
    expect((await pendingAsk(server, sessionId)).tool_call_id).toBe(ids[1]);
  });

  it('waits in ask_user for what the person answers', PATIENT, async () => {
    const id = `toolu_ask_${transport}`;
    model.play([[{ tool: `${TOOL}ask_user`, input: QUESTIONS, id }], [{ text: 'done' }]]);
    const { sessionId, ended } = await start(transport, 'ask them', ...allowed);
    const ask = await pendingAsk(server, sessionId);
    expect(ask).toMatchObject({ mode: 'blocking', tool_call_id: id });
    await answer(server, ask, { question_id: 'colour', selected_option_ids: ['option-2'] });
    await ended;
    expect(JSON.parse(resultOf(id).text)).toMatchObject({ status: 'answered', answers: [{ values: ['Blue'] }] });
    expect((await showAsk(server, ask.ask_id)).delivery.attempts).toBe(1);
  });

  it('asks for its permissions with request_approval', PATIENT, async () => {
    const ids = [`toolu_yes_${transport}`, `toolu_no_${transport}`] as const;
    const bash = (command: string, id: string) => ({ tool: 'Bash', input: { command, description: 'x' }, id });
    model.play([[bash('touch yes.txt', ids[0])], [bash('touch no.txt', ids[1])], [{ text: 'done' }]]);
    const { sessionId, ended } = await start(
      transport,
      'touch them',
      '--permission-prompt-tool',
      `${TOOL}request_approval`,
    );
    const first = await pendingAsk(server, sessionId);
    expect(first).toMatchObject({
      kind: 'approval',
      request: { tool_name: 'Bash', input: { command: 'touch yes.txt' } },
    });
    await ok(
      decide(
        server,
        first.run_id,
        allow(first.ask_id, { updated_input: { command: 'echo allowed', description: 'x' } }),
      ),
    );
    const second = await pendingAsk(server, sessionId);
    await ok(decide(server, second.run_id, deny(second.ask_id, { reason: 'keep it clean' })));
    await ended;
    expect(resultOf(ids[0]).text).toContain('allowed');
    expect(resultOf(ids[1])).toMatchObject({ is_error: true, text: expect.stringContaining('keep it clean') });
  });
});

describe.skipIf(!claude)(`Claude Code ${claudeVersion}, hosted by a worker`, () => {
  let testBed: ClaudeTestBed;
  beforeAll(async () => {
    testBed = await ClaudeTestBed.open();
  });
  afterAll(() => testBed.close());

  it(
    'stops on a form without the model hearing of it, and is given the answer as the result of that call',
    PATIENT,
    async () => {
      const id = 'toolu_managed';
      testBed.model.play([
        [{ tool: `${TOOL}interactive_form_question`, input: QUESTIONS, id }],
        [{ text: 'It is blue.' }],
      ]);
      const run = await testBed.start({ text: 'Paint the gate.', ask_tools: true });
      const ask = await testBed.ask(run);
      expect(ask).toMatchObject({ mode: 'form', tool_call_id: id });
      await testBed.bed.until(async () =>
        (await testBed.bed.events(run.session_id, 'run.released')).length > 0 ? true : undefined,
      );
      const held = await testBed.bed.api.runs.get(run.run_id);
      expect(held).toMatchObject({ status: 'waiting_for_user_question', stop_reason: 'tool_deferred' });
      expect(held.outputs.find((output) => output.type === 'tool_result')?.data).toEqual({
        type: 'tool_done',
        tool_use_id: id,
        tool_name: `${TOOL}interactive_form_question`,
        ask_id: ask.ask_id,
      });
      expect(testBed.model.told).toHaveLength(1);

      const interactive_form_answer = {
        type: 'interactive_form_question',
        tool_use_id: id,
        answers: { colour: 'Blue' },
        status: 'answered' as const,
      };
      await testBed.bed.api.sessions.say(run.session_id, { interactive_form_answer });
      const next = await testBed.bed.carriedOn(run);
      expect(next, JSON.stringify(next)).toMatchObject({ status: 'completed', kind: 'user_question_resume' });
      const last = testBed.model.told.at(-1) ?? '';
      expect(last).not.toMatch(/__deferred_user_input__|waiting_for_user_response/);
      const told = resultIn(last, id);
      expect(JSON.parse(told.text)).toMatchObject({ ...interactive_form_answer, success: true });
      expect(told.is_error).toBeFalsy();
      expect((await testBed.bed.api.runs.get(run.run_id)).status).toBe('completed');
    },
  );
});
