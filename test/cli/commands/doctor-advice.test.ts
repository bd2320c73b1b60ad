// What `holdpoint doctor` advises, followed word for word: a server that has moved to another port, an operator token that
// was revoked, settings in another folder than the usual one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

afterAll(closeTestBeds);

interface Check {
  name: string;
  state: string;
  detail: string;
  advice?: string;
}

async function checksOf(bed: TestBed, env: Record<string, string>): Promise<Check[]> {
  return JSON.parse((await bed.run(['doctor', '--json'], { env })).stdout).checks;
}

/** The commands between "then", as they would be typed. */
async function follow(bed: TestBed, env: Record<string, string>, advice = ''): Promise<void> {
  for (const command of advice.split(', then ')) {
    const [, folder, typed = ''] = /^(?:CLAUDE_CONFIG_DIR=(\S+) )?\S*holdpoint (.*)$/.exec(command) ?? [];
    const own = { ...env, ...(folder !== undefined && { CLAUDE_CONFIG_DIR: folder }) };
    expect(await bed.run([...typed.split(' '), '--yes'], { env: own })).toMatchObject({ code: 0 });
  }
}

it('leads the hooks to a server that has moved, also where their settings folder is another one', PATIENT, async () => {
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
  expect(broken?.detail).not.toContain('left as it is');
  expect(broken?.advice).toMatch(
    new RegExp(`^put it right by hand.*CLAUDE_CONFIG_DIR=${other} \\S+ disconnect claude$`),
  );
});

it('tells how to get on with an operator token that was revoked', PATIENT, async () => {
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
  expect((await check(url))?.advice).toContain(`if ${join(data, 'operator.token')} is of this server`);
  expect((await check(url))?.advice).toContain('restart the server, which makes a new one');
  await bed.server.end('SIGTERM');
  const again = await startHoldpoint({ data });
  expect(await check(again.url)).toMatchObject({ state: 'good' });
});
