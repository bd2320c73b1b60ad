// Bytes on a socket that are not HTTP, incomplete, or too many. Every reply is a problem document or the requested one, and
// nothing stops the server or leaks a socket.
// Covers: src/server/malformed-request.ts
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { send } from '../support/http.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { faultOf } from './verdict.ts';

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let server: Holdpoint;
beforeAll(async () => {
  server = await startHoldpoint({ via: 'main' });
});
afterAll(endEverything);

const HEAD = 'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const BODY = '{"agent":"external"}';

describe('malformed bytes', () => {
  it.each<[string, string | Buffer]>([
    ['words', 'hello there, is anybody in?\r\n\r\n'],
    ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex')],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL bytes', Buffer.alloc(1000)],
    ['an unknown method', 'BREW /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an unknown version', 'GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['an empty host', 'GET /v1/asks HTTP/1.1\r\nHost:\r\n\r\n'],
    ['HTTP/1.0 without a host', 'GET /healthz HTTP/1.0\r\n\r\n'],
    ['another host in the address', 'GET http://example.com/v1/asks HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a whole URL that means a file', 'GET file:///healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a NUL in the address', 'GET /health\0z HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a space in the address', 'GET /v1/sessions/a b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['bytes in the address', Buffer.from('GET /v1/\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n', 'latin1')],
    ['an address without end', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['a header without end', `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['headers without end', `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${'X-A: 1\r\n'.repeat(50_000)}\r\n`],
    ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n'],
    ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    ['a header that is folded', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n'],
    ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n${BODY}`],
    ['two lengths', `${HEAD}Content-Length: 20\r\nContent-Length: 21\r\n\r\n${BODY}`],
    ['a length and chunks', `${HEAD}Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks that are none', `${HEAD}Authorization: Bearer x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}`],
    ['an unknown transfer encoding', `${HEAD}Transfer-Encoding: gzip\r\n\r\n${BODY}`],
    ['an unknown expectation', `${HEAD}Expect: the-best\r\nContent-Length: 20\r\n\r\n${BODY}`],
    [
      'an upgrade nobody offers',
      'GET /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['a star for an address', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('are answered with a problem document: %s', async (_, bytes) => {
    const [answer] = await exchange(bytes, 1);
    expect(answer).toBeDefined();
    expect(answer?.status).toBeGreaterThanOrEqual(400);
    expect(faultOf(answer as Answer)).toBeUndefined();
    expect(await isAlive()).toBe(true);
  });
});

it('closes a CONNECT tunnel', async () => {
  expect(await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 1)).toEqual([]);
  expect(await isAlive()).toBe(true);
});

it('answers every one of several pipelined requests in order', async () => {
  const paths = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? '/healthz' : `/v1/sessions/none-${i}`));
  const bytes = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
  );
  const answers = await exchange(bytes.join(''), 100);
  expect(answers.map((answer) => answer.status)).toEqual(paths.map((path) => (path === '/healthz' ? 200 : 404)));
  for (const [i, answer] of answers.entries()) if (answer.status === 404) expect(answer.text).toContain(`none-${i}`);
});

it('does nothing for incomplete requests', async () => {
  const before = await sessionCount();
  const whole = `${HEAD}Authorization: Bearer ${server.token}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
  const cuts = Array.from({ length: whole.length - 1 }, (_, i) => i + 1);
  await Promise.all(cuts.map((cut) => abandon(whole.slice(0, cut))));
  expect(await sessionCount()).toBe(before);
  expect((await exchange(whole, 1))[0]?.status).toBe(201);
  expect(await sessionCount()).toBe(before + 1);
});

/** Most of these are never answered: long enough for a busy server to answer the others. */
const SILENCE_MS = 3000;

it('survives random bytes on a socket', async () => {
  const random = seeded('raw');
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.int(0, 255)));
  const whole = Buffer.from(`${HEAD}Authorization: Bearer x\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
  const spoilt = (): Buffer => {
    const bytes = Buffer.from(whole);
    for (let i = random.int(1, 8); i > 0; i--) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    return bytes;
  };
  const sent = Array.from({ length: 300 }, () => (random.chance(0.3) ? noise(random.int(1, 2000)) : spoilt()));
  const answers = (await Promise.all(sent.map((bytes) => exchange(bytes, 1, SILENCE_MS)))).flat();
  expect(answers.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  expect(answers.length).toBeGreaterThan(0);
  expect(await isAlive()).toBe(true);
});

it('leaks no socket and logs no failure after malformed bytes', async () => {
  expect((await send(server.url, { path: '/readyz' })).status).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.stderr()).not.toMatch(/"level":(50|60)|unhandled|uncaught/i);
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function dial(onData: (chunk: Buffer) => void): Socket {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  // A reset is one of the ways to be told that nobody listens.
  socket.on('error', () => {});
  socket.on('data', onData);
  return socket;
}

/** Sends the bytes and reads until that many answers are there, the server closes, or it says nothing more. */
function exchange(bytes: string | Buffer, wanted: number, silenceMs = 10_000): Promise<Answer[]> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const done = () => {
      clearTimeout(silence);
      socket.destroy();
      resolve(answersIn(received));
    };
    const silence = setTimeout(done, silenceMs);
    const socket = dial((chunk) => {
      received = Buffer.concat([received, chunk]);
      if (answersIn(received).length >= wanted) done();
    });
    socket.once('close', done);
    socket.write(bytes);
  });
}

function abandon(bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = dial(() => {});
    socket.once('connect', () => socket.end(bytes));
    socket.once('close', () => resolve());
  });
}

/** The complete responses in what was received. */
function answersIn(received: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let rest = received; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = bodyLengthOf(headers, rest.subarray(end + 4));
    if (length === undefined) return answers;
    const text = rest.subarray(end + 4, end + 4 + length).toString('utf8');
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      text: headers['content-length'] ? text : unchunked(text),
    });
    rest = rest.subarray(end + 4 + length);
  }
}

function bodyLengthOf(headers: Record<string, string>, body: Buffer): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return body.length >= Number(length) ? Number(length) : undefined;
  if (headers['transfer-encoding'] !== 'chunked') return 0;
  const end = body.indexOf('0\r\n\r\n');
  return end === -1 ? undefined : end + 5;
}

const unchunked = (text: string) => text.replace(/(^|\r\n)[0-9a-f]+\r\n/gi, '').trim();

async function isAlive(): Promise<boolean> {
  return (await send(server.url, { path: '/healthz' })).status === 200;
}

async function sessionCount(): Promise<number> {
  const { body } = await send<unknown[]>(server.url, { path: '/v1/sessions?limit=500', token: server.token });
  return body.length;
}
