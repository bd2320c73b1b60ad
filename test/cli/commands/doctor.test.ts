// `holdpoint doctor` about agents: what is installed, what was tested, what is missing, and whether a connection is whole.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { program as claude } from '../../../src/agents/claude/program.ts';
import { program as codex } from '../../../src/agents/codex/program.ts';
import { temporaryFolder } from '../../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(closeTestBeds);

interface Check {
  name: string;
  state: string;
  detail: string;
  advice?: string;
}

it('names what is installed, tested, missing and connected', PATIENT, async () => {
  const bin = temporaryFolder();
  const home = temporaryFolder();
  const program = (name: string, says: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
  program('claude', `${claude.tested} (Claude Code)`);
  program('codex', 'codex-cli 0.0.7');
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, 'c'),
    CODEX_HOME: join(home, 'x'),
    HOLDPOINT_DATA: temporaryFolder(),
  };
  const checks = async (path = env.PATH): Promise<Check[]> => {
    const { code, stdout } = await bed.run(['doctor', '--json'], { env: { ...env, PATH: path } });
    expect(code).toBe(0);
    return JSON.parse(stdout).checks;
  };
  const named = (list: Check[], name: string) => list.find((check) => check.name === name);

  const fresh = await checks();
  expect(named(fresh, 'claude')).toEqual({
    name: 'claude',
    state: 'good',
    detail: `${claude.tested}, the version that was tested`,
  });
  expect(named(fresh, 'codex')).toEqual({
    name: 'codex',
    state: 'warning',
    detail: `0.0.7; tested with ${codex.tested}`,
    advice: `if it misbehaves: ${codex.install}@${codex.tested}`,
  });
  expect(named(fresh, 'claude hooks')).toBeUndefined();

  await bed.run(['connect', 'claude', '--yes'], { env });
  mkdirSync(env.CODEX_HOME);
  const foreign = { type: 'command', command: '/elsewhere/holdpoint hook codex --url http://127.0.0.1:1 --data /d' };
  const hooks = { PermissionRequest: [{ hooks: [foreign] }] };
  writeFileSync(join(env.CODEX_HOME, 'hooks.json'), JSON.stringify({ hooks }));
  const connected = await checks('/usr/bin:/bin');
  expect(named(connected, 'claude')).toMatchObject({
    state: 'warning',
    detail: `not in the PATH of this terminal; tested with ${claude.tested}`,
    advice: `to use it: ${claude.install} (a worker looks in its own PATH)`,
  });
  expect(named(connected, 'claude hooks')).toMatchObject({
    state: 'good',
    detail: expect.stringContaining('c/settings'),
  });
  expect(named(connected, 'codex hooks')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('knows nothing of'),
    advice: expect.stringContaining('disconnect codex'),
  });
});
