// A person's own OpenCode server, the real one, followed by the worker of a real Holdpoint server: asks from a folder that the
// server was not started in, questions, sub-agents, an abort, and the death of either side with an ask open.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { opencode as binary, opencodeVersion } from './binaries.ts';
import { Model, REPLY } from './model.ts';
import { opencodeEnvironment } from './opencode-test-bed.ts';

const root = mkdtempSync(join(tmpdir(), 'holdpoint-opencode-own-'));
const PASSWORD = 'a password';
const headers = {
  authorization: `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString('base64')}`,
  'content-type': 'application/json',
};
let model: Model;
let opencode: ChildProcess;
let url: string;
let holdpoint: Holdpoint;
let bed: TestBed;

async function call(folder: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${url}${path}?directory=${encodeURIComponent(folder)}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return JSON.parse((await response.text()) || '{}');
}

/** A prompt in a session of its own, in a folder of its own, as another client of the server gives it. */
async function prompt(key: string, tools: (folder: string) => { tool: string; input: Record<string, unknown> }[]) {
  const folder = join(root, key);
  mkdirSync(folder);
  model.play([tools(folder), [{ text: 'Done.' }]], key);
  const { id } = await call(folder, '/session', { title: key });
  await call(folder, `/session/${id}/prompt_async`, { parts: [{ type: 'text', text: `Do this: ${key}` }] });
  const [ask] = (await bed.pending(`opencode-own-${id}`)) as [AskView];
  return { id, folder, ask, has: (name: string) => existsSync(join(folder, name)) };
}

async function killOpencode(): Promise<void> {
  const gone = new Promise((resolve) => opencode.once('exit', resolve));
  if (opencode.exitCode === null && opencode.signalCode === null && opencode.kill('SIGKILL')) await gone;
}

const bash = (command: string) => [{ tool: 'bash', input: { command, description: 'd' } }];
const told = (key: string, text: string) =>
  bed.until(async () => model.told.find((one) => one.includes(key) && one.includes(text)));

