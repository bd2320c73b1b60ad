// `holdpoint connect` and `disconnect` after a failure: a failed change is rolled back, what a crash leaves is repaired by
// the next command, and a file that is not the one that was shown is never changed.
// Covers: src/cli/connect/connection-record.ts
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordPath } from '../../../src/cli/connect/connection-record.ts';
import { temporaryFolder } from '../../support/process.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();
let record: string;
let home: string;
let settings: string;
let env: Record<string, string>;
const proxies = new Set<Server>();
beforeEach(() => {
  home = temporaryFolder();
  settings = join(home, 'settings.json');
  const data = temporaryFolder();
  record = recordPath(data, 'claude', { file: settings });
  env = { CLAUDE_CONFIG_DIR: home, HOLDPOINT_DATA: data, HOLDPOINT_TOKEN: bed.server.token };
});
afterEach(async () => {
  for (const proxy of proxies) proxy.close();
  proxies.clear();
  for (const { token_id } of await tokens()) await bed.client.tokens.revoke(token_id);
});

const run = (...args: string[]) => bed.run(args, { env });
const tokens = async () =>
  (await bed.client.tokens.list({ limit: 500 })).items.filter(
    (token) => token.scope === 'attached' && token.revoked_at_ms === undefined,
  );
const OWN = '{\n    "model" : "opus",   "big": 12345678901234567890, "hooks": {"Stop": []}\n}\n\n';

/** Between the command and the server, to do something when a token has been made, or instead of revoking one. */
async function meddling(onToken: () => void, onRevoke?: number): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const body = await textOf(request);
    const headers = { authorization: String(request.headers.authorization), 'content-type': 'application/json' };
    const { method = 'GET' } = request;
    if (method === 'DELETE' && onRevoke !== undefined) return response.writeHead(onRevoke).end('{}');
    const passed = await fetch(bed.server.url + request.url, { method, headers, ...(body && { body }) });
    const reply = await passed.text();
    if (method === 'POST' && request.url === '/v1/tokens') onToken();
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(reply);
  });
  proxies.add(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe('a connect that fails', PATIENT, () => {
  it('is rolled back when the file was changed meanwhile', async () => {
    writeFileSync(settings, OWN);
    const url = await meddling(() => writeFileSync(settings, '{"model":"mine"}'));
    const ended = await run('connect', 'claude', '--yes', '--url', url);
    expect(ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('was changed by another program meanwhile'),
    });
    expect(readFileSync(settings, 'utf8')).toBe('{"model":"mine"}');
    expect([readdirSync(home), existsSync(record), await tokens()]).toEqual([['settings.json'], false, []]);
  });

  it('is rolled back when the file cannot be written', async () => {
    writeFileSync(settings, OWN);
    mkdirSync(`${settings}.holdpoint-draft`);
    const ended = await run('connect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining('could not be written and is unchanged') });
    expect(readFileSync(settings, 'utf8')).toBe(OWN);
    expect(readdirSync(home)).toEqual(['settings.json', 'settings.json.holdpoint-draft']);
    expect([existsSync(record), await tokens()]).toEqual([false, []]);
  });
});

/** What is left of a whole connection when it was killed at this step. */
const CRASHES: Record<string, () => Promise<void>> = {
  'before the token was made': async () => {
    await CRASHES['before the token was written down']?.();
    for (const { token_id } of await tokens()) await bed.client.tokens.revoke(token_id);
  },
  'before the token was written down': async () => {
    await CRASHES['before the backup was made']?.();
    const { token_id: _, written_sha256: __, ...intended } = JSON.parse(readFileSync(record, 'utf8'));
    writeFileSync(record, JSON.stringify(intended));
  },
  'before the backup was made': async () => {
    rmSync(`${settings}.before-holdpoint`);
    writeFileSync(settings, OWN);
  },
  'before the file was written': async () => {
    writeFileSync(`${settings}.holdpoint-draft`, readFileSync(settings, 'utf8'));
    writeFileSync(settings, OWN);
  },
};

describe.each(Object.keys(CRASHES))('a connect that was killed %s', PATIENT, (step) => {
  beforeEach(async () => {
    writeFileSync(settings, OWN);
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    await CRASHES[step]?.();
  });

  it('is finished by the next connect', async () => {
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    const [token, ...others] = await tokens();
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ token_id: token?.token_id });
    expect(readdirSync(home)).toEqual(['settings.json', 'settings.json.before-holdpoint']);
    expect(readFileSync(`${settings}.before-holdpoint`, 'utf8')).toBe(OWN);
  });

  it('is rolled back by disconnect', async () => {
    const ended = await run('disconnect', 'claude', '--yes');
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the record of the connection is deleted'),
    });
    expect([readFileSync(settings, 'utf8'), readdirSync(home)]).toEqual([OWN, ['settings.json']]);
    expect([existsSync(record), await tokens()]).toEqual([false, []]);
  });
});

