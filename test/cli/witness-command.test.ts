// `holdpoint audit witness` as a process: the newest checkpoint in a file, in a git repository and at a URL, and the audit
// against each of them.
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { held } from '../support/api-calls.ts';
import { root, temporaryFolder } from '../support/process.ts';
import { openServer, type Server } from '../support/server.ts';
import { node, PATIENT } from './test-bed.ts';

let server: Server;
const folder = temporaryFolder();
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.close());

const MAIN = join(root, 'src', 'cli', 'main.ts');
const audit = async (...args: string[]) => {
  const env = { PATH: process.env.PATH, HOLDPOINT_URL: await server.url(), HOLDPOINT_TOKEN: server.token };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) =>
    execFile(node, [MAIN, 'audit', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
};
const sign = async () => {
  await held(server);
  await signLog(server.ports);
};
const lines = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('audit witness', PATIENT, () => {
  it('appends the newest checkpoint to a file, once', async () => {
    const file = join(folder, 'witness.jsonl');
    expect((await audit('witness', '--file', file)).stderr).toContain('nothing is signed yet');
    await sign();
    expect((await audit('witness', '--file', file)).stderr).toContain('witnessed through event');
    await audit('witness', '--file', file);
    expect(lines(file)).toHaveLength(1);
    await sign();
    expect(JSON.parse((await audit('witness', '--file', file, '--json')).stdout)).toMatchObject({ is_new: true });
    const [first = '', second = ''] = lines(file);
    expect(JSON.parse(second).after_seq).toBe(JSON.parse(first).through_seq);
    const good = await audit('verify', '--witness', file);
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringContaining('checkpoints of the witness, all in this log: 2'),
    ]);
    appendFileSync(file, `${first.replace('"events":', '"events":1')}\n`);
    expect(await audit('verify', '--witness', file)).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('✗ line 3 of the witness is not a signed checkpoint'),
    });
  });

  it('commits it to a git repository', async () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    git('init', '--quiet');
    git('config', 'user.name', 'w');
    git('config', 'user.email', 'w@example.org');
    await sign();
    await audit('witness', '--git', folder);
    await audit('witness', '--git', folder);
    expect(git('log', '--format=%s').trim()).toMatch(/^Witness the log through event \d+$/);
    expect((await audit('verify', '--witness', join(folder, 'holdpoint-witness.jsonl'))).code).toBe(0);
  });

  it('posts it to a URL, and fails where that does not take it', async () => {
    const received: string[] = [];
    let status = 204;
    const witness = createServer((request, response) => {
      request.on('data', (chunk) => received.push(String(chunk)));
      request.on('end', () => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => witness.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(witness.address() as AddressInfo).port}/`;
    await sign();
    expect((await audit('witness', '--to', url)).code).toBe(0);
    expect(JSON.parse(received.join(''))).toHaveProperty('signature');
    status = 500;
    expect(await audit('witness', '--to', url)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('it answered 500'),
    });
    witness.close();
  });

  it.each([
    ['no witness at all', [], 2, /name a witness/],
    ['a file that cannot be written', ['--file', '/nowhere/w'], 1, /cannot write the witness/],
    ['a folder that is no repository', ['--git', '/'], 1, /.+/],
  ])('refuses %s', async (_, args, code, message) => {
    expect(await audit('witness', ...args)).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });
});
