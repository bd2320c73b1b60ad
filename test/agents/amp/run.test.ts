// A managed Amp, played by a stand-in that prints the stream which Amp documents. The real one needs an account.
// Covers: src/agents/amp/input.ts, src/agents/amp/protocol.ts, src/agents/amp/folder-settings.ts
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { amp } from '../../../src/agents/amp/agent.ts';
import { connector } from '../../../src/agents/amp/connect.ts';
import { readAmpInput } from '../../../src/agents/amp/input.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('planned-amp.mjs', amp);
const TARGET = { program: '/opt/bin/holdpoint', url: 'http://127.0.0.1:4777', data: '/home/dev/data', token: '' };
const settings = (text: string) => writeFileSync(join(standIn.root, 'settings.json'), text);
const CONNECTED = connector.connected(undefined, TARGET);

async function run(input: object, session?: string, rules?: object[]) {
  const work_folder = join(standIn.root, 'work');
  mkdirSync(work_folder, { recursive: true });
  const { api } = standIn.bed;
  const session_id =
    session ??
    (await api.sessions.create({ agent: 'amp', work_folder, ...(rules && { rules: rules as [] }) })).session_id;
  const { run_id } = await api.runs.start(session_id, { input: { text: 'go', ...input } });
  return standIn.bed.over(run_id);
}

describe('a managed Amp', () => {
  beforeAll(() => {
    process.env.AMP_SETTINGS_FILE = join(standIn.root, 'settings.json');
    settings(CONNECTED);
  });
  afterEach(() => settings(CONNECTED));

  it('reports what it says and does, and continues its thread in the next run', async () => {
    const { status, outputs, session_id } = await run({ mode: 'high' });
    expect(status).toBe('completed');
    const texts = outputs.map(({ text }) => text).filter(Boolean);
    expect(texts).toEqual(['On it.', 'Bash {"cmd":"ls"}', '--execute --stream-json --mode high: go']);
    const next = await run({ text: 'and then' }, session_id);
    expect(JSON.stringify(next.outputs)).toContain('threads continue T-9 --execute --stream-json: and then');
  });

  it('is not started where its settings have no permission rules of Holdpoint', async () => {
    settings('{}');
    expect(await run({})).toMatchObject({ status: 'failed', error: expect.stringContaining('holdpoint connect amp') });
  });

  it('is started with the settings of its person and what rules say about whole tools, in a file that is removed', async () => {
    const rules = [
      { tool: 'edit_file', action: 'allow' },
      { tool: 'Bash', action: 'reject' },
    ];
    const { outputs } = await run({ text: '[settings]' }, undefined, rules);
    const { file, settings: used } = JSON.parse(outputs.at(-1)?.text ?? '') as { file: string; settings: string };
    expect(JSON.parse(used)['amp.permissions'].slice(0, 4)).toEqual([
      { tool: 'Bash', action: 'reject' },
      { tool: 'shell_command', action: 'reject' },
      { tool: 'async_shell_command', action: 'reject' },
      { tool: 'edit_file', action: 'allow' },
    ]);
    expect(connector.targets(used)).toEqual([{ url: TARGET.url, data: TARGET.data }]);
    expect(existsSync(file)).toBe(false);
  });

  it('is not started where the folder brings permissions of its own', async () => {
    const folder = join(standIn.root, 'work', '.amp');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'settings.json');
    const started = async () => (await run({})).status;
    const brought = (text: string) => writeFileSync(file, text);
    brought('{"amp.url": "https://a"}');
    expect(await started()).toBe('completed');
    for (const text of ['{"amp.\\u0070ermissions": []}', '{"amp": {"dangerouslyAllowAll": true}}', 'no json']) {
      brought(text);
      expect(await run({}), text).toMatchObject({ status: 'failed', error: expect.stringContaining(file) });
    }
    rmSync(file);
    symlinkSync('/etc/hostname', file);
    expect(await started()).toBe('failed');
    rmSync(folder, { recursive: true });
  });

  it('fails with what it says about an error, or without a result', async () => {
    expect(await run({ text: '[fail]' })).toMatchObject({ status: 'failed', error: 'Out of credits' });
    expect(await run({ text: '[exit]' })).toMatchObject({
      status: 'failed',
      error: 'Amp ended without a result (exit code 1): No login',
    });
  });

  it('takes a text and a mode, and nothing else', () => {
    expect(readAmpInput({ text: 'go' }, { text: 'before', mode: 'high' })).toEqual({ text: 'go', mode: 'high' });
    expect(readAmpInput({ text: 'go', modes: 'high' })).toEqual({ problem: expect.stringContaining('"modes"') });
  });
});
