// The command line when things go wrong: a server that is not there, a connection that is lost in the middle of an
// answer, a token that is no good, text that attacks the terminal. And `doctor`, which says what to do about it.
import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHoldpoint, temporaryFolder } from '../support/process.ts';
import { hasPty } from '../support/pty.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from './test-bed.ts';

let bed: TestBed;
const proxies: Server[] = [];
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(async () => {
  for (const proxy of proxies) proxy.close().closeAllConnections();
  await closeTestBeds();
});

const NOWHERE = { HOLDPOINT_URL: 'http://127.0.0.1:9' };

describe('a server that is not there', PATIENT, () => {
  it.each([
    ['questions', 'list'],
    ['approvals', 'allow-all'],
    ['sessions', 'create'],
    ['events', '--follow'],
    ['inbox'],
    ['run', 'mock', 'x'],
  ])('is told at once, in one sentence that says how to start it: %s %s', async (...args) => {
    const ended = await bed.run(args, { env: NOWHERE });
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toMatch(
      /^holdpoint: no server at http:\/\/127\.0\.0\.1:9: .*Start one: `.*holdpoint serve`.*--url.*\n$/,
    );
  });

  it('is told once by a worker, which waits for it, is ready when it is there, and can be stopped before', async () => {
    const early = bed.start(['worker'], { env: NOWHERE });
    await expect.poll(early.stderr, PATIENT).toContain('The worker goes on trying.\n');
    early.child.kill('SIGTERM');
    const ended = await early.ended;
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toMatch(/^holdpoint: no server at http:\/\/127\.0\.0\.1:9: .* goes on trying\.\n$/);

    let isUp = false;
    let refused = 0;
    const url = await proxy(async ({ path }, respond) => {
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
      expect.stringMatching(/is not Holdpoint\. .* goes on trying\.$/),
      `holdpoint: ${url} is there now`,
    ]);
  });

  it('is something else than Holdpoint', async () => {
    const other = await proxy((_, respond) => respond(404, 'nothing here'));
    const ended = await bed.run(['questions', 'list'], { env: { HOLDPOINT_URL: other } });
    expect(ended).toMatchObject({ code: 7, stderr: expect.stringContaining('is not Holdpoint') });
    expect((await bed.run(['questions', 'list', '--url', 'localhost:1'])).code).toBe(2);
  });
});

describe('a command line that is not understood', PATIENT, () => {
  it.each([
    [['questions', 'list', '--nosuch'], "unknown option '--nosuch'", 'holdpoint questions list --help'],
    [['questoins'], "unknown command 'questoins' (Did you mean questions?)", 'holdpoint --help'],
    [['help', 'nosuch'], "unknown command 'nosuch'", 'holdpoint --help'],
    [['connect', 'cursor'], 'Allowed choices are claude, codex.', 'holdpoint connect --help'],
    [['questions', 'show'], "missing required argument 'request_id'", 'holdpoint questions show --help'],
  ])('is refused by name, to a person and to a program: %j', async (args, message, help) => {
    const text = await bed.run(args);
    expect(text).toMatchObject({ code: 2, stdout: '' });
    expect(text.stderr).toMatch(/^holdpoint: .+\n {2}Run `.+` to see what there is\.\n$/);
    expect(text.stderr).toContain(message);
    expect(text.stderr).toContain(`\`${help}\``);
    const json = await bed.run([...args, '--json']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    const { error } = JSON.parse(json.stderr);
    const advice = [expect.stringContaining(help)];
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(message), advice });
  });

  it('is not one of a program because a command after -- has the flag', async () => {
    const ended = await bed.run(['run', '--nosuch', 'exec', '--', 'ls', '--json']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^holdpoint: unknown option/) });
  });

  it('shows the help of the very command that help names', async () => {
    const asked = await bed.run(['help', 'questions', 'answer']);
    expect(asked).toEqual(await bed.run(['questions', 'answer', '--help']));
    expect(asked.stdout).toContain('--answers-json');
  });
});

