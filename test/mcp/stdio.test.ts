// `holdpoint mcp` with the token of an operator: which session it asks in, what it leaves, and how the next program of the
// same client in the same folder goes on with it.
// Covers: src/client/agent-session.ts, src/cli/commands/mcp.ts, src/cli/mcp-session-record.ts, src/boot/tools.ts
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { httpBackend, openAgentSession } from '../../src/client/agent-session.ts';
import { createClient } from '../../src/client/client.ts';
import type { SessionView } from '../../src/core/views.ts';
import { allow, decide, eventually, type Fields, ok, showAsk, showRun, showSession } from '../support/api-calls.ts';
import { COMPILED, root } from '../support/process.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { answer, jsonOf, PATIENCE, pendingAsk } from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
let folder: string;
let state: string;
const open = new Set<Client>();
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-mcp-')));
  state = mkdtempSync(join(tmpdir(), 'holdpoint-state-'));
});
afterEach(async () => {
  for (const client of open) await client.close();
  open.clear();
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true });
});

const slow = { timeout: 60_000 };
const BASH = { tool_name: 'Bash', input: { command: 'rm -rf build' } };
const FORM = { questions: [{ id: 'colour', question: 'Which colour?' }] };

async function start(name = 'test', args: string[] = []): Promise<Client> {
  const client = new Client({ name, version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'src/cli/main.ts'), 'mcp', ...args],
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOLDPOINT_URL: await server.url(),
        HOLDPOINT_TOKEN: server.token,
        HOLDPOINT_DATA: state,
        NODE_COMPILE_CACHE: COMPILED,
      },
      stderr: 'ignore',
    }),
  );
  open.add(client);
  return client;
}

const sessions = async () =>
  (await ok(server.get<SessionView[]>('/v1/sessions?limit=500'))).filter((session) => session.work_folder === folder);
const call = (client: Client, name: string, args: Fields) => client.callTool({ name, arguments: args });
const onlySession = async (): Promise<string> => {
  const [own, other] = await sessions();
  expect(other).toBeUndefined();
  return String(own?.session_id);
};

it('makes a session of its own that is over when the program leaves and nothing is open', slow, async () => {
  const client = await start();
  const result = call(client, 'request_approval', BASH);
  await eventually(async () => (await sessions()).length).toBe(1);
  const id = await onlySession();
  const ask = await pendingAsk(server, id);
  await ok(decide(server, ask.run_id, allow(ask.ask_id)));
  expect(jsonOf(await result)).toMatchObject({ behavior: 'allow', updatedInput: BASH.input });
  await call(client, 'check_answer', { ask_id: 'ask_00000000' });
  await client.close();
  await eventually(async () => (await showSession(server, id)).status).toBe('ended');
  expect((await showRun(server, ask.run_id)).status).toBe('completed');
});

it('has approvals decided by the rules of the project in its folder', slow, async () => {
  mkdirSync(join(folder, '.holdpoint'));
  const rules = [{ tool: 'Bash', matches: { command: 'rm *' }, action: 'reject', message: 'Delete nothing here.' }];
  writeFileSync(join(folder, '.holdpoint', 'rules.json'), JSON.stringify(rules));
  const result = await call(await start(), 'request_approval', BASH);
  expect(jsonOf(result)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('Delete nothing here.') });
});

it('comes back to the session in which it left a form, and receives the answer', slow, async () => {
  const first = await start();
  const { ask_id } = jsonOf(await call(first, 'interactive_form_question', FORM));
  const id = await onlySession();
  await first.close();
  const ask = await pendingAsk(server, id);
  await answer(server, ask, { question_id: 'colour', freeform_answer: 'green' });
  const other = await start('another client');
  const unknown = await call(other, 'check_answer', { ask_id });
  expect(unknown.isError).toBe(true);
  const again = await start();
  const answers = [{ question_id: 'colour', text: 'green' }];
  expect(jsonOf(await call(again, 'interactive_form_question', FORM))).toMatchObject({ status: 'answered', answers });
  expect((await sessions()).map(({ session_id }) => session_id)).toContain(id);
});

it('counts as read, when it leaves, only what it was given to write itself', async () => {
  const { session_id } = await ok(server.post<SessionView>('/v1/sessions', { agent: 'external' }));
  const { token } = await server.makeToken('agent', session_id);
  const client = createClient({ url: await server.url(), token, surface: 'mcp' });
  const options = { title: 'test', workFolder: folder };
  const [first, next] = [await openAgentSession(client, options), await openAgentSession(client, options)];
  const backend = httpBackend(first);
  const raised = { kind: 'question' as const, tool_call_id: 'call-1', questions: FORM.questions };
  const ask = await backend.raise(await backend.runId(), raised);
  await answer(server, ask, { question_id: 'colour', freeform_answer: 'green' });
  await backend.send(ask.ask_id, undefined);
  const stateOf = async () => (await showAsk(server, ask.ask_id)).delivery.state;
  await next.leave(server.now() + 60_000);
  expect(await stateOf()).toBe('due');
  await first.leave(server.now() + 60_000);
  expect(await stateOf()).toBe('delivered');
});

it('gives two programs of one client in one folder a session each', slow, async () => {
  const both = [await start(), await start()];
  for (const client of both) await call(client, 'check_answer', { ask_id: 'ask_00000000' });
  await eventually(async () => (await sessions()).length).toBe(2);
});

it('gives a named session its title and folder, and completes its run when it leaves', slow, async () => {
  const client = await start('test', ['--session-id', 'nightly-mcp']);
  const result = call(client, 'ask_user', FORM);
  const ask = await pendingAsk(server, 'nightly-mcp');
  expect(await showSession(server, 'nightly-mcp')).toMatchObject({ work_folder: folder, title: expect.any(String) });
  await answer(server, ask, { question_id: 'colour', freeform_answer: 'green' });
  expect(jsonOf(await result)).toMatchObject({ status: 'answered' });
  await call(client, 'check_answer', { ask_id: 'ask_00000000' });
  await client.close();
  await eventually(async () => (await showRun(server, ask.run_id)).status).toBe('completed');
  expect((await showSession(server, 'nightly-mcp')).status).toBe('idle');
});
