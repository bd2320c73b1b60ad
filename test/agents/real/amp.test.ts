// The real Amp evaluates the permission rules of Holdpoint and runs its delegate, without an account: `amp permissions test` does
// what a turn of Amp would do before a tool call. A turn itself needs Amp's cloud, and is not tested.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { connector, settingsWith } from '../../../src/agents/amp/connect.ts';
import { type Rule, sourced } from '../../../src/core/rule.ts';
import { toolRules } from '../../../src/core/tool-rules.ts';
import type { AskView } from '../../../src/core/views.ts';
import { connectedAmpForAll } from '../amp/test-bed.ts';
import { ampVersion, amp as binary } from './binaries.ts';

const TEST_EXITS = { allow: 0, ask: 1, reject: 2 };

describe.skipIf(!binary)(`Amp ${ampVersion}`, () => {
  const amp = connectedAmpForAll();

  /** What Amp decides about a call, and the error that it would report. */
  async function decided(thread: string, tool: string, ...args: string[]) {
    const argv = ['permissions', 'test', tool, ...args, '--json', '-t', thread];
    const env = { PATH: process.env.PATH, HOME: amp.folder, AMP_SETTINGS_FILE: amp.settingsFile };
    const child = spawn(binary as string, argv, { cwd: amp.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const code = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const { action, error } = JSON.parse(await text(child.stdout)) as {
      action: keyof typeof TEST_EXITS;
      error?: string;
    };
    expect(await code).toBe(TEST_EXITS[action]);
    return { action, error };
  }
  const oneAsk = async (thread: string) => (await amp.bed.pending(`amp-own-${thread}`, 1))[0] as AskView;

  it('runs the delegate for a command and takes an allow from it', async () => {
    const decision = decided('T-1', 'Bash', '--cmd', 'deploy prod');
    const ask = await oneAsk('T-1');
    expect(ask.request).toMatchObject({
      tool_name: 'Bash',
      input: { command: 'deploy prod' },
      work_folder: amp.folder,
    });
    await amp.bed.decide(ask, { behavior: 'allow' });
    expect((await decision).action).toBe('allow');
  });

  it('rejects what was denied, with the reason', async () => {
    const decision = decided('T-2', 'edit_file', '--path', '/srv/a.txt');
    await amp.bed.decide(await oneAsk('T-2'), { behavior: 'deny', reason: 'not on a Friday' });
    expect(await decision).toMatchObject({ action: 'reject', error: expect.stringContaining('not on a Friday') });
  });

  it('leaves what a rule of the person decides to that rule', async () => {
    const ours = readFileSync(amp.settingsFile, 'utf8');
    const own = { 'amp.permissions': [{ tool: 'Bash', matches: { cmd: 'make *' }, action: 'allow' }] };
    const [target] = connector.targets(ours);
    const place = { program: '/nowhere/holdpoint', url: target?.url ?? '', data: target?.data ?? '', token: '' };
    writeFileSync(amp.settingsFile, connector.connected(JSON.stringify(own), place));
    expect((await decided('T-3', 'Bash', '--cmd', 'make build')).action).toBe('allow');
    // Its delegate is not there, so every other call is rejected.
    expect((await decided('T-3', 'Bash', '--cmd', 'ls')).action).toBe('reject');
    writeFileSync(amp.settingsFile, ours);
  });

  it('decides by compiled rules what they say about whole tools, and widens nothing that its person restricts', async () => {
    const connected = readFileSync(amp.settingsFile, 'utf8');
    const own = [
      { tool: 'create_file', matches: { path: '*.env' }, action: 'reject' },
      { tool: 'delete_file', action: 'ask' },
      { tool: 'Bash', matches: { cmd: 'make *' }, action: 'allow' },
      { tool: 'mcp__db__drop', action: 'allow' },
    ];
    const [target] = connector.targets(connected);
    const place = { program: '/nowhere/holdpoint', url: target?.url ?? '', data: target?.data ?? '', token: '' };
    const settings = connector.connected(JSON.stringify({ 'amp.permissions': own }), place);
    const rules: Rule[] = [
      { tool: 'edit_file', action: 'allow' },
      { tool: 'create_file', action: 'allow' },
      { tool: 'delete_file', action: 'allow' },
      { tool: 'Read', action: 'reject' },
      { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' },
      { tool: 'mcp__notes__read', action: 'allow' },
      { tool: 'mcp__*', action: 'reject' },
    ];
    writeFileSync(amp.settingsFile, settingsWith(settings, toolRules(sourced('session', 'a session', rules))));
    // The delegate is not there, so that what is delegated is rejected with an error.
    const said = async (tool: string, ...args: string[]) => {
      const { action, error } = await decided('T-6', tool, ...args);
      return error === undefined ? action : 'delegated';
    };
    expect({
      edit: await said('edit_file', '--path', 'a'),
      create: await said('create_file', '--path', 'a'),
      ownReject: await said('create_file', '--path', 'a.env'),
      ownAsk: await said('delete_file', '--path', 'a'),
      read: await said('Read', '--path', '/etc/passwd'),
      git: await said('Bash', '--cmd', 'git status'),
      make: await said('shell_command', '--command', 'make all'),
      ownAllowBehindRules: await said('Bash', '--cmd', 'make all'),
      named: await said('mcp__notes__read'),
      glob: await said('mcp__db__drop'),
      other: await said('web_search', '--query', 'a'),
    }).toEqual({
      edit: 'allow',
      create: 'allow',
      ownReject: 'reject',
      ownAsk: 'ask',
      read: 'reject',
      git: 'delegated',
      make: 'delegated',
      ownAllowBehindRules: 'delegated',
      named: 'allow',
      glob: 'delegated',
      other: 'allow',
    });
    writeFileSync(amp.settingsFile, connected);
  });

  it('asks again by itself once it is disconnected', async () => {
    const ours = readFileSync(amp.settingsFile, 'utf8');
    writeFileSync(amp.settingsFile, connector.disconnected(ours));
    expect((await decided('T-4', 'Bash', '--cmd', 'git push')).action).toBe('ask');
    writeFileSync(amp.settingsFile, ours);
  });

  it('rejects when the server is gone', async () => {
    await amp.server.end('SIGKILL');
    expect(await decided('T-5', 'Bash', '--cmd', 'ls')).toMatchObject({ action: 'reject' });
    rmSync(amp.settingsFile);
  });
});
