// The process contract that scripts rely on: one line on standard output, settings by variable or flag, signals, the files in
// the state folder, and one sentence on standard error when the server refuses to start.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openStream, send } from './support/http.ts';
import {
  type Exit,
  endEverything,
  type Holdpoint,
  type StartOptions,
  spawnHoldpoint,
  startHoldpoint,
  temporaryFolder,
} from './support/process.ts';

afterAll(endEverything);

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const CLEAN: Exit = { code: 0, signal: null };

describe('a server that starts', () => {
  it('prints exactly one line to standard output, also after requests and at its end', async () => {
    const server = await startHoldpoint({ env: { HOLDPOINT_LOG: 'trace' } });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await send(server.url, { path: '/healthz' })).status).toBe(200);
    expect((await send(server.url, { path: '/no-such-route', token: server.token })).status).toBe(404);
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
    expect(server.stdout()).toBe(`holdpoint ready ${server.url}\n`);
  });

  it('writes its log to standard error', async () => {
    const server = await startHoldpoint({ env: { HOLDPOINT_LOG: 'info' } });
    await server.end('SIGTERM');
    expect(server.stderr()).toMatch(/Server listening/i);
  });

  it('serves when no command is given, and takes flags there too', async () => {
    const data = temporaryFolder();
    const server = await startHoldpoint({ data, command: ['--port', '0'], env: { HOLDPOINT_PORT: '1' } });
    expect((await send(server.url, { path: '/readyz' })).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
  });

  it('creates an operator token that only its owner can read, and reuses it', async () => {
    const first = await startHoldpoint();
    const file = join(first.data, 'operator.token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(first.token.length).toBeGreaterThanOrEqual(32);
    expect(await statusWith(first, first.token)).toBe(200);
    expect(await statusWith(first, 'guessed')).toBe(401);
    await first.end('SIGTERM');
    const second = await startHoldpoint({ data: first.data });
    expect(second.token).toBe(first.token);
    expect(await statusWith(second, first.token)).toBe(200);
  });

  it('replaces its own token when it was revoked, and refuses a preset one that was revoked', async () => {
    const first = await startHoldpoint();
    const tokens = await send<{ token_id: string; scope: string }[]>(first.url, {
      path: '/v1/tokens',
      token: first.token,
    });
    const own = tokens.body.find((token) => token.scope === 'operator')?.token_id;
    await send(first.url, { path: `/v1/tokens/${own}`, method: 'DELETE', token: first.token });
    await first.end('SIGTERM');
    const second = await startHoldpoint({ data: first.data });
    expect(second.token).not.toBe(first.token);
    expect(await statusWith(second, second.token)).toBe(200);
    expect(await statusWith(second, first.token)).toBe(401);
    await second.end('SIGTERM');
    await expect(startHoldpoint({ data: first.data, env: { HOLDPOINT_TOKEN: first.token } })).rejects.toThrow(
      /was revoked\. Give another one/,
    );
  });

  it('uses a preset operator token and creates none', async () => {
    const server = await startHoldpoint({ env: { HOLDPOINT_TOKEN: 'preset-operator-secret-of-24' } });
    expect(await statusWith(server, 'preset-operator-secret-of-24')).toBe(200);
    expect(() => statSync(join(server.data, 'operator.token'))).toThrow('ENOENT');
  });

  it('prints a sign-in link that works once, also when the token was preset', async () => {
    const server = await startHoldpoint({ env: { HOLDPOINT_TOKEN: 'preset-operator-secret-of-24' } });
    await expect.poll(() => server.stderr()).toMatch(/\/sign-in#\S+$/m);
    const [, url = '', code = ''] = /(http\S+)\/sign-in#(\S+)/.exec(server.stderr()) ?? [];
    expect(url).toBe(server.url);
    expect(server.stdout()).toBe(`holdpoint ready ${server.url}\n`);
    const use = () => send(server.url, { path: '/v1/sign-in', body: { code }, headers: { origin: server.url } });
    expect((await use()).status).toBe(200);
    expect((await use()).status).toBe(410);
  });

  it('prefers flags over the environment', async () => {
    const data = temporaryFolder();
    const port = await freePort();
    const server = await startHoldpoint({
      args: [
        '--port',
        String(port),
        '--data',
        data,
        '--token',
        'from-the-flag-of-the-command',
        '--log',
        'silent',
        '--host',
        'localhost',
      ],
      env: {
        HOLDPOINT_PORT: 'nonsense',
        HOLDPOINT_TOKEN: 'from-the-environment-of-it',
        HOLDPOINT_LOG: 'trace',
        HOLDPOINT_HOST: '0.0.0.0',
      },
    });
    expect(server.url).toBe(`http://localhost:${port}`);
    expect(await statusWith(server, 'from-the-flag-of-the-command')).toBe(200);
    expect(await statusWith(server, 'from-the-environment-of-it')).toBe(401);
    expect(statSync(join(data, 'holdpoint.db')).isFile()).toBe(true);
    expect(server.stderr()).toBe('');
  });

  it('treats an empty environment variable as not set', async () => {
    const server = await startHoldpoint({
      env: { HOLDPOINT_HOST: '', HOLDPOINT_LOG: '', HOLDPOINT_DATABASE_URL: '' },
    });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    await server.end('SIGTERM');
    const again = spawnHoldpoint({ data: server.data, env: { HOLDPOINT_TOKEN: '' } });
    const url = await again.ready;
    expect((await send(url, { path: '/v1/sessions', token: server.token })).status).toBe(200);
  });

  it('listens on the IPv6 loopback and prints it as a URL', async () => {
    const server = await startHoldpoint({ args: ['--host', '::1'] });
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    const { port } = new URL(server.url);
    expect((await send(server.url, { path: '/healthz' })).status).toBe(200);
    expect((await send(server.url, { path: '/healthz', headers: { host: `[::1]:${port}` } })).status).toBe(200);
  });
});

describe('a server that ends', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits 0 on %s with streams and long polls open', async (signal) => {
    const server = await startHoldpoint();
    const ask = await pendingAsk(server);
    const stream = await openStream(server.url, { path: '/v1/events?after=0', token: server.token });
    await stream.events.next();
    const poll = send<{ status: string }>(server.url, { path: `/v1/asks/${ask}?wait_ms=60000`, token: server.token });
    await isHeard(server);
    const ended = server.end(signal);
    expect((await poll).body.status).toBe('pending');
    for await (const _ of stream.events);
    expect(await ended).toEqual(CLEAN);
  });

  it('answers every request that has begun before it exits', async () => {
    const server = await startHoldpoint();
    const session = await sessionOf(server);
    const posts = Array.from({ length: 100 }, (_, i) =>
      send<{ run_id: string }>(server.url, {
        path: `/v1/sessions/${session}/runs`,
        token: server.token,
        body: { input: { text: `work ${i}` } },
      }).catch(() => undefined),
    );
    await Promise.race(posts);
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
    const answers = await Promise.all(posts);
    const accepted = answers.flatMap((answer) => (answer?.status === 202 ? [answer.body.run_id] : []));
    const again = await startHoldpoint({ data: server.data });
    const runs = await send<{ run_id: string }[]>(again.url, { path: '/v1/runs?limit=500', token: again.token });
    expect(runs.body.map((run) => run.run_id).sort()).toEqual(accepted.sort());
  });

  it('closes the connection of a client that does not close it', async () => {
    const server = await startHoldpoint();
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('POST /v1/sessions HTTP/1.1\r\nHost: '));
    const cut = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await isHeard(server);
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
    await cut;
  });

  it('ignores a second signal', async () => {
    const server = await startHoldpoint();
    void server.end('SIGTERM');
    void server.end('SIGINT');
    expect(await server.end('SIGTERM')).toEqual(CLEAN);
  });

  it('keeps its data over SIGTERM and kill -9, and starts at once after either', async () => {
    const first = await startHoldpoint();
    const ask = await pendingAsk(first);
    await first.end('SIGTERM');
    const second = await startHoldpoint({ data: first.data });
    expect(await statusOfAsk(second, ask)).toBe('pending');
    expect(await second.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    const third = await startHoldpoint({ data: first.data });
    expect(await statusOfAsk(third, ask)).toBe('pending');
  });
});

