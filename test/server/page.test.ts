// The files of the page: strict headers on each, the same document for every address of the page, caching by content hash,
// and nothing else of the disk.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-page-'));
let server: Server;
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>the page</title>');
  writeFileSync(join(folder, 'assets', 'index-Ab12.js'), 'export {};');
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, '.sources'), 'private');
  server = await openServer({ page: folder });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const look = (path: string, headers: Record<string, string> = {}) =>
  server.raw('GET', path, undefined, { token: null, headers });

describe('an address of the page', () => {
  it.each(['/', '/sign-in', '/asks', '/asks/ask_1', '/sessions/a/b', '/history?q=x', '/insights'])(
    'serves the document of the page at %s',
    async (path) => {
      const reply = await look(path);
      expect(reply.status).toBe(200);
      expect(reply.text).toContain('the page');
      expect(reply.headers['content-type']).toMatch(/^text\/html/);
      expect(reply.headers['cache-control']).toBe('no-cache');
    },
  );

  it.each(['/', '/assets/index-Ab12.js', '/favicon.svg'])(
    'allows %s to load nothing from other origins',
    async (path) => {
      const { headers } = await look(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
    },
  );

  it('lets browsers cache files that are named by their content hash', async () => {
    const reply = await look('/assets/index-Ab12.js');
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(reply.headers['content-type']).toMatch(/javascript/);
  });
});

describe('an unknown address', () => {
  const typed = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it.each(['/nowhere', '/v1/nowhere', '/favicon.svg/x'])(
    'serves the page with 404 to a browser at %s',
    async (path) => {
      const reply = await look(path, typed);
      expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('the page')]);
      expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it('answers programs with a problem document, and refuses a wrong Host', async () => {
    expect((await look('/nowhere')).status).toBe(401);
    const token = await server.raw('GET', '/nowhere', undefined, { headers: typed });
    expect([token.status, token.headers['content-type']]).toEqual([404, expect.stringMatching(/problem\+json/)]);
    expect((await look('/nowhere', { ...typed, host: 'evil.example' })).status).toBe(403);
    expect((await look('/v1/asks', typed)).status).toBe(401);
  });
});

describe('files outside of the page', () => {
  it.each([
    '/assets/none.js',
    '/assets/../index.html',
    '/assets/..%2f.sources',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/.sources',
    '/assets/',
    '/favicon.svg/x',
  ])('does not serve %s', async (path) => {
    const reply = await look(path);
    expect([401, 404]).toContain(reply.status);
    expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(reply.text).not.toContain('private');
  });

  it('answers an unknown API path with a problem document', async () => {
    await refusal(server.get('/v1/nowhere'), 404, 'route_not_found');
    await refusal(server.get('/nowhere'), 404, 'route_not_found');
    await refusal(server.get('/v1/nowhere', { token: null }), 401, 'unauthenticated');
  });

  it('refuses the page for a foreign Host', async () => {
    const reply = await look('/', { host: 'evil.example' });
    expect(reply).toMatchObject({ status: 403, body: { code: 'host_not_allowed' } });
  });
});

it('answers page_not_built when the page was not built', async () => {
  const bare = await openServer();
  try {
    const { detail } = await refusal(bare.get('/', { token: null }), 404, 'page_not_built');
    expect(detail).toContain('npm start');
  } finally {
    await bare.close();
  }
});
