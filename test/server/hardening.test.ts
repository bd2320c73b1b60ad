// The smaller points of the security review (finding 25) at the HTTP door.
// Covers: src/server/auth.ts, src/server/app.ts, src/server/routes/runs.ts
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditServer } from '../../src/cli/log-audit.ts';
import { createClient } from '../../src/client/client.ts';
import { held, newSession, ok, refusal, showAsk, startRun } from '../support/api-calls.ts';
import { headersOf, signIn } from '../support/browser.ts';
import { openServer } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('finding 25: a NUL in an address', () => {
  it.each([
    '/v1/asks/ask_%00',
    '/v1/runs/%00/events',
    '/v1/sessions/a%00b',
    '/v1/asks?q=a%00b',
    '/v1/asks?session_id=%00',
    '/api/v1/kinds/skills?name=%00',
    '/v1/threads/thr_%00/items',
  ])('is refused with 400: %s', async (path) => {
    const problem = await refusal(server.get(path), 400, 'invalid_request');
    expect(problem.detail).toContain('NUL');
  });

  it('is not seen in an escaped percent sign', async () => {
    await refusal(server.get('/v1/asks/ask_%2500'), 404, 'ask_not_found');
  });
});

/** The status line and body of a request as these bytes. */
const say = async (bytes: string): Promise<string> => {
  const { port } = new URL(await server.url());
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
};

describe('finding 25: two Host headers', () => {
  it.each([
    ['Host: 127.0.0.1', 'Host: evil.example'],
    ['Host: evil.example', 'host: 127.0.0.1'],
    ['Host: 127.0.0.1', 'Host: 127.0.0.1'],
  ])('are refused: %s, %s', async (first, second) => {
    const reply = await say(`GET /healthz HTTP/1.1\r\n${first}\r\n${second}\r\nConnection: close\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1\.1 (?:400|403)/);
  });

  it('leave one Host accepted', async () => {
    const reply = await say('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe('finding 25: Strict-Transport-Security', () => {
  it('is sent where callers come by TLS under a name, and not on loopback', async () => {
    const proxied = await openServer({ proxiedAs: 'inbox.example' });
    try {
      const hsts = async (host: string) =>
        (await proxied.raw('GET', '/healthz', undefined, { headers: { host } })).headers['strict-transport-security'];
      expect(await hsts('inbox.example')).toBe('max-age=31536000');
      expect(await hsts('127.0.0.1:4777')).toBeUndefined();
    } finally {
      await proxied.close();
    }
    expect((await server.raw('GET', '/healthz')).headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('finding 25: the surface that a caller claims', () => {
  const withdraw = async (scope: string, surface: string) => {
    const h = await held(server);
    const token = (await server.makeToken(scope, scope === 'agent' ? h.sessionId : undefined)).token;
    const headers = { 'holdpoint-surface': surface };
    await ok(server.post(`/v1/asks/${h.ask.ask_id}/withdraw`, {}, { token, headers }));
    return (await showAsk(server, h.ask.ask_id)).answer?.surface;
  };

  it.each(['web', 'thread', 'form', 'link', 'system'])('is not %s for an agent', async (surface) => {
    expect(await withdraw('agent', surface)).toBe('api');
  });

  it.each(['cli', 'mcp', 'api'])('may be %s for an agent', async (surface) => {
    expect(await withdraw('agent', surface)).toBe(surface);
  });

  it('is always web for a signed-in browser', async () => {
    const { ask } = await held(server);
    const headers = { ...headersOf(await signIn(server)), 'holdpoint-surface': 'cli' };
    await ok(server.post(`/v1/asks/${ask.ask_id}/seen`, {}, { token: null, headers }));
    expect((await showAsk(server, ask.ask_id)).seen_by).toMatchObject([{ surface: 'web' }]);
  });
});

describe('finding 25: the environment in the input of a run', () => {
  let path: string;
  let records: string;
  beforeAll(async () => {
    const { session_id } = await newSession(server, { agent: 'exec' });
    const input = { command: ['true'], env: { API_KEY: 'hunter2' }, data: { note: 'x' } };
    path = `/v1/runs/${(await startRun(server, session_id, { input })).run_id}/input`;
    records = `/v1/sessions/${session_id}/records`;
  });

  it('is shown to an operator', async () => {
    expect((await ok(server.get<{ env: object }>(path))).env).toEqual({ API_KEY: 'hunter2' });
  });

  it('is shown to a viewer by name only', async () => {
    const { token } = await server.makeToken('viewer');
    const reply = await server.get(path, { token });
    expect(reply.body).toEqual({ command: ['true'], env: { API_KEY: '(hidden)' }, data: { note: 'x' } });
    expect(reply.text).not.toContain('hunter2');
  });

  it('is in no row that a viewer gets, who can hold the rows against the log all the same', async () => {
    expect((await server.get(records)).text).toContain('hunter2');
    const { token } = await server.makeToken('viewer');
    const reply = await server.get(records, { token });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain('hunter2');
    const report = await auditServer(createClient({ url: await server.url(), token }), {});
    expect(report.faults).toEqual([]);
  });
});
