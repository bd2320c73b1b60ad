// Backups of PostgreSQL: the commands that `holdpoint db backup` and `db restore` name are run as they are printed, with the
// tools and the server of the system's own PostgreSQL, since the one from npm has no pg_dump. Skipped where there is none.
// Covers: src/cli/backup-commands.ts
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { send } from '../support/http.ts';
import { snippetsOf } from '../support/markdown-snippets.ts';
import { freePort } from '../support/postgres.ts';
import { endEverything, root, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';

const VERSIONS = '/usr/lib/postgresql';
const bin = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
  .map((version) => join(VERSIONS, version, 'bin'))
  .filter((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'pg_dump')))
  .at(-1);
const uid = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
/** PostgreSQL does not run as root. */
const account = process.getuid?.() === 0 ? { uid: uid('-u'), gid: uid('-g') } : {};

const ENV = {
  HOLDPOINT_TOKEN: 'one-token-for-both-databases',
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};

let stop = () => {};
afterAll(async () => {
  stop();
  await endEverything();
});

function startDatabase(port: number): void {
  const folder = temporaryFolder();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? 0);
  const tool = (name: string, ...args: string[]) =>
    execFileSync(join(bin ?? '', name), args, { ...account, cwd: folder, stdio: 'ignore' });
  tool('initdb', '-D', folder, '-U', 'holdpoint', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  tool('pg_ctl', '-D', folder, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  stop = () => tool('pg_ctl', '-D', folder, '-w', '-m', 'immediate', 'stop');
}

describe.skipIf(bin === undefined)('a dump of PostgreSQL (needs its own server and tools)', () => {
  it('taken while a server works restores to a log that verifies', async () => {
    const port = await freePort();
    startDatabase(port);
    const urlOf = (name: string) => `postgres://holdpoint@127.0.0.1:${port}/${name}`;
    const sh = (command: string) =>
      execFileSync('sh', ['-euc', command], { env: { PATH: `${bin}:${process.env.PATH}` }, stdio: 'pipe' });
    const create = (name: string) => sh(`createdb -h 127.0.0.1 -p ${port} -U holdpoint ${name}`);
    /** What the command says that one should run. */
    const advice = async (database: string, ...command: string[]) => {
      const env = { ...ENV, HOLDPOINT_DATABASE_URL: `${urlOf(database)}?pool_size=4` };
      const refused = spawnHoldpoint({ via: 'main', command: ['db', ...command], args: ['--json'], env });
      expect((await refused.exited).code).toBe(2);
      return (JSON.parse(refused.stderr()) as { error: { advice: string[] } }).error.advice[0] ?? '';
    };
    create('work');
    const first = await startHoldpoint({
      via: 'main',
      args: ['--no-worker'],
      env: { ...ENV, HOLDPOINT_DATABASE_URL: urlOf('work') },
    });
    const call = (url: string, path: string, body?: object) =>
      send<{ run_id: string }>(url, { token: ENV.HOLDPOINT_TOKEN, path, body });
    await call(first.url, '/v1/sessions', { session_id: 's', agent: 'external' });
    const { body: run } = await call(first.url, '/v1/sessions/s/runs', { input: { text: 'go' } });
    const ask = { kind: 'approval', tool_call_id: 'c', tool_name: 'Bash', input: { command: 'ls' } };
    expect((await call(first.url, `/v1/runs/${run.run_id}/asks`, ask)).status).toBe(201);

    create('holdpoint');
    const page = join(root, 'docs', 'operations.md');
    const [printed] = snippetsOf(page, page).filter(
      ({ how, what }) => how === 'run by' && what?.includes('postgres-dump'),
    );
    const here = printed?.code.replaceAll('--host=db.example.com', `--host=127.0.0.1 --port=${port}`) ?? 'exit 1';
    sh(`cd '${temporaryFolder()}'\n${here}`);

    const file = join(temporaryFolder(), "the team's.dump");
    sh(await advice('work', 'backup', file));
    create('restored');
    sh(await advice('restored', 'restore', file));

    const second = await startHoldpoint({
      via: 'main',
      args: ['--no-worker'],
      env: { ...ENV, HOLDPOINT_DATABASE_URL: urlOf('restored') },
    });
    const verified = spawnHoldpoint({
      via: 'main',
      command: ['audit', 'verify'],
      args: ['--url', second.url],
      env: ENV,
    });
    expect((await verified.exited).code, verified.stdout()).toBe(0);
    const { text } = await call(second.url, '/v1/asks?status=pending');
    expect(JSON.parse(text)).toMatchObject([{ session_id: 's', kind: 'approval' }]);
    expect((await call(second.url, '/v1/sessions', { session_id: 'later', agent: 'external' })).status).toBe(201);
  }, 120_000);
});
