// What a hosted program finds when it looks for tokens, as a hostile one would: in its environment and in that of its
// parents, in their arguments, in the files that they have open, and in every folder of Holdpoint that a path there names.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';

afterAll(endEverything);

/** Prints what it finds at itself and at each of its parents up to the test: where, and the token. */
const SNOOP = `
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
const TOKEN = /\\bhp[rs]?_[\\w.-]{20,}|operator-secret-\\w+/g;
const found = [];
const orEmpty = (look, empty) => { try { return look(); } catch { return empty; } };
const read = (path) => orEmpty(() => readFileSync(path, 'latin1'), '');
const search = (where, text) => { for (const [token] of text.matchAll(TOKEN)) found.push({ where, token }); };
function searchPath(path, depth = 0) {
  const stat = orEmpty(() => statSync(path), undefined);
  if (stat?.isFile() && stat.size < 1e6) search(path, read(path));
  if (stat?.isDirectory() && depth < 3) for (const name of readdirSync(path)) searchPath(join(path, name), depth + 1);
}
let parents = 0;
for (let pid = String(process.pid); pid !== process.argv[2] && Number(pid) > 1; parents++) {
  for (const file of ['environ', 'cmdline']) {
    const text = read('/proc/' + pid + '/' + file);
    search(pid + ' ' + file, text);
    for (const word of text.split(/[\\0=]/)) if (/^\\/tmp\\/holdpoint-/.test(word)) searchPath(word);
  }
  for (const fd of orEmpty(() => readdirSync('/proc/' + pid + '/fd'), [])) searchPath('/proc/' + pid + '/fd/' + fd, 3);
  pid = /^PPid:\\s+(\\d+)/m.exec(read('/proc/' + pid + '/status'))?.[1] ?? '0';
}
console.log(JSON.stringify({ parents, found }));
`;

async function snooped(server: Holdpoint, labels?: string[]) {
  const bed = new TestBed(server.url, server.token);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'snoop.mjs'), SNOOP);
  const session = await bed.api.sessions.create({ agent: 'exec', work_folder: folder, labels });
  const input = { command: [process.execPath, 'snoop.mjs', String(process.pid)] };
  const run = await bed.over((await bed.api.runs.start(session.session_id, { input })).run_id);
  const stdout = String(run.outputs.find(({ type }) => type === 'exit')?.data?.stdout);
  expect(run.status, stdout).toBe('completed');
  return JSON.parse(stdout) as { parents: number; found: { where: string; token: string }[] };
}

/** Its own run's token and skill identity, in its own environment. */
const isOwn = ({ where, token }: { where: string; token: string }) =>
  where.endsWith('environ') && /^hp[rs]_/.test(token);

it.each(['environment', 'argument', 'file'])(
  'finding 1: a program finds no token but its own where the worker has its token by %s',
  async (by) => {
    const server = await startHoldpoint({ args: ['--no-worker'] });
    const { token } = await new TestBed(server.url, server.token).api.tokens.create({
      scope: 'worker',
      labels: ['snooped'],
    });
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const worker = spawnHoldpoint({
      command: ['worker', '--url', server.url],
      args: by === 'argument' ? ['--token', token] : by === 'file' ? ['--token-file', file] : [],
      env: { HOME: temporaryFolder(), ...(by === 'environment' && { HOLDPOINT_TOKEN: token }) },
    });
    const { parents, found } = await snooped(server, ['snooped']);
    expect(parents).toBeGreaterThan(1);
    expect(found.filter((one) => !isOwn(one))).toEqual([]);
    expect(found.some(isOwn)).toBe(true);
    await worker.end('SIGTERM');
    await server.end('SIGTERM');
  },
);

it('finding 1: a program of the built-in worker finds neither the preset token nor the secret key in its environment', async () => {
  const env = {
    HOLDPOINT_TOKEN: 'operator-secret-0123456789abcdef',
    HOLDPOINT_SECRET_KEY: randomBytes(32).toString('base64url'),
  };
  const server = await startHoldpoint({ env });
  const { found } = await snooped(server);
  // The state folder belongs to the same account: SECURITY.md says so.
  expect(found.filter((one) => !isOwn(one) && !one.where.startsWith(server.data))).toEqual([]);
  expect(readFileSync(`/proc/${server.pid}/environ`, 'latin1')).not.toMatch(/operator-secret|kkkkkkkk/);
  await server.end('SIGTERM');
});

it('refuses a token file that cannot be read, and reports the missing value of a flag', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'none'));
  const unreadable = spawnHoldpoint({ command: ['worker', '--token-file', join(folder, 'none')] });
  expect(await unreadable.exited).toMatchObject({ code: 2 });
  expect(unreadable.stderr()).toMatch(/--token-file: /);
  const missing = spawnHoldpoint({ command: ['worker', '--token'] });
  expect(await missing.exited).toMatchObject({ code: 2 });
  expect(missing.stderr()).toMatch(/--token.* missing/);
});
