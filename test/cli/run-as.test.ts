// `holdpoint worker --run-as`: the worker becomes another account, and the programs it hosts, which are of that account,
// read neither its memory, its environment, its open files nor its token file, and open no debugger in it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endEverything, root, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';

afterAll(endEverything);

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** Tries each way to the token of its worker, and prints what each of them gave. */
const ATTACK = `
import { openSync, readFileSync, readSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const leader = /^PPid:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1];
const attempt = (look) => { try { return String(look()).slice(0, 40) || 'empty'; } catch ({ code }) { return code; } };
const tried = {
  uid: process.getuid(),
  groups: process.getgroups(),
  home: process.env.HOME,
  memory: attempt(() => readSync(openSync('/proc/' + leader + '/mem', 'r'), Buffer.alloc(1), 0, 1, 4096)),
  environment: attempt(() => readFileSync('/proc/' + leader + '/environ')),
  files: attempt(() => readdirSync('/proc/' + leader + '/fd')),
  tokenFile: attempt(() => readFileSync(process.argv[2])),
  root: attempt(() => process.setuid(0)),
};
process.kill(Number(leader), 'SIGUSR1');
await new Promise((resolve) => setTimeout(resolve, 300));
tried.debugger = await new Promise((resolve) => {
  const socket = connect(9229, '127.0.0.1', () => { socket.destroy(); resolve('open'); });
  socket.on('error', ({ code }) => resolve(code));
});
writeFileSync('written', 'by the program');
console.log(JSON.stringify(tried));
`;

it.runIf(isRoot)(
  'finding 1: a program of a worker with --run-as cannot read the memory, environment or token file of the worker',
  async () => {
    const server = await startHoldpoint({ args: ['--no-worker'] });
    const bed = new TestBed(server.url, server.token);
    const { token } = await bed.api.tokens.create({ scope: 'worker' });
    const tokenFile = join(temporaryFolder(), 'token');
    writeFileSync(tokenFile, token, { mode: 0o600 });
    const worker = spawnHoldpoint({
      command: ['worker', '--url', server.url, '--token-file', tokenFile, '--run-as', 'nobody'],
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'attack.mjs'), ATTACK);
    chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
    const { session_id } = await bed.api.sessions.create({ agent: 'exec', work_folder: folder });
    const input = { command: [process.execPath, 'attack.mjs', tokenFile] };
    const run = await bed.over((await bed.api.runs.start(session_id, { input })).run_id);
    expect(run.error).toBeUndefined();
    expect(JSON.parse(String(run.outputs.find(({ type }) => type === 'exit')?.data?.stdout))).toEqual({
      uid: NOBODY,
      groups: [NOBODY],
      home: '/nonexistent',
      memory: 'EACCES',
      environment: 'EACCES',
      files: 'EACCES',
      tokenFile: 'EACCES',
      root: 'EPERM',
      debugger: 'ECONNREFUSED',
    });
    await worker.end('SIGTERM');
    await server.end('SIGTERM');
  },
);

it.runIf(isRoot)(
  'refuses --run-as for anyone but root, for root itself, and for an account that does not exist',
  async () => {
    const refusedAs = async (uid: number, account: string) => {
      const args = [join(root, 'bin', 'holdpoint'), 'worker', '--token', 'x'.repeat(30), '--run-as', account];
      const child = spawn(process.execPath, args, { uid, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      const [code] = await once(child, 'close');
      return { code, said };
    };
    expect(await refusedAs(NOBODY, 'nobody')).toMatchObject({ code: 2, said: expect.stringMatching(/needs root/) });
    expect(await refusedAs(0, 'root')).toMatchObject({ code: 2, said: expect.stringMatching(/without privileges/) });
    expect(await refusedAs(0, 'no-such-account')).toMatchObject({ code: 2, said: expect.stringMatching(/no account/) });
  },
);
