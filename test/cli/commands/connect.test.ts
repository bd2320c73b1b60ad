// `holdpoint connect claude` and `disconnect`: the change is shown first, the file is backed up and restored byte by byte,
// and a file that is not understood is not changed.
// Covers: src/boot/connecting.ts, src/cli/commands/disconnect.ts, src/cli/connect/settings-change.ts
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/process.ts';
import { hasPty, KEYS } from '../../support/pty.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();
let home: string;
let settings: string;
let env: Record<string, string>;
beforeEach(() => {
  home = temporaryFolder();
  settings = join(home, 'settings.json');
  env = { CLAUDE_CONFIG_DIR: home, HOLDPOINT_DATA: temporaryFolder(), HOLDPOINT_TOKEN: bed.server.token };
});

/** Where the program runs, and no agent is installed. */
const WITHOUT_AGENTS = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');
const run = (...args: string[]) => bed.run(args, { env });
const odd = '{\n    "model" : "opus",   "permissions":{"allow":["Bash(ls *)"]}\n}\n\n';
const tokens = async () => (await bed.client.tokens.list()).items.filter((token) => token.scope === 'attached');

describe('connect', PATIENT, () => {
  it('shows the change and makes none without --yes', async () => {
    writeFileSync(settings, odd);
    const shown = await run('connect', 'claude');
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain('PermissionRequest');
    expect(shown.stdout).toContain('created when you confirm');
    expect(shown.stderr).toContain('--yes');
    expect(readFileSync(settings, 'utf8')).toBe(odd);
    expect(readdirSync(home)).toEqual(['settings.json']);
  });

  it('backs the file up, and disconnect restores it byte by byte', async () => {
    writeFileSync(settings, odd);
    chmodSync(settings, 0o644);
    const connected = await bed.run(['connect', 'claude', '--yes'], { env: { ...env, PATH: WITHOUT_AGENTS } });
    expect(connected).toMatchObject({ code: 0, stderr: expect.stringContaining('claude is not in the PATH') });
    const { hooks, model } = JSON.parse(readFileSync(settings, 'utf8'));
    expect(model).toBe('opus');
    const [hook] = hooks.PreToolUse[0].hooks;
    expect(hook.url).toBe(`${bed.server.url}/v1/hooks/claude`);
    const [program] = hooks.PermissionRequest[0].hooks;
    expect(program.command).toContain(` hook claude --url ${bed.server.url} --data `);
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${settings}.before-holdpoint`, 'utf8')).toBe(odd);
    const secret = String(hook.headers.Authorization).replace('Bearer ', '');
    const called = () =>
      fetch(hook.url, {
        method: 'POST',
        body: '{}',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      });
    expect((await called()).status).toBe(200);
    expect(await run('connect', 'claude', '--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('already'),
    });
    const back = await run('disconnect', 'claude', '--yes');
    expect([back.code, back.stdout.includes(secret), back.stdout.includes('PostToolUse')]).toEqual([0, false, true]);
    expect(readFileSync(settings, 'utf8')).toBe(odd);
    expect(statSync(settings).mode & 0o777).toBe(0o644);
    expect(readdirSync(home)).toEqual(['settings.json']);
    expect((await called()).status).toBe(401);
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing was changed'),
    });
  });

  it('leaves no file where there was none, and follows a symbolic link', async () => {
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect(existsSync(settings)).toBe(false);
    const kept = join(temporaryFolder(), 'claude.json');
    writeFileSync(kept, odd);
    symlinkSync(kept, settings);
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(kept, 'utf8')).toContain('/v1/hooks/claude');
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(kept, 'utf8')).toBe(odd);
    expect(readFileSync(settings, 'utf8')).toBe(odd);
  });

  it('removes only its hooks from a file that was changed since', async () => {
    writeFileSync(settings, odd);
    await run('connect', 'claude', '--yes');
    const changed = JSON.parse(readFileSync(settings, 'utf8'));
    writeFileSync(settings, JSON.stringify({ ...changed, theme: 'dark' }, undefined, 3));
    const ended = await run('disconnect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('.before-holdpoint') });
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ ...JSON.parse(odd), theme: 'dark' });
  });

  it('removes only its hooks, and revokes its token, when the backup is gone', async () => {
    const before = await tokens();
    writeFileSync(settings, odd);
    await run('connect', 'claude', '--yes');
    expect(await tokens()).toHaveLength(before.length + 1);
    const [hook] = JSON.parse(readFileSync(settings, 'utf8')).hooks.PreToolUse[0].hooks;
    rmSync(`${settings}.before-holdpoint`);
    const ended = await run('disconnect', 'claude', '--yes');
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('.before-holdpoint is gone: only the hooks'),
    });
    expect(ended.stderr).not.toContain('still in');
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual(JSON.parse(odd));
    const headers = { ...hook.headers, 'content-type': 'application/json' };
    expect((await fetch(hook.url, { method: 'POST', body: '{}', headers })).status).toBe(401);
  });

  it.each(['{"a": 1,}', '// mine\n{}', '[]', '{"hooks": 3}'])(
    'does not change a file that it does not understand: %j',
    async (text) => {
      writeFileSync(settings, text);
      const before = await tokens();
      const ended = await run('connect', 'claude', '--yes');
      expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('was not changed') });
      expect(readFileSync(settings, 'utf8')).toBe(text);
      expect(readdirSync(home)).toEqual(['settings.json']);
      expect(await tokens()).toHaveLength(before.length);
    },
  );

  it('refuses an unknown agent', async () => {
    expect(await run('connect', 'emacs')).toMatchObject({ code: 2, stderr: expect.stringContaining('claude') });
  });

  it.skipIf(!hasPty)('asks at a terminal, and takes Enter for no', async () => {
    const terminal = bed.terminal(['connect', 'claude'], { env: bed.env(env) });
    await terminal.shows('Change');
    terminal.type(KEYS.enter);
    expect(await terminal.exited).toBe(8);
    // A change that is not shown cannot be confirmed.
    const unseen = bed.terminal(['connect', 'claude', '--json'], { env: bed.env(env) });
    expect(await unseen.exited).toBe(2);
    expect(existsSync(settings)).toBe(false);
  });

  it.skipIf(!hasPty)('does not change a file that was changed while it asked', async () => {
    const confirmed = async (command: string, question: string, text: string) => {
      const terminal = bed.terminal([command, 'claude'], { env: bed.env(env) });
      await terminal.shows(question);
      writeFileSync(settings, text);
      terminal.type('y');
      expect(await terminal.exited).toBe(4);
      expect(terminal.screen().join(' ')).toContain('was changed by another program meanwhile');
      expect(readFileSync(settings, 'utf8')).toBe(text);
    };
    const before = await tokens();
    await confirmed('connect', 'Change', odd);
    await confirmed('connect', 'Change', '{"theme":"dark"}');
    expect(readdirSync(home)).toEqual(['settings.json']);
    expect(await tokens()).toHaveLength(before.length);
    await run('connect', 'claude', '--yes');
    const connected = JSON.parse(readFileSync(settings, 'utf8'));
    await confirmed('disconnect', 'Restore ', JSON.stringify({ ...connected, model: 'opus' }));
    await confirmed('disconnect', 'Remove the hooks', JSON.stringify({ ...connected, model: 'sonnet' }));
    expect(await tokens()).toHaveLength(before.length + 1);
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
  });
});