describe('disconnect', PATIENT, () => {
  it('removes only the hooks from a file that was changed since', async () => {
    writeFileSync(settings, OWN);
    await run('connect', 'claude', '--yes');
    const edit = (text: string) => text.replace('"opus"', '"\\u0073onnet"');
    writeFileSync(settings, edit(readFileSync(settings, 'utf8')));
    const ended = await run('disconnect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('was changed since') });
    expect(readFileSync(settings, 'utf8')).toBe(edit(OWN));
    expect(await tokens()).toEqual([]);
    // The copy may be all that is left of something: the next one takes another name.
    await run('connect', 'claude', '--yes');
    expect(readdirSync(home)).toContain('settings.json.before-holdpoint-2');
  });

  it('reports that the connection was made under another state folder', async () => {
    writeFileSync(settings, OWN);
    await run('connect', 'claude', '--yes');
    const elsewhere = { ...env, HOLDPOINT_DATA: temporaryFolder() };
    const ended = await bed.run(['disconnect', 'claude', '--yes'], { env: elsewhere });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('there is no record of a connection in') });
    expect(ended.stderr).toContain('Their token is still valid');
    expect(ended.stderr).not.toContain('changed since');
    expect(JSON.parse(readFileSync(settings, 'utf8'))).not.toHaveProperty('hooks.PermissionRequest');
  });

  it('explains the manual steps for a file that is not understood, and finishes after them', async () => {
    writeFileSync(settings, OWN);
    await run('connect', 'claude', '--yes');
    const broken = `// mine\n${readFileSync(settings, 'utf8')}`;
    writeFileSync(settings, broken);
    const ended = await run('disconnect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('/v1/hooks/claude') });
    expect(readFileSync(settings, 'utf8')).toBe(broken);
    expect(await tokens()).toHaveLength(1);
    writeFileSync(settings, '{}');
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([readFileSync(settings, 'utf8'), await tokens()]).toEqual(['{}', []]);
  });

  it('restores the file without a server, and revokes the token when it is run again', async () => {
    writeFileSync(settings, OWN);
    await run('connect', 'claude', '--yes');
    const ended = await run('disconnect', 'claude', '--yes', '--url', 'http://127.0.0.1:9');
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('again when that server runs') });
    expect([readFileSync(settings, 'utf8'), (await tokens()).length]).toEqual([OWN, 1]);
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([readFileSync(settings, 'utf8'), await tokens(), existsSync(record)]).toEqual([OWN, [], false]);
  });

  it.each([
    [403, false],
    [404, true],
  ])('takes the status %i as proof that the token is gone: %s', async (status, isOver) => {
    writeFileSync(settings, OWN);
    const url = await meddling(() => {}, status);
    await run('connect', 'claude', '--yes', '--url', url);
    const ended = await run('disconnect', 'claude', '--yes', '--json');
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([
      0,
      { disconnected: 'claude', file: settings, changed: true, restored: true, token_revoked: isOver },
    ]);
    expect([existsSync(record), ended.stderr.includes(`could not be revoked at ${url}`)]).toEqual([!isOver, !isOver]);
    const again = await run('disconnect', 'claude', '--yes');
    expect(again.stderr.includes('the record of the connection is deleted')).toBe(false);
    expect(again.stderr.includes('has no hooks of Holdpoint')).toBe(!isOver);
  });
});

describe('a settings path', PATIENT, () => {
  it('that is a link to a missing file stays a link, and the file is created and removed', async () => {
    const target = join(temporaryFolder(), 'claude.json');
    symlinkSync(target, settings);
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([lstatSync(settings).isSymbolicLink(), existsSync(target)]).toEqual([true, true]);
    expect(await run('disconnect', 'claude', '--yes')).toMatchObject({ code: 0 });
    expect([lstatSync(settings).isSymbolicLink(), existsSync(target)]).toEqual([true, false]);
  });

  it.each([
    ['a link into nowhere', () => symlinkSync('/nowhere/at/all.json', settings), 'whose folder does not exist'],
    ['a link to itself', () => symlinkSync(settings, settings), 'a link to itself'],
    ['a folder', () => mkdirSync(settings), 'is not a regular file'],
    ['a picture', () => writeFileSync(settings, Buffer.from([0xff, 0xd8, 0xff])), 'is not UTF-8 text'],
  ])('that is %s is not changed', async (_name, put, why) => {
    put();
    const ended = await run('connect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining(why) });
    expect([readdirSync(home), await tokens(), existsSync(record)]).toEqual([['settings.json'], [], false]);
  });

  it('of a read-only file is not changed', async () => {
    writeFileSync(settings, OWN);
    chmodSync(settings, 0o444);
    const ended = await run('connect', 'claude', '--yes');
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('chmod u+w') });
    expect([readFileSync(settings, 'utf8'), statSync(settings).mode & 0o777, await tokens()]).toEqual([OWN, 0o444, []]);
  });

  it('keeps the byte order mark and carriage returns of its file', async () => {
    const text = `\uFEFF${OWN.replaceAll('\n', '\r\n')}`;
    writeFileSync(settings, text);
    expect(await run('connect', 'claude', '--yes')).toMatchObject({ code: 0 });
    const there = readFileSync(settings, 'utf8');
    expect([there.startsWith('\uFEFF'), /[^\r]\n/.test(there)]).toEqual([true, false]);
    await run('disconnect', 'claude', '--yes');
    expect(readFileSync(settings, 'utf8')).toBe(text);
  });
});
