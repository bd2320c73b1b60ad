// Requests to addresses that people and browsers gave: what is inside the network is not reached, whatever name it has, wherever a
// reply redirects to, and whatever a name server says the second time.
// Covers: src/notices/address-guard.ts
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/notices/address-guard.ts';
import { createGuardedPost, TargetRefused } from '../../src/notices/guarded-post.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
async function listen(handler: RequestListener): Promise<number> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const message = { headers: {}, body: 'x' };
const { signal: stopping } = new AbortController();
const at = (address: string) => [{ address, family: address.includes(':') ? 6 : 4 }];
const guarded = (privateHosts: string[], resolve?: (host: string) => Promise<{ address: string; family: number }[]>) =>
  createGuardedPost({ privateHosts, now: Date.now, stopping, ...(resolve && { resolve }) });

describe('addresses', () => {
  it.each([
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
      'ff02::1',
      'fe80::1%eth0',
      'nonsense',
    ],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a guarded request', () => {
  it.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://0.0.0.0/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.0.0.1/',
    'https://[fe80::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'http://example.org/',
    'https://user:word@example.org/',
    'file:///etc/passwd',
    'not an address',
  ])('refuses %s', async (url) => {
    await expect(guarded([])(url, message)).rejects.toThrow(TargetRefused);
  });

  it('refuses a name that leads inside, also when only one of its addresses does', async () => {
    const mixed = async () => [...at('93.184.216.34'), ...at('10.0.0.1')];
    // Without the address: whoever adds a device does not learn what names mean inside the network.
    await expect(guarded([], mixed)('https://rebound.example/', message)).rejects.toThrow(
      /^The host rebound\.example is not on the public internet/,
    );
  });

  it('resolves a name once and connects to the address that was checked', async () => {
    let calls = 0;
    const port = await listen((_, response) => response.writeHead(204).end());
    const rebinding = async () => {
      calls += 1;
      return at(calls === 1 ? '127.0.0.1' : '127.0.0.2');
    };
    const post = guarded([`rebound.example:${port}`], rebinding);
    expect(await post(`http://rebound.example:${port}/`, message)).toMatchObject({ status: 204 });
    expect(calls).toBe(1);
  });

  it('looks up two names at a time, so that silent name servers hold up nothing else of the server', async () => {
    const asked: string[] = [];
    const replies: (() => void)[] = [];
    const resolve = (host: string) =>
      new Promise<{ address: string; family: number }[]>((done) => {
        asked.push(host);
        replies.push(() => done(at('10.0.0.1')));
      });
    const post = guarded([], resolve);
    const sent = ['a', 'b', 'c'].map((name) =>
      expect(post(`https://${name}.test/`, message)).rejects.toThrow(/public/),
    );
    await Promise.resolve();
    expect(asked).toEqual(['a.test', 'b.test']);
    replies[0]?.();
    await sent[0];
    await expect.poll(() => asked).toEqual(['a.test', 'b.test', 'c.test']);
    for (const reply of replies) reply();
    await Promise.all(sent);
  });

  it('follows no redirect', async () => {
    let wasReached = false;
    const inside = await listen((_, response) => {
      wasReached = true;
      response.end();
    });
    const port = await listen((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inside}/` }).end(),
    );
    expect(await guarded([`127.0.0.1:${port}`])(`http://127.0.0.1:${port}/`, message)).toMatchObject({ status: 307 });
    expect(wasReached).toBe(false);
  });

  it('allows a host that the operator named, and no other port of it', async () => {
    const port = await listen((_, response) =>
      response.writeHead(429, { 'retry-after': '7' }).end('x'.repeat(1_000_000)),
    );
    const post = guarded([`127.0.0.1:${port}`]);
    expect(await post(`http://127.0.0.1:${port}/`, message)).toEqual({ status: 429, retryAfterMs: 7000 });
    await expect(post(`http://127.0.0.1:${port + 1}/`, message)).rejects.toThrow(TargetRefused);
  });

  it('ends at a receiver that switches protocols, which is no reply', async () => {
    const port = await listen(() => {});
    servers.at(-1)?.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
    await expect(guarded([`127.0.0.1:${port}`])(`http://127.0.0.1:${port}/`, message)).rejects.toThrow(
      'it replied 101',
    );
  });

  it('ends with the server while a name is looked up', async () => {
    const stop = new AbortController();
    const resolve = () => new Promise<never>(() => stop.abort());
    const post = createGuardedPost({ privateHosts: [], now: Date.now, stopping: stop.signal, resolve });
    await expect(post('https://slow.example/', message)).rejects.toThrow('the server stops');
  });
});
