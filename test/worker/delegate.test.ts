// Delegates as real programs and addresses: what each exit code and reply means, and that every failure asks.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDelegates } from '../../src/worker/delegate.ts';

let folder: string;
let server: Server;
let reply: (request: IncomingMessage, response: ServerResponse, body: string) => void;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-delegate-'));
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    reply(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (to: string) => ({
  to,
  agent: 'external',
  session_id: 's',
  request_id: 'ask_1',
  tool_name: 'Deploy',
  input: { target: 'prod', note: "it's" },
  work_folder: '/srv/shop',
});
const program = (script: string): string => {
  const path = join(folder, `decide-${script.length}-${Math.abs(script.charCodeAt(0))}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};
const consult = (to: string, timeoutMs = 20_000) =>
  createDelegates(folder, new AbortController().signal, timeoutMs)(call(to));

describe('a program', () => {
  it('reads the input as JSON and the call from its environment, without secrets of the server', async () => {
    process.env.HOLDPOINT_TOKEN = 'a secret';
    const to = program('cat > got; printenv >> got; pwd >> got');
    expect(await consult(to)).toMatchObject({ decision: 'allow' });
    delete process.env.HOLDPOINT_TOKEN;
    const got = readFileSync(join(folder, 'got'), 'utf8');
    expect(got.split('\n')[0]).toContain('{"target":"prod","note":"it\'s"}');
    for (const line of ['AGENT=external', 'AGENT_TOOL_NAME=Deploy', 'AGENT_WORK_FOLDER=/srv/shop'])
      expect(got).toContain(`${line}\n`);
    expect(got).not.toContain('a secret');
  });

  it.each([
    ['exit 0', 'allow', 'exited with 0'],
    ['echo not now >&2; exit 1', 'ask', 'not now'],
    ['echo never on Fridays >&2; exit 2', 'reject', 'never on Fridays'],
    ['exit 77', 'reject', 'exited with 77'],
    ['kill -9 $$', 'ask', 'ended by SIGKILL'],
  ])('that ends with `%s` means %s', async (script, decision, reason) => {
    expect(await consult(program(script))).toMatchObject({ decision, reason: expect.stringContaining(reason) });
  });

  it('that does not exist, or is not executable, asks', async () => {
    expect(await consult(join(folder, 'none'))).toMatchObject({ decision: 'ask' });
    writeFileSync(join(folder, 'plain'), 'x', { mode: 0o600 });
    expect(await consult(join(folder, 'plain'))).toMatchObject({ decision: 'ask' });
  });

  it('that takes too long is ended and asks, even if it would allow', async () => {
    const to = program('trap "exit 0" TERM; sleep 60 & wait');
    expect(await consult(to, 300)).toMatchObject({
      decision: 'ask',
      hasFailed: true,
      reason: expect.stringContaining('took longer'),
    });
  });
});

describe('a URL', () => {
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/decide`;
  const answering = (status: number, body: string, headers = {}) => {
    reply = (_, response) => response.writeHead(status, headers).end(body);
    return consult(url());
  };

  it('gets the call as JSON and decides', async () => {
    let got: unknown;
    reply = (request, response, body) => {
      got = [request.method, JSON.parse(body)];
      response.end('{"decision":"reject","reason":"closed"}');
    };
    expect(await consult(url())).toEqual({ decision: 'reject', reason: 'closed' });
    const { to: _, ...sent } = call('');
    expect(got).toEqual(['POST', sent]);
    expect(await answering(200, '{"decision":"allow"}')).toMatchObject({ decision: 'allow' });
  });

  it.each([
    [500, '{"decision":"allow"}', {}],
    [201, '{"decision":"allow"}', {}],
    [200, 'allow', {}],
    [200, '{"decision":"ALLOW"}', {}],
    [200, `{"decision":"allow","reason":"${'x'.repeat(70_000)}"}`, {}],
    [302, '', { location: 'http://127.0.0.1:1/' }],
  ])('that replies with %i %.30s asks', async (status, body, headers) => {
    expect(await answering(status, body, headers)).toMatchObject({ decision: 'ask' });
  });

  it('that does not reply, or cannot be reached, asks', async () => {
    reply = () => {};
    expect(await consult(url(), 200)).toMatchObject({ decision: 'ask' });
    expect(await consult('http://127.0.0.1:1/')).toMatchObject({ decision: 'ask' });
  });
});

it('asks where too many are consulted at once', async () => {
  const consultAll = createDelegates(folder, new AbortController().signal);
  const to = program('read line; exit 0');
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => consultAll(call(to))));
  expect(verdicts.filter(({ decision }) => decision === 'ask')).toHaveLength(4);
});
