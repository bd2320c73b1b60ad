// The examples in the help of every command, run by a shell as they are printed, against a real server with the asks that
// they name.
// Covers: src/cli/command.ts
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { root, temporaryFolder } from '../support/process.ts';
import { closeTestBeds, command, node, openTestBed, PATIENT, TARGET, type TestBed } from './test-bed.ts';

const commands = everyCommand(await createProgram());
const examples = commands.flatMap(({ path, command }) => examplesOf(command).map((example) => ({ path, example })));
/** Stay until they are told to stop. */
const STAYS = /^holdpoint (serve|worker|events --follow$|threads follow nightly$)/;
/** What the folder of an example has in it before. */
const PREPARED = [
  ['skills publish', `cp -r ${join(root, 'examples')} . && `],
  ['db restore', 'holdpoint db backup holdpoint-backup.db && '],
] as const;
/** Nothing works in a session that has ended. */
const lastOnes = (example: string): number => (example.startsWith('holdpoint sessions end') ? 1 : 0);

let bed: TestBed;
let shell: (line: string, input?: string) => ReturnType<typeof command>;
let postgres: PostgresServer | undefined;
let database = '';
/** An OpenCode server, as far as `connect` looks at it, and an endpoint for webhooks. */
const opencode = createServer((_, reply) =>
  reply.setHeader('content-type', 'application/json').end('{"healthy":true}'),
);

beforeAll(async () => {
  bed = await openTestBed({ HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1' });
  const bin = join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'bin', 'holdpoint'), join(bin, 'holdpoint'));
  // An agent that speaks ACP, as far as one without an editor is asked.
  writeFileSync(join(bin, 'claude-agent-acp'), '#!/bin/sh\nexec cat\n', { mode: 0o755 });
  const PATH = [bin, dirname(node), process.env.PATH].join(delimiter);
  await new Promise<void>((resolve) => opencode.listen(0, '127.0.0.1', resolve));
  const OPENCODE_URL = `http://127.0.0.1:${(opencode.address() as AddressInfo).port}`;
  const folders = {
    HOLDPOINT_DATA: join(temporaryFolder(), 'data'),
    CLAUDE_CONFIG_DIR: temporaryFolder(),
    CODEX_HOME: temporaryFolder(),
  };
  const env = bed.env({ PATH, HOLDPOINT_PORT: '0', OPENCODE_URL, ...folders });
  shell = (line, input) => command(['-c', line], env, input, '/bin/sh');
  await shell('holdpoint db migrate').ended;
  writeFileSync(join(folders.HOLDPOINT_DATA, 'secret.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
  postgres = await startPostgres();
  database = (await postgres.database()).url;
}, PATIENT.timeout);
afterAll(async () => {
  opencode.close();
  await postgres?.stop();
  await closeTestBeds();
});

describe('the help', () => {
  it.each(commands.map(({ path, command }) => [path, command] as const))('of %s has an example', (path, command) => {
    const found = examplesOf(command);
    expect(found.length).toBeGreaterThan(0);
    for (const example of found)
      expect(path === 'holdpoint' || example.includes(`${path} `) || example.endsWith(path)).toBe(true);
  });
});

describe('the example', PATIENT, () => {
  const ordered = [...new Set(examples.map((e) => e.example))].sort((a, b) => lastOnes(a) - lastOnes(b));
  it.each(ordered)('runs: %s', async (example) => {
    await prepare();
    if (STAYS.test(example)) return stays(example);
    const [, first = ''] = PREPARED.find(([name]) => example.includes(name)) ?? [];
    const line = first + example.replace(/postgres:\/\/\S+/, database);
    const ended = await shell(line, example.endsWith('--interactive') ? '1\n\n' : undefined).ended;
    expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0);
  });
});

/** What the examples speak of: the session `nightly` at work, a question (781b0c), an approval (d1d077), a token, a webhook. */
async function prepare(): Promise<void> {
  const { client } = bed;
  for (const { token_id, name, revoked_at_ms } of (await client.tokens.list({ limit: 500 })).items)
    if (name === 'dashboard' && revoked_at_ms === undefined) await client.tokens.revoke(token_id);
  await client.tokens.create({ scope: 'viewer', name: 'dashboard' });
  const guide = { 'review-notes/SKILL.md': readFileSync(join(root, 'examples/review-notes/SKILL.md')) };
  const file = new Blob([zipSync(guide) as Uint8Array<ArrayBuffer>]);
  await client.skills.upload({ file, fileName: 'review-notes.zip' }).catch(() => {});
  for (const { webhook_id } of await client.webhooks.list()) await client.webhooks.remove(webhook_id);
  const url = `http://127.0.0.1:${(opencode.address() as AddressInfo).port}`;
  await client.webhooks.add({ name: 'ops', url });
  for (const { grant_id } of (await client.grants.list()).items) await client.grants.revoke(grant_id);
  const session = await client.sessions.create({ agent: 'external', session_id: 'nightly', title: 'Nightly build' });
  if (session.active_run_id) await client.runs.cancel(session.active_run_id);
  const { run_id } = await client.runs.start('nightly', { input: { text: 'deploy' } });
  await client.asks.raise(run_id, { kind: 'question', tool_call_id: 'deploy', questions: [TARGET] });
  const input = { command: 'rm -rf build' };
  await client.asks.raise(run_id, { kind: 'approval', tool_call_id: 'clean', tool_name: 'Bash', input });
}

/** It says that it is there, and ends well when it is told to. */
async function stays(example: string): Promise<void> {
  const { token } = await bed.client.tokens.create({ scope: 'worker' });
  const file = join(temporaryFolder(), 'worker.token');
  writeFileSync(file, token, { mode: 0o600 });
  const account = process.getuid?.() === 0 ? '--run-as nobody' : '';
  const started = shell(
    `exec ${example.replace('/etc/holdpoint/worker.token', file).replace('--run-as agents', account)}`,
  );
  let isOver = false;
  void started.ended.then(() => {
    isOver = true;
  });
  while (started.stdout() === '' && !isOver) {
    await bed.client.sessions.create({ agent: 'external' });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  started.child.kill('SIGINT');
  const ended = await started.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).not.toBe('');
}

function everyCommand(command: Command, above = ''): { path: string; command: Command }[] {
  const path = `${above} ${command.name()}`.trim();
  return [{ path, command }, ...command.commands.flatMap((below) => everyCommand(below, path))];
}

function examplesOf(command: Command): string[] {
  let text = '';
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  const section = text.split(/^Examples:$/m)[1] ?? '';
  return [...section.matchAll(/^ {2}\$ (.+)$/gm)].map(([, example = '']) => example);
}