describe('a server that refuses to start with one sentence and exit code 1, or 2 for wrong settings', () => {
  it('refuses a state folder that another server uses', async () => {
    const first = await startHoldpoint();
    const sentence = await refusal({ data: first.data });
    expect(sentence).toContain('Another Holdpoint server is using');
    expect(sentence).toContain('HOLDPOINT_DATA');
    expect(await statusWith(first, first.token)).toBe(200);
  });

  it('refuses a port in use', async () => {
    const first = await startHoldpoint();
    const { port } = new URL(first.url);
    const sentence = await refusal({ args: ['--port', port] });
    expect(sentence).toContain(port);
    expect(sentence).toContain('--port');
  });

  it.each(['0.0.0.0', '::', '127.example.com'])('refuses to listen on %s without TLS or a proxy', async (host) => {
    const sentence = await refusal({ env: { HOLDPOINT_HOST: host } });
    expect(sentence).toContain(`Refusing to listen on ${host}`);
    expect(sentence).toContain('--tls-cert');
    expect(sentence).toContain('--behind-proxy');
  });

  it.each([
    ['a port that is no number', ['--port', 'eighty'], '--port takes a number from 0 to 65535, not "eighty"'],
    ['a port out of range', ['--port', '65536'], 'not "65536"'],
    ['a port in another notation', ['--port', '0x50'], 'not "0x50"'],
    ['a negative port', ['--port=-1'], 'not "-1"'],
    ['a log level that does not exist', ['--log', 'loud'], '"loud"'],
    ['a certificate without its key', ['--tls-cert', '/nowhere.pem'], '--tls-key'],
    ['a key without its certificate', ['--tls-key', '/nowhere.pem'], '--tls-cert'],
    ['a certificate that is not there', ['--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.pem'], '/nowhere.pem'],
    ['a flag that does not exist', ['--prot', '80'], '--prot'],
    ['a flag without its value', ['--port'], '--port'],
    ['a word too many', ['now'], 'now'],
  ])('refuses %s', async (_, args, part) => {
    expect(await refusal({ args }, 2)).toContain(part);
  });

  it.each([
    ['HOLDPOINT_PORT', 'eighty'],
    ['HOLDPOINT_LOG', 'loud'],
    ['HOLDPOINT_LIMIT_BODY_BYTES', 'much'],
    ['HOLDPOINT_DATABASE_URL', 'mysql://somewhere/else'],
    ['HOLDPOINT_NOTIFY_HOSTS', 'http://ntfy.lan'],
  ])('refuses the environment variable %s=%s', async (name, value) => {
    const sentence = await refusal({ env: { [name]: value } }, 2);
    expect(sentence).toContain(name);
  });

  it('refuses an unknown command', async () => {
    expect(await refusal({ command: ['serv'] }, 2)).toContain('serv');
  });

  it('refuses a state folder that is a file', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusal({ env: { HOLDPOINT_DATA: file } })).toContain(file);
  });

  it('refuses a file that is not a database', async () => {
    const data = temporaryFolder();
    writeFileSync(join(data, 'holdpoint.db'), 'this was never a database, and is long enough to see that'.repeat(20));
    expect(await refusal({ data })).toContain('holdpoint.db');
  });

  it.each(['operator.token', 'secret.key'])('refuses an empty %s, which would be a guessable secret', async (name) => {
    const data = temporaryFolder();
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, name), '\n', { mode: 0o600 });
    expect(await refusal({ data })).toContain(`${name} is empty`);
    expect(readFileSync(join(data, name), 'utf8')).toBe('\n');
  });
});

