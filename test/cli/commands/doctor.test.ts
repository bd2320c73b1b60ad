// `holdpoint doctor`: what it reports of the server, the token and the agents; and its advice, followed word for word.
// Covers: src/boot/agents.ts, src/cli/connect/agent-checks.ts
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program as amp } from '../../../src/agents/amp/program.ts';
import { program as claude } from '../../../src/agents/claude/program.ts';
import { program as codex } from '../../../src/agents/codex/program.ts';
import { createClient } from '../../../src/client/client.ts';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { openTestBed, PATIENT, type TestBed, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

interface Check {
  name: string;
  state: string;
  detail: string;
  advice?: string;
}

async function checksOf(bed: TestBed, env: Record<string, string>): Promise<Check[]> {
  return JSON.parse((await bed.run(['doctor', '--json'], { env })).stdout).checks;
}

it('reports that everything is in order', PATIENT, async () => {
  const env = { HOLDPOINT_DATA: bed.server.data, HOLDPOINT_TOKEN: '' };
  const ended = await bed.run(['doctor'], { env });
  expect(ended.code).toBe(0);
  expect(ended.stdout.match(/^✓ /gm)).toHaveLength(7);
  expect(ended.stdout).toMatch(/token +valid, scope operator/);
  expect(ended.stdout).toMatch(/agents .*mock/);
  const json = JSON.parse((await bed.run(['doctor', '--json'], { env })).stdout);
  expect(json).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([{ name: 'database', state: 'good', detail: expect.any(String) }]),
  });
});

it('advises on an unreachable server, a wrong or weak token, and a readable state folder', PATIENT, async () => {
  const none = await bed.run(['doctor'], { env: { HOLDPOINT_URL: 'http://127.0.0.1:9' } });
  expect(none.code).toBe(7);
  expect(none.stdout).toMatch(/✗ server .*\n(?:.*\n)*? {2}→ .*serve/);
  const wrong = await bed.run(['doctor', '--token', 'guessed']);
  expect(wrong.code).toBe(6);
  expect(wrong.stdout).toMatch(/✗ token .*\n {2}→ set HOLDPOINT_TOKEN/);
  const { token } = await bed.client.tokens.create({ scope: 'viewer' });
  const viewer = await bed.run(['doctor', '--token', token], { env: { HOLDPOINT_DATA: temporaryFolder() } });
  expect(viewer.code).toBe(0);
  expect(viewer.stdout).toMatch(/! token +valid, scope viewer.*\n {2}→ it cannot answer/);
  expect(viewer.stdout).toMatch(/exposure .*operator\.token.*memory of server and worker.*worker --run-as <account>/);
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const open = await bed.run(['doctor'], { env: { HOLDPOINT_DATA: folder } });
  expect(open.stdout).toContain(`→ chmod go= ${folder}`);
});

it('says what of Amp is not tested, and whether its permission rules ask here', PATIENT, async () => {
  const [bin, home] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(bin, 'amp'), `#!/bin/sh\necho "${amp.tested} (released yesterday)"\n`, { mode: 0o755 });
  const settings = join(home, 'amp.json');
  const own = '{\n  // mine\n  "amp.url": "https://ampcode.com"\n}\n';
  writeFileSync(settings, own);
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: home,
    AMP_SETTINGS_FILE: settings,
    HOLDPOINT_DATA: temporaryFolder(),
  };
  expect((await bed.run(['connect', 'amp', '--yes'], { env })).code).toBe(0);
  const checks = await checksOf(bed, env);
  expect(checks.find(({ name }) => name === 'amp')).toEqual({
    name: 'amp',
    state: 'good',
    detail: `${amp.tested}, the tested version; ${amp.untested}`,
  });
  expect(checks.find(({ name }) => name === 'amp hooks')).toMatchObject({ state: 'good' });
  expect((await bed.run(['disconnect', 'amp', '--yes'], { env })).code).toBe(0);
  expect(readFileSync(settings, 'utf8')).toBe(own);
});

