// Several connections: settings folders, servers, and concurrent commands. Each has its own token, backup and record, and
// a token is revoked by the server that issued it or stays recorded.
// Covers: src/cli/commands/connect.ts, src/cli/connect/connection-record.ts
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordPath } from '../../../src/cli/connect/connection-record.ts';
import { tryLock } from '../../../src/store/sqlite-lock.ts';
import { type Holdpoint, startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
let other: Holdpoint;
let data: string;
let a: string;
let b: string;
beforeAll(async () => {
  [bed, other] = await Promise.all([openTestBed(), startHoldpoint()]);
});
afterAll(closeTestBeds);
beforeEach(() => {
  data = temporaryFolder();
  a = temporaryFolder();
  b = temporaryFolder();
});

const run = (folder: string, ...args: string[]) =>
  bed.run(args, {
    env: { CLAUDE_CONFIG_DIR: folder, CODEX_HOME: folder, HOLDPOINT_DATA: data, HOLDPOINT_TOKEN: bed.server.token },
  });
const fileOf = (folder: string) => join(folder, 'settings.json');
const OWN = '{ "model": "opus" }\n';

/** Calls the hook as it stands in the file. */
function hookIn(folder: string): () => Promise<number> {
  const [hook] = JSON.parse(readFileSync(fileOf(folder), 'utf8')).hooks.Stop[0].hooks;
  const headers = { ...hook.headers, 'content-type': 'application/json' };
  return async () => (await fetch(hook.url, { method: 'POST', body: '{}', headers })).status;
}
const records = () => readdirSync(join(data, 'connections')).filter((name) => name.endsWith('.json'));
const doctor = async (folder: string): Promise<{ state: string; detail: string; advice?: string }[]> => {
  const checks = JSON.parse((await run(folder, 'doctor', '--json')).stdout).checks as { name: string }[];
  return checks.filter(({ name }) => name === 'claude hooks') as never;
};

describe('two settings folders', PATIENT, () => {
  it('are connected and restored independently', async () => {
    writeFileSync(fileOf(a), OWN);
    expect(await run(a, 'connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect(await run(b, 'connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    const [hookA, hookB] = [hookIn(a), hookIn(b)];
    expect([await hookA(), await hookB()]).toEqual([200, 200]);
    expect(await doctor(a)).toMatchObject([{ state: 'good' }, { state: 'good' }]);

    const elsewhere = await run(temporaryFolder(), 'disconnect', 'claude', '--yes');
    expect(elsewhere).toMatchObject({ code: 0, stderr: expect.stringContaining(fileOf(b)) });
    expect(await run(a, 'disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([readFileSync(fileOf(a), 'utf8'), readdirSync(a)]).toEqual([OWN, ['settings.json']]);
    expect([await hookA(), await hookB()]).toEqual([401, 200]);
    expect(await run(b, 'disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([readdirSync(b), await hookB(), records()]).toEqual([[], 401, []]);
  });

  it('of Codex are connected and restored independently', async () => {
    await run(a, 'connect', 'codex', '--yes');
    await run(b, 'connect', 'codex', '--yes');
    await run(a, 'disconnect', 'codex', '--yes');
    expect([readdirSync(a), readdirSync(b)]).toEqual([[], ['hooks.json']]);
    await run(b, 'disconnect', 'codex', '--yes');
    expect([readdirSync(b), records()]).toEqual([[], []]);
  });

  it('behind one link are connected one after the other: the first must be restored before the second', async () => {
    symlinkSync(join(a, 'kept.json'), fileOf(b));
    await run(b, 'connect', 'claude', '--yes');
    const hook = hookIn(b);
    rmSync(fileOf(b));
    const ended = await run(b, 'connect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining(`pointed to ${join(a, 'kept.json')}`) });
    expect(await hook()).toBe(200);
    await run(b, 'disconnect', 'claude', '--yes');
    expect([await hook(), readdirSync(a)]).toEqual([401, []]);
    expect(await run(b, 'connect', 'claude', '--yes')).toMatchObject({ code: 0 });
  });
});

describe('two servers', PATIENT, () => {
  it('revoke the token at the one that issued it, or keep it on record', async () => {
    const there = ['--url', other.url, '--token', other.token];
    expect(await run(a, 'connect', 'claude', '--yes', ...there)).toMatchObject({ code: 0 });
    const hook = hookIn(a);
    const [look] = await doctor(a);
    expect(look).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(`asks at ${other.url}, not at this server`),
      advice: expect.stringContaining('disconnect claude'),
    });

    // With the default token, which the other server does not accept; then at the default server, which does not know it.
    for (const flags of [[], ['--url', bed.server.url]]) {
      const ended = await run(a, 'disconnect', 'claude', '--yes', ...flags);
      expect(ended.stderr).toContain(`could not be revoked at ${other.url}`);
      expect([await hook(), records().length, existsSync(fileOf(a))]).toEqual([200, 1, false]);
    }
    // The next connect keeps the record too.
    const next = await run(a, 'connect', 'claude', '--yes');
    expect(next).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `earlier connection, the token of its hooks could not be revoked at ${other.url}`,
      ),
    });
    expect([await hook(), existsSync(fileOf(a))]).toEqual([200, false]);
    expect(await run(a, 'disconnect', 'claude', '--yes', '--token', other.token)).toMatchObject({ code: 0 });
    expect([await hook(), records()]).toEqual([401, []]);
  });

  it('have a revoked token of their hooks reported by doctor', async () => {
    await run(a, 'connect', 'claude', '--yes');
    expect(await doctor(a)).toMatchObject([{ state: 'good', detail: expect.stringContaining('asks here too') }]);
    const { token_id } = JSON.parse(readFileSync(recordPath(data, 'claude', { file: fileOf(a) }), 'utf8'));
    await bed.client.tokens.revoke(token_id);
    expect(await doctor(a)).toMatchObject([
      { state: 'warning', detail: expect.stringContaining('no longer accepts the token of its hooks') },
    ]);
  });
});

it('runs one connect or disconnect at a time', PATIENT, async () => {
  mkdirSync(join(data, 'connections'));
  const lock = tryLock(join(data, 'connections', 'lock'));
  const busy = { code: 4, stderr: expect.stringContaining('another connect or disconnect is in progress') };
  expect(await run(a, 'connect', 'claude', '--yes')).toMatchObject(busy);
  expect([readdirSync(a), records()]).toEqual([[], []]);
  lock?.close();
  const both = await Promise.all([run(a, 'connect', 'claude', '--yes'), run(a, 'connect', 'claude', '--yes')]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
  expect(await hookIn(a)()).toBe(200);
  expect(await run(a, 'disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
  expect([readdirSync(a), records()]).toEqual([[], []]);
});