describe('a token', PATIENT, () => {
  it('that is missing or wrong is told, with the way to a good one', async () => {
    const env = { HOLDPOINT_TOKEN: '', HOLDPOINT_DATA: temporaryFolder() };
    const missing = await bed.run(['questions', 'list'], { env });
    expect(missing).toMatchObject({ code: 6, stdout: '' });
    expect(missing.stderr).toMatch(/HOLDPOINT_TOKEN.*holdpoint serve/);
    const wrong = await bed.run(['questions', 'list', '--token', 'guessed', '--json']);
    expect(wrong.code).toBe(6);
    expect(JSON.parse(wrong.stderr).error).toMatchObject({ exit_code: 6, code: 'unauthenticated', status: 401 });
  });

  it('is found in the state folder', async () => {
    const env = { HOLDPOINT_TOKEN: '', HOLDPOINT_DATA: bed.server.data };
    expect((await bed.run(['questions', 'list', '--json'], { env })).code).toBe(0);
  });
});

describe('a connection that is lost after the answer was sent', PATIENT, () => {
  it('is taken up again: the answer is given once, and the person is told', async () => {
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

  it.skipIf(!hasPty)('in the inbox is told at its foot (needs python3)', async () => {
    await bed.clear();
    const ask = await (await bed.work()).approval('inbox');
    const lost = await losing(1);
    const inbox = bed.terminal(['inbox', '--url', lost.url]);
    await inbox.shows('$ rm -rf build');
    inbox.type('a');
    await expect.poll(() => inbox.raw(), PATIENT).toContain('connection lost; trying again. Nothing is done twice');
    await inbox.shows(/^Holdpoint {2}1 waiting[\s\S]*\nconnected again/);
    await expect.poll(async () => (await bed.client.asks.get(ask.ask_id)).answer?.behavior).toBe('allow');
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
  });

  it('and stays lost: the key is named, and the same command with it finds out', async () => {
    const ask = await (await bed.work()).approval('gone');
    const lost = await losing(1000);
    const args = ['approvals', 'allow', ask.ask_id, '--retry-for-ms', '300'];
    const ended = await bed.run(args, { env: { HOLDPOINT_URL: lost.url } });
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toContain('whether it was done is not known');
    const key = /--idempotency-key (\S+)$/m.exec(ended.stderr)?.[1] ?? '';
    expect(lost.keys()).toContain(key);
    const again = await bed.run(['approvals', 'allow', ask.ask_id, '--idempotency-key', key]);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const { items } = await bed.client.events.ofRun(ask.run_id);
    expect(items.filter((e) => e.type === 'ask.claimed')).toHaveLength(1);
  });
});

describe('a server that is gone while a run is watched', PATIENT, () => {
  const script = [{ do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'make' } }];
  const args = ['run', 'mock', '--input-json', JSON.stringify({ script })];
  const GIVEN_UP = /connection lost; trying again\nholdpoint: .* did not come back; .*\n .*runs show run_\w+\n$/;
  const watch = async (...more: string[]) => {
    const own = await openTestBed();
    const running = own.start([...args, ...more]);
    await expect.poll(running.stdout, PATIENT).toContain('approvals allow ask_');
    return { own, running };
  };

  it('is told once, and once when it is back', async () => {
    const { own, running } = await watch();
    const { url, data } = own.server;
    await own.server.end('SIGKILL');
    await expect.poll(running.stderr, PATIENT).toContain('holdpoint: connection lost; trying again\n');
    await startHoldpoint({ data, args: ['--port', new URL(url).port] });
    await expect.poll(running.stderr, PATIENT).toContain('holdpoint: connected again\n');
    const askId = /approvals allow (ask_\w+)/.exec(running.stdout())?.[1] ?? '';
    expect((await own.run(['approvals', 'allow', askId])).code).toBe(0);
    const { code, stderr } = await running.ended;
    expect([code, stderr.match(/lost/g)?.length, stderr.match(/again\n/g)?.length]).toEqual([0, 1, 2]);
  });

  it('and does not come back: then that is the end of the watching', async () => {
    const { own, running } = await watch('--retry-for-ms', '1500');
    await own.server.end('SIGKILL');
    const { code, stderr } = await running.ended;
    expect(code).toBe(7);
    expect(stderr).toMatch(GIVEN_UP);
  });

  it('or waited for', async () => {
    const own = await openTestBed();
    const input = JSON.stringify({ script: [{ do: 'sleep', ms: 600_000 }] });
    const waiting = own.start(['run', 'mock', '--input-json', input, '--wait', '--retry-for-ms', '1500']);
    const running = async () => (await own.client.runs.list({ status: 'running' })).items.length;
    await expect.poll(running, PATIENT).toBe(1);
    await own.server.end('SIGKILL');
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(7);
    // The latter if it had not begun to wait yet.
    expect(stderr).toMatch(new RegExp(`${GIVEN_UP.source}|Cannot reach Holdpoint`));
  });
});

const HOSTILE = 'x\u001b[2J\u001b]52;c;cm0=\u0007\u001b[8mhidden\u001b[0m\u202eevil\u200b\u0001\u009b31m\r\nend';
const ACTS = /(?![\n])\p{Cc}|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

describe('a list of nothing', PATIENT, () => {
  it.each([
    [[], 'no skill is published'],
    [['nosuch'], 'there is no such skill'],
  ])('is a sentence, not a table without rows: skills list %j', async (name, sentence) => {
    const ended = await bed.run(['skills', 'list', ...name]);
    expect(ended).toEqual({ code: 0, stdout: '', stderr: `holdpoint: ${sentence}\n` });
  });
});

describe('a defect', PATIENT, () => {
  it.skipIf(!hasPty)('leaves the terminal as it was, and is told there (needs python3)', async () => {
    const broken = await proxy(({ path }, respond) => {
      const isList = path.startsWith('/v1/asks');
      respond(200, isList ? '[{"ask_id":"ask_1","created_at_ms":1}]' : '{}', 'application/json');
    });
    const inbox = bed.terminal(['inbox', '--url', broken]);
    expect(await inbox.exited).toBe(1);
    expect(inbox.isAlternate()).toBe(false);
    expect(inbox.raw()).toContain('\u001b[?1049l');
    expect(inbox.screen().join('\n')).toMatch(/^holdpoint: /m);
  });
});

describe('hostile text from an agent', PATIENT, () => {
  it('never reaches standard output raw, in any command, as text or JSON', async () => {
    const work = await bed.work('hostile', { title: HOSTILE });
    await bed.client.runs.output(work.runId, { text: HOSTILE });
    const big = `${HOSTILE} `.repeat(15_000);
    const approval = await work.approval('h1', {
      tool_name: HOSTILE,
      input: { command: HOSTILE, [HOSTILE]: { deep: [HOSTILE] } },
      reason: HOSTILE,
      diff: `+${HOSTILE}`,
    });
    const large = await work.approval('h2', { input: { command: big.slice(0, 150_000), rest: big.slice(0, 150_000) } });
    const option = { id: 'o', label: HOSTILE, description: HOSTILE, preview: HOSTILE };
    const question = await work.question('h3', {
      questions: [{ question: HOSTILE, header: 'H\u001b[31m', options: [option] }],
    });
    const commands = [
      ['questions', 'list'],
      ['questions', 'show', question.ask_id],
      ['approvals', 'list'],
      ['approvals', 'show', approval.ask_id],
      ['approvals', 'show', large.ask_id],
      ['inbox'],
      ['sessions', 'list'],
      ['sessions', 'show', 'hostile'],
      ['runs', 'list'],
      ['runs', 'show', work.runId],
      ['events', '--session-id', 'hostile'],
    ];
    for (const args of commands) {
      const text = await bed.run(args);
      expect(text.code, args.join(' ')).toBe(0);
      expect(text.stdout.match(ACTS), args.join(' ')).toBeNull();
      const json = await bed.run([...args, '--json']);
      expect(json.stdout.match(ACTS), args.join(' ')).toBeNull();
      for (const line of args[0] === 'events' ? json.stdout.trimEnd().split('\n') : [json.stdout]) JSON.parse(line);
    }
    const refused = await bed.run(['questions', 'answer', question.ask_id, '--interactive'], {
      input: `${HOSTILE}\n`,
    });
    expect(refused.stderr.match(ACTS)).toBeNull();
  });

  it.skipIf(!hasPty)('never reaches a terminal raw (needs python3)', async () => {
    await bed.clear();
    const work = await bed.work('hostile-tty', { title: HOSTILE });
    await work.approval('h4', { tool_name: HOSTILE, input: { command: `${HOSTILE} && tail` }, reason: HOSTILE });
    const inbox = bed.terminal(['inbox'], { env: { NO_COLOR: '' } });
    await inbox.shows('tail');
    inbox.type('\r');
    await inbox.shows('esc back');
    inbox.type('dx');
    await inbox.shows('Why not?');
    inbox.type('\u001b');
    await inbox.shows('esc back');
    inbox.type('q');
    await inbox.shows('q quit');
    inbox.type('q');
    expect(await inbox.exited).toBe(0);
    // Of what was written, our own: colours, cursor, erasing, and the modes of a full screen.
    const own = new RegExp(`${'\u001b'}\\[(?:\\d+(?:;\\d+)*m|\\d+;\\d+H|K|2J|\\?(?:1049|25|7|2004)[hl])`, 'g');
    const rest = inbox.raw().replaceAll('\r\n', '\n').replace(own, '');
    expect(rest.match(ACTS)).toBeNull();
    expect(inbox.raw()).not.toContain('\u001b[8m');
  });
});

describe('doctor', PATIENT, () => {
  it('finds everything in order', async () => {
    const env = { HOLDPOINT_DATA: bed.server.data, HOLDPOINT_TOKEN: '' };
    const ended = await bed.run(['doctor'], { env });
    expect(ended.code).toBe(0);
    expect(ended.stdout.match(/^✓ /gm)).toHaveLength(6);
    expect(ended.stdout).toMatch(/token +good, scope operator/);
    expect(ended.stdout).toMatch(/agents .*mock/);
    const json = JSON.parse((await bed.run(['doctor', '--json'], { env })).stdout);
    expect(json).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([{ name: 'database', state: 'good', detail: expect.any(String) }]),
    });
  });

  it('says what to do about a server that is not there, a wrong token, a weak one, and an open folder', async () => {
    const none = await bed.run(['doctor'], { env: NOWHERE });
    expect(none.code).toBe(7);
    expect(none.stdout).toMatch(/✗ server .*\n(?:.*\n)*? {2}→ .*serve/);
    const wrong = await bed.run(['doctor', '--token', 'guessed']);
    expect(wrong.code).toBe(6);
    expect(wrong.stdout).toMatch(/✗ token .*\n {2}→ set HOLDPOINT_TOKEN/);
    const { token } = await bed.client.tokens.create({ scope: 'viewer' });
    const viewer = await bed.run(['doctor', '--token', token]);
    expect(viewer.code).toBe(0);
    expect(viewer.stdout).toMatch(/! token +good, scope viewer.*\n {2}→ it cannot answer/);
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const open = await bed.run(['doctor'], { env: { HOLDPOINT_DATA: folder } });
    expect(open.stdout).toContain(`→ chmod go= ${folder}`);
  });
});

/** Passes everything on, but the first `count` requests that change something are carried out and never answered. */
async function losing(count: number) {
  const keys: string[] = [];
  const url = await proxy(async (request, respond, drop) => {
    const { method, path, body, key } = request;
    // A stream that stays silent.
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

type Handler = (
  request: { method: string; path: string; body: string; key: string | undefined },
  respond: (status: number, text: string, type?: string) => void,
  drop: () => void,
) => void;

async function proxy(handle: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const key = request.headers['idempotency-key'] as string | undefined;
    handle(
      { method: request.method ?? '', path: request.url ?? '', body, key },
      (status, text, type = 'text/plain') => response.writeHead(status, { 'content-type': type }).end(text),
      () => request.socket.destroy(),
    );
  });
  proxies.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
