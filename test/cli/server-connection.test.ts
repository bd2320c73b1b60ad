// The connection to the server: one that does not answer, a missing token, and responses that are lost.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/process.ts';
import { closeProxies, openProxy } from './proxy.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from './test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(async () => {
  closeProxies();
  await closeTestBeds();
});

const NOWHERE = { HOLDPOINT_URL: 'http://127.0.0.1:9' };

describe('a server that cannot be reached', PATIENT, () => {
  it.each([
    ['questions', 'list'],
    ['approvals', 'allow-all'],
    ['sessions', 'create'],
    ['events', '--follow'],
    ['inbox'],
    ['run', 'mock', 'x'],
  ])('is reported at once, with the command that starts it: %s %s', async (...args) => {
    const ended = await bed.run(args, { env: NOWHERE });
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toMatch(
      /^holdpoint: no server at http:\/\/127\.0\.0\.1:9: .*Start one: `.*holdpoint serve`.*--url.*\n$/,
    );
  });

  it('is reported once by a worker, which keeps trying and can be stopped before it connects', async () => {
    const early = bed.start(['worker'], { env: NOWHERE });
    await expect.poll(early.stderr, PATIENT).toContain('The worker keeps trying.\n');
    early.child.kill('SIGTERM');
    const ended = await early.ended;
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toMatch(/^holdpoint: no server at http:\/\/127\.0\.0\.1:9: .* keeps trying\.\n$/);

    let isUp = false;
    let refused = 0;
    const url = await openProxy(async ({ path }, respond) => {
      if (!isUp) refused += 1;
      if (!isUp || path !== '/healthz') return respond(503, 'not now');
      const response = await fetch(bed.server.url + path);
      respond(response.status, await response.text(), response.headers.get('content-type') ?? '');
    });
    const worker = bed.start(['worker', '--id', 'late', '--url', url]);
    await expect.poll(() => refused, PATIENT).toBeGreaterThan(2);
    expect(worker.stdout()).toBe('');
    isUp = true;
    await expect.poll(worker.stdout, PATIENT).toBe('holdpoint worker ready late\n');
    worker.child.kill('SIGTERM');
    const late = await worker.ended;
    expect(late.code).toBe(0);
    expect(late.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/is not Holdpoint\. .* keeps trying\.$/),
      `holdpoint: ${url} answers now`,
    ]);
  });

  it('is reported as not Holdpoint when another server answers', async () => {
    const other = await openProxy((_, respond) => respond(404, 'nothing here'));
    const ended = await bed.run(['questions', 'list'], { env: { HOLDPOINT_URL: other } });
    expect(ended).toMatchObject({ code: 7, stderr: expect.stringContaining('is not Holdpoint') });
    expect((await bed.run(['questions', 'list', '--url', 'localhost:1'])).code).toBe(2);
  });
});

describe('the token', PATIENT, () => {
  it('is reported as missing or wrong, with the way to a valid one', async () => {
    const env = { HOLDPOINT_TOKEN: '', HOLDPOINT_DATA: temporaryFolder() };
    const missing = await bed.run(['questions', 'list'], { env });
    expect(missing).toMatchObject({ code: 6, stdout: '' });
    expect(missing.stderr).toMatch(/HOLDPOINT_TOKEN.*holdpoint serve/);
    const wrong = await bed.run(['questions', 'list', '--token', 'guessed', '--json']);
    expect(wrong.code).toBe(6);
    expect(JSON.parse(wrong.stderr).error).toMatchObject({ exit_code: 6, code: 'unauthenticated', status: 401 });
  });

  it('finding 25: is read from the file of --token-file, so that no command line holds it', async () => {
    const env = { HOLDPOINT_TOKEN: '', HOLDPOINT_DATA: temporaryFolder() };
    const file = join(bed.server.data, 'operator.token');
    const list = (...flags: string[]) => bed.run(['questions', 'list', '--json', ...flags], { env });
    expect((await list('--token-file', file)).code).toBe(0);
    expect((await list('--token-file', join(env.HOLDPOINT_DATA, 'none'))).code).toBe(2);
    expect((await list('--token-file', file, '--token', 'x')).code).toBe(2);
    const open = join(temporaryFolder(), 'token');
    writeFileSync(open, bed.server.token);
    chmodSync(open, 0o644);
    expect(await list('--token-file', open)).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod o= ') });
  });

  it('is found in the state folder', async () => {
    const env = { HOLDPOINT_TOKEN: '', HOLDPOINT_DATA: bed.server.data };
    expect((await bed.run(['questions', 'list', '--json'], { env })).code).toBe(0);
  });
});

describe('a response that is lost', PATIENT, () => {
  it('is retried under the same key: the answer is given once, and both are reported', async () => {
    const ask = await (await bed.work()).question('lost');
    const lost = await losing(3);
    const ended = await bed.run(['questions', 'answer', ask.ask_id, '--declined'], {
      env: { HOLDPOINT_URL: lost.url },
    });
    expect(ended.code).toBe(0);
    const [first, ...more] = lost.keys();
    expect(more).toEqual([first, first, first]);
    expect(ended.stderr).toBe(
      `holdpoint: connection lost; trying again. Nothing is done twice: it has the idempotency key ${first}\n` +
        'holdpoint: connected again\n',
    );
    const { items } = await bed.client.events.ofRun(ask.run_id);
    expect(items.filter((e) => e.type === 'ask.claimed')).toHaveLength(1);
  });

  it('names its key when the retries end, and the same command with it finds out', async () => {
    const ask = await (await bed.work()).approval('gone');
    const lost = await losing(1000);
    const args = ['approvals', 'allow', ask.ask_id, '--retry-for-ms', '300'];
    const ended = await bed.run(args, { env: { HOLDPOINT_URL: lost.url } });
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toContain('it is not known whether the command took effect');
    const key = /--idempotency-key (\S+)$/m.exec(ended.stderr)?.[1] ?? '';
    expect(lost.keys()).toContain(key);
    const again = await bed.run(['approvals', 'allow', ask.ask_id, '--idempotency-key', key]);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const { items } = await bed.client.events.ofRun(ask.run_id);
    expect(items.filter((e) => e.type === 'ask.claimed')).toHaveLength(1);
  });
});

/** Forwards every request; the responses to the first `count` mutations are dropped. */
async function losing(count: number) {
  const keys: string[] = [];
  const url = await openProxy(async (request, respond, drop) => {
    const { method, path, body, key } = request;
    // A stream without events.
    if (path.startsWith('/v1/events')) return;
    const headers = {
      authorization: `Bearer ${bed.server.token}`,
      'content-type': 'application/json',
      'holdpoint-surface': 'cli',
    };
    const response = await fetch(bed.server.url + path, {
      method,
      headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
      ...(method === 'POST' && { body }),
    });
    const text = await response.text();
    if (key !== undefined) keys.push(key);
    if (key !== undefined && keys.length <= count) return drop();
    respond(response.status, text, response.headers.get('content-type') ?? 'application/json');
  });
  return { url, keys: () => keys };
}
