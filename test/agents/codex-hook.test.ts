// `codex exec`, which has nobody to ask: its hook asks here. What was decided is what the model was told and what ran.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connected } from '../../src/agents/codex-settings.ts';
import type { AskView } from '../../src/core/views.ts';
import { root as repository } from '../support/process.ts';
import { openServer, type Server } from '../support/server.ts';
import { Stage } from '../worker/stage.ts';
import { codex, codexVersion } from './binaries.ts';
import { escalated, readIfThere, setUp } from './codex-stage.ts';
import { OpenAiModel, type Script } from './model-openai.ts';

const root = mkdtempSync(join(tmpdir(), 'holdpoint-codex-hook-'));
let model: OpenAiModel;
let server: Server;
let stage: Stage;
let made = 0;
beforeAll(async () => {
  if (!codex) return;
  model = await OpenAiModel.start();
  setUp(root, model.url, '');
  server = await openServer();
  stage = new Stage(await server.url(), server.token);
  const data = join(root, 'state');
  mkdirSync(data);
  writeFileSync(join(data, 'worker.token'), (await stage.api.tokens.create({ scope: 'worker' })).token);
  const place = { program: join(repository, 'bin', 'holdpoint'), url: stage.url, data };
  writeFileSync(join(root, 'home', 'hooks.json'), connected(undefined, place));
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  if (!codex) return;
  await server.close();
  model.close();
});

const FLAGS = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-hook-trust'];
const POLICY = [
  '-c',
  'approvals_reviewer="auto_review"',
  '-c',
  'approval_policy="on-request"',
  '-s',
  'workspace-write',
];

async function exec(
  key: string,
  script: Script,
): Promise<{ ask: AskView; folder: string; ended: Promise<number | null> }> {
  made += 1;
  const folder = join(root, `work-${made}`);
  mkdirSync(folder);
  model.play(key, script);
  const child: ChildProcess = spawn(codex ?? '', [...FLAGS, ...POLICY, `Do this: ${key}`], {
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ask = await stage.until(async () => (await stage.api.asks.list({ status: 'pending' })).items[0]);
  return { ask, folder, ended };
}
const DONE = [{ text: 'Done.' }];

describe.skipIf(!codex)(`codex exec ${codexVersion} with the hook`, () => {
  it('runs what was allowed', async () => {
    const { ask, folder, ended } = await exec('hook-allowed', [[escalated('echo hi > a.txt', 'Need it')], DONE]);
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'echo hi > a.txt', cwd: folder },
      reason: 'Need it',
    });
    expect(readIfThere(folder, 'a.txt')).toBeUndefined();
    await stage.decide(ask, { behavior: 'allow' });
    expect(await ended).toBe(0);
    expect(readIfThere(folder, 'a.txt')).toBe('hi\n');
    expect(await stage.over(ask.run_id)).toMatchObject({ status: 'completed' });
  });

  it('tells the model why it was denied', async () => {
    const script: Script = [[{ ...escalated('echo hi > b.txt'), id: 'call_H' }], DONE];
    const { ask, folder, ended } = await exec('hook-denied', script);
    await stage.decide(ask, { behavior: 'deny', reason: 'use git' });
    await ended;
    expect(readIfThere(folder, 'b.txt')).toBeUndefined();
    expect(model.resultOf('hook-denied', 'call_H')).toContain('use git');
  });
});