it('reports which agents are installed, tested, missing and connected', PATIENT, async () => {
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
  const checks = (path = env.PATH) => checksOf(bed, { ...env, PATH: path });
  const named = (list: Check[], name: string) => list.find((check) => check.name === name);

  const fresh = await checks();
  expect(named(fresh, 'claude')).toEqual({
    name: 'claude',
    state: 'good',
    detail: `${claude.tested}, the tested version`,
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
    detail: expect.stringContaining('has no record'),
    advice: expect.stringContaining('disconnect codex'),
  });
});

/** Runs the commands of an advice as they would be typed. */
async function follow(bed: TestBed, env: Record<string, string>, advice = ''): Promise<void> {
  for (const command of advice.split(', then ')) {
    const [, folder, typed = ''] = /^(?:CLAUDE_CONFIG_DIR=(\S+) )?\S*holdpoint (.*)$/.exec(command) ?? [];
    const own = { ...env, ...(folder !== undefined && { CLAUDE_CONFIG_DIR: folder }) };
    expect(await bed.run([...typed.split(' '), '--yes'], { env: own })).toMatchObject({ code: 0 });
  }
}

it('gives advice that repairs the hooks after the server has moved, in every settings folder', PATIENT, async () => {
  const bed = await openTestBed();
  const { data } = bed.server;
  const [usual, other] = [temporaryFolder(), temporaryFolder()];
  const before = { HOLDPOINT_DATA: data, CLAUDE_CONFIG_DIR: usual };
  for (const CLAUDE_CONFIG_DIR of [usual, other])
    expect((await bed.run(['connect', 'claude', '--yes'], { env: { ...before, CLAUDE_CONFIG_DIR } })).code).toBe(0);
  await bed.server.end('SIGTERM');
  const moved = await startHoldpoint({ data });
  const env = { ...before, HOLDPOINT_URL: moved.url };
  const hooks = async () => (await checksOf(bed, env)).filter(({ name }) => name === 'claude hooks');
  const wrong = await hooks();
  expect(wrong.map(({ state }) => state)).toEqual(['warning', 'warning']);
  expect((await bed.run(['doctor'], { env })).stdout).not.toContain('All is well');
  for (const { advice } of wrong) await follow(bed, env, advice);
  expect((await hooks()).map(({ state }) => state)).toEqual(['good', 'good']);

  writeFileSync(join(other, 'settings.json'), '{ "hooks": ');
  const [broken] = (await hooks()).filter(({ state }) => state !== 'good');
  expect(broken?.detail).toContain(join(other, 'settings.json'));
  expect(broken?.detail).not.toContain('was not changed');
  expect(broken?.advice).toMatch(new RegExp(`^repair it by hand.*CLAUDE_CONFIG_DIR=${other} \\S+ disconnect claude$`));
});

it('gives advice that replaces a revoked operator token', PATIENT, async () => {
  const bed = await openTestBed();
  const { data, url, token } = bed.server;
  const home = temporaryFolder();
  mkdirSync(join(home, 'c'));
  const env = { HOLDPOINT_DATA: data, HOLDPOINT_TOKEN: '', CLAUDE_CONFIG_DIR: join(home, 'c'), CODEX_HOME: home };
  const client = createClient({ url, token });
  const { items } = await client.tokens.list({ limit: 100 });
  await client.tokens.revoke(items.find(({ scope }) => scope === 'operator')?.token_id ?? '');
  const refused = await bed.run(['inbox'], { env });
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringMatching(/revoked\.\n.*holdpoint doctor$/m) });
  const check = async (at: string) =>
    (await checksOf(bed, { ...env, HOLDPOINT_URL: at })).find(({ name }) => name === 'token');
  expect((await check(url))?.advice).toContain(`if ${join(data, 'operator.token')} belongs to this server`);
  expect((await check(url))?.advice).toContain('restart the server, which creates a new one');
  await bed.server.end('SIGTERM');
  const again = await startHoldpoint({ data });
  expect(await check(again.url)).toMatchObject({ state: 'good' });
});