describe.skipIf(!binary)(`OpenCode ${opencodeVersion}, attached`, () => {
  beforeAll(async () => {
    model = await Model.start();
    const own = opencodeEnvironment(root, model.url, { permission: { bash: 'ask', edit: 'ask' } });
    const env = { ...own, OPENCODE_SERVER_PASSWORD: PASSWORD };
    opencode = spawn(binary as string, ['serve', '--hostname', '127.0.0.1', '--port', '0'], { cwd: root, env });
    url = await new Promise((resolve) => {
      opencode.stdout?.on('data', (text) => {
        const found = /listening on (\S+)/.exec(String(text))?.[1];
        if (found) resolve(found);
      });
    });
    holdpoint = await startHoldpoint({ via: 'main', env: { HOME: root } });
    bed = new TestBed(holdpoint.url, holdpoint.token);
    const target = { OPENCODE_URL: url, OPENCODE_SERVER_PASSWORD: PASSWORD };
    const connect = spawnHoldpoint({
      command: ['connect', 'opencode', '--yes'],
      via: 'main',
      data: holdpoint.data,
      env: { ...target, HOLDPOINT_URL: holdpoint.url, HOLDPOINT_TOKEN: holdpoint.token },
    });
    expect(await connect.exited, connect.stderr()).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    // OpenCode does not end by itself while a client listens to its events.
    await endEverything();
    await killOpencode();
    model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  it('asks from a folder that it was not started in; a denial reaches the model with its reason', async () => {
    const { ask, has } = await prompt('task-denied', () => bash('touch denied.txt'));
    expect(ask.request).toMatchObject({ tool_name: 'Bash', input: { command: 'touch denied.txt' } });
    await bed.decide(ask, { behavior: 'deny', reason: 'use the staging folder' });
    await told('task-denied', 'use the staging folder');
    expect(has('denied.txt')).toBe(false);
  });

  it('replies to a comment in a session that is deleted, and its request stays open until it is decided', async () => {
    const { ask, folder, has } = await prompt('commented', () => bash('touch made'));
    expect(ask.takes_comments).toBe(true);
    await bed.api.asks.comment(ask.ask_id, 'yes, but why?');
    const replied = async () => (await bed.api.asks.get(ask.ask_id)).comments?.map(({ role, text }) => [role, text]);
    await expect.poll(replied, { timeout: 30_000 }).toEqual([
      ['person', 'yes, but why?'],
      ['agent', REPLY],
    ]);
    const sessions = async () => {
      const listed = await fetch(`${url}/session?directory=${encodeURIComponent(folder)}`, { headers });
      return ((await listed.json()) as { title: string }[]).filter(({ title }) => title.includes('commented')).length;
    };
    await expect.poll(sessions, { timeout: 30_000 }).toBe(1);
    expect([has('made'), (await bed.api.asks.get(ask.ask_id)).status]).toEqual([false, 'pending']);
    await bed.decide(ask, { behavior: 'allow' });
    await bed.until(async () => has('made') || undefined);
  });

  it('ends the request of a session that is deleted', async () => {
    const { id, ask, folder, has } = await prompt('task-deleted', () => bash('touch made'));
    await fetch(`${url}/session/${id}?directory=${encodeURIComponent(folder)}`, { method: 'DELETE', headers });
    await expect.poll(async () => (await bed.api.asks.get(ask.ask_id)).status, { timeout: 30_000 }).not.toBe('pending');
    expect(has('made')).toBe(false);
  });

  it('has a request rejected whose turn was aborted, and a late allow writes nothing', async () => {
    const { ask, has, id, folder } = await prompt('task-aborted', (at) => [
      { tool: 'write', input: { filePath: join(at, 'late.txt'), content: 'late' } },
    ]);
    await call(folder, `/session/${id}/abort`, {});
    await bed.pending(`opencode-own-${id}`, 0);
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    const open = await fetch(`${url}/permission?directory=${encodeURIComponent(folder)}`, { headers });
    expect(await open.json()).toEqual([]);
    expect(has('late.txt')).toBe(false);
  });

  it('keeps an ask over kill -9 of Holdpoint, and acts on its answer once', async () => {
    const { ask, has } = await prompt('task-restarted', () => bash('touch restarted.txt'));
    const { port } = new URL(holdpoint.url);
    await holdpoint.end('SIGKILL');
    holdpoint = await startHoldpoint({
      via: 'main',
      args: ['--port', port],
      data: holdpoint.data,
      env: { HOME: root },
    });
    await bed.decide(ask, { behavior: 'allow' });
    await bed.until(async () => (has('restarted.txt') ? true : undefined));
    await told('task-restarted', '(no output)');
    await bed.until(async () =>
      (await bed.api.asks.get(ask.ask_id)).delivery.state === 'delivered' ? true : undefined,
    );
  });

  it('asks questions, and the answer reaches the model', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which colour?', header: 'Colour', options }];
    const { ask } = await prompt('task-question', () => [{ tool: 'question', input: { questions } }]);
    if (ask.kind !== 'question') throw new Error('it is a question set');
    const [asked] = ask.request.questions;
    const blue = asked?.options.find(({ label }) => label === 'Blue')?.id ?? '';
    await bed.answer(ask, { question_id: asked?.id ?? '', selected_option_ids: [blue] });
    await told('task-question', '=\\"Blue\\"');
  });

  it('asks for its sub-agents in the session of the conversation, under their names', async () => {
    model.play([bash('touch sub.txt'), [{ text: 'Done.' }]], 'look-for-the-bug');
    const task = { description: 'find it', prompt: 'look-for-the-bug', subagent_type: 'general' };
    const { ask, has } = await prompt('task-parent', () => [{ tool: 'task', input: task }]);
    expect(ask.request).toMatchObject({ lineage: ['general: find it'], input: { command: 'touch sub.txt' } });
    await bed.decide(ask, { behavior: 'allow' });
    await bed.until(async () => (has('sub.txt') ? true : undefined));
  });

  it('that was killed with an ask open has lost it: the ask ends, and a late answer is refused', async () => {
    const { ask, has } = await prompt('task-killed', () => bash('touch killed.txt'));
    await killOpencode();
    await bed.until(async () => ((await bed.api.asks.get(ask.ask_id)).status === 'pending' ? undefined : true));
    await expect(bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await bed.until(async () => ((await bed.api.runs.get(ask.run_id)).status === 'failed' ? true : undefined));
    expect(has('killed.txt')).toBe(false);
  });
});
