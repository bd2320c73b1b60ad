// The real Claude Code and the real Codex use every MCP tool in one conversation, over both transports: a question, an
// approval, a form and a clarification are answered by a person, and the scripted model is told each answer.
// Covers: src/mcp/tools.ts
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionView } from '../../../src/core/views.ts';
import { answer, CHOOSE_BLUE, pendingAsk, QUESTIONS, TRANSPORTS, type TransportName } from '../../mcp/test-bed.ts';
import { allow, decide, type Fields, ok } from '../../support/api-calls.ts';
import { COMPILED, root as repository } from '../../support/process.ts';
import { nothingLeftIn } from '../../support/process-table.ts';
import { openServer, type Server } from '../../support/server.ts';
import { claude, claudeVersion, codex, codexVersion } from './binaries.ts';
import { claudeEnvironment } from './claude-test-bed.ts';
import { codexEnvironment } from './codex-test-bed.ts';
import { Model } from './model.ts';
import { OpenAiModel } from './model-openai.ts';

let server: Server;
let root: string;
beforeAll(async () => {
  server = await openServer();
  root = mkdtempSync(join(tmpdir(), 'holdpoint-mcp-tools-'));
});
afterAll(async () => {
  await server.close();
  expect(server.mcpErrors).toEqual([]);
  await nothingLeftIn(root);
  rmSync(root, { recursive: true, force: true });
});

interface Call {
  tool: string;
  input: (told: string) => Fields;
}
const BRANCH = { questions: [{ question: 'Which branch?' }] };
const DEPLOY = { tool_name: 'deploy', input: { target: 'staging' } };
/** The name of the ask, from the last result that the model was told. */
const lastAsk = (told: string): Fields => ({
  ask_id: [...told.matchAll(/ask_id\\*":\\*"([^"\\]+)/g)].at(-1)?.[1],
});
const CALLS: Call[] = [
  { tool: 'ask_user', input: () => QUESTIONS },
  { tool: 'request_approval', input: () => DEPLOY },
  { tool: 'interactive_form_question', input: () => QUESTIONS },
  { tool: 'check_answer', input: lastAsk },
  { tool: 'request_parent_clarification', input: () => BRANCH },
  { tool: 'check_answer', input: lastAsk },
];

interface Started {
  /** What the program printed, once it has ended. */
  ended: Promise<string>;
  /** What the model was told of a call. */
  resultOf(index: number): string;
}

interface Connection {
  transport: TransportName;
  url: string;
  token: string;
  folder: string;
}
const COMMAND = [join(repository, 'src/cli/main.ts'), 'mcp'];

function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  return new Promise((resolve) => child.once('close', () => resolve(printed)));
}

async function startClaude({ transport, url, token, folder }: Connection): Promise<Started> {
  const model = await Model.start();
  const idOf = (index: number) => `toolu_${transport}_${index}`;
  const steps = CALLS.map(({ tool, input }, index) => (told: string) => [
    { tool: `mcp__holdpoint__${tool}`, input: input(told), id: idOf(index) },
  ]);
  model.play([...steps, [{ text: 'Done.' }]]);
  const http = { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const env = { HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token, NODE_COMPILE_CACHE: COMPILED };
  const stdio = { type: 'stdio', command: process.execPath, args: COMMAND, env };
  const config = JSON.stringify({ mcpServers: { holdpoint: transport === 'http' ? http : stdio } });
  const args = ['-p', 'ask them', '--mcp-config', config, '--allowedTools', 'mcp__holdpoint'];
  const ended = run(claude ?? '', args, folder, claudeEnvironment(join(folder, 'home'), model.url));
  return {
    ended: ended.finally(() => model.close()),
    resultOf(index) {
      const { messages } = JSON.parse(model.told.at(-1) ?? '{}') as { messages: { content: unknown }[] };
      const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Fields[]) : []));
      return JSON.stringify(blocks.find((block) => block.tool_use_id === idOf(index)) ?? null);
    },
  };
}

async function startCodex({ transport, url, token, folder }: Connection): Promise<Started> {
  const model = await OpenAiModel.start();
  const idOf = (index: number) => `call_${index}`;
  const steps = CALLS.map(({ tool, input }, index) => (told: unknown) => [
    { call: tool, namespace: 'mcp__holdpoint', input: input(JSON.stringify(told)), id: idOf(index) },
  ]);
  model.play('ask them', [...steps, [{ text: 'Done.' }]]);
  const env = `{ HOLDPOINT_URL = "${url}", HOLDPOINT_TOKEN = "${token}", NODE_COMPILE_CACHE = "${COMPILED}" }`;
  const config = `[mcp_servers.holdpoint]
default_tools_approval_mode = "approve"
startup_timeout_sec = 60
${
  transport === 'http'
    ? `url = "${url}/mcp"\nbearer_token_env_var = "AGENT_TOKEN"`
    : `command = "${process.execPath}"\nargs = ${JSON.stringify(COMMAND)}\nenv = ${env}`
}`;
  const environment = { ...process.env, ...codexEnvironment(folder, model.url, config), AGENT_TOKEN: token };
  const args = ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', 'ask them'];
  const ended = run(codex ?? '', args, folder, environment);
  return {
    ended: ended.finally(() => model.close()),
    resultOf: (index) => model.resultOf('ask them', idOf(index)) ?? '',
  };
}

describe.each([
  ['Claude Code', claudeVersion, claude, startClaude],
  ['Codex', codexVersion, codex, startCodex],
] as const)('%s %s', (name, _, program, start) => {
  it.skipIf(!program).each(TRANSPORTS)(
    'completes a question, an approval, a form and a clarification over %s',
    async (transport) => {
      const { session_id: parent } = await ok(server.post<SessionView>('/v1/sessions', { agent: 'external' }));
      const { session_id } = await ok(
        server.post<SessionView>('/v1/sessions', { agent: 'external', parent_session_id: parent }),
      );
      const folder = join(root, `${name.split(' ')[0]}-${transport}`);
      mkdirSync(folder);
      const { token } = await server.makeToken('agent', session_id);
      const agent = await start({ transport, url: await server.url(), token, folder });

      await answer(server, await pendingAsk(server, session_id), CHOOSE_BLUE);
      const approval = await pendingAsk(server, session_id);
      const edited = { updated_input: { target: 'eu-staging' } };
      await ok(decide(server, approval.run_id, allow(approval.ask_id, edited)));
      await answer(server, await pendingAsk(server, session_id), CHOOSE_BLUE);
      const branch = { question_id: 'question-1', freeform_answer: 'main' };
      await answer(server, await pendingAsk(server, parent), branch);

      const printed = await agent.ended;
      const told = CALLS.map((_, index) => agent.resultOf(index).replaceAll('\\', ''));
      const chosen = '"answers":[{"question_id":"colour","values":["Blue"]}]';
      expect(told, printed).toEqual([
        expect.stringContaining(chosen),
        expect.stringContaining('"behavior":"allow","updatedInput":{"target":"eu-staging"},"edited":true'),
        expect.stringContaining('"__deferred_user_input__":true'),
        expect.stringContaining(chosen),
        expect.stringMatching(/"ask_id":"\w*parent_\w+","status":"pending"/),
        expect.stringContaining('"answers":[{"question_id":"question-1","text":"main"}]'),
      ]);
    },
  );
});