/** The one line on standard error of a server that did not start. */
async function refusal(options: StartOptions, code = 1): Promise<string> {
  const started = spawnHoldpoint(options);
  expect(await started.exited).toEqual({ code, signal: null });
  expect(started.stdout()).toBe('');
  const lines = started.stderr().trimEnd().split('\n');
  const advice = /^ {2}Run `holdpoint [^`]*--help`/;
  expect(lines.filter((line) => !advice.test(line))).toHaveLength(1);
  expect(lines.join('\n')).not.toMatch(/\n\s+at |node:internal/);
  return lines[0] ?? '';
}

async function statusWith(server: Holdpoint, token: string): Promise<number> {
  return (await send(server.url, { path: '/v1/sessions', token })).status;
}

async function sessionOf(server: Holdpoint): Promise<string> {
  const { url, token } = server;
  const made = await send<{ session_id: string }>(url, { path: '/v1/sessions', token, body: { agent: 'external' } });
  return made.body.session_id;
}

async function pendingAsk(server: Holdpoint): Promise<string> {
  const { url, token } = server;
  const path = `/v1/sessions/${await sessionOf(server)}/runs`;
  const run = await send<{ run_id: string }>(url, { path, token, body: { input: { text: 'work' } } });
  const body = { kind: 'question', tool_call_id: 'call', questions: [{ question: 'Which?' }] };
  const ask = await send<{ ask_id: string }>(url, { path: `/v1/runs/${run.body.run_id}/asks`, token, body });
  expect(ask.status).toBe(201);
  return ask.body.ask_id;
}

async function statusOfAsk(server: Holdpoint, ask: string): Promise<string> {
  const { url, token } = server;
  return (await send<{ status: string }>(url, { path: `/v1/asks/${ask}`, token })).body.status;
}

/** Whatever was sent before this has reached the server's handlers: one process reads its sockets in turn. */
async function isHeard(server: Holdpoint): Promise<void> {
  for (let i = 0; i < 3; i++) await send(server.url, { path: '/readyz' });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
