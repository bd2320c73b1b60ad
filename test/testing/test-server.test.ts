// The server for users' own unit tests: the test plays the person, the rest is the real server.
// Covers: src/testing/reply.ts
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('lets a test answer, decline, allow with a changed input, and deny', async () => {
  const { holdpoint } = server;
  const where = holdpoint.ask({ question: 'Where to?', options: ['staging', 'production'] });
  await server.reply(await server.nextRequest(), { answer: 'staging' });
  expect(await where).toMatchObject({ status: 'answered', answer: 'staging' });

  server.replyWith((request) => {
    if (request.kind === 'question') return { decline: 'not now' };
    return request.request.tool_name === 'deploy' ? { allow: true, input: { to: 'staging' } } : { deny: 'no' };
  });
  expect(await holdpoint.ask({ question: 'Why?' })).toMatchObject({ status: 'declined', reason: 'not now' });
  const deploy = await holdpoint.approve({ tool_name: 'deploy', input: { to: 'production' } });
  expect(deploy).toMatchObject({ allowed: true, edited: true, input: { to: 'staging' } });
  expect(await holdpoint.approve({ tool_name: 'drop', input: {} })).toMatchObject({ allowed: false, reason: 'no' });
});

it('leaves a request pending that nobody replies to, and gives it to a later reply', async () => {
  server.replyWith(() => undefined);
  const both = server.holdpoint.ask({
    questions: [
      { id: 'a', question: 'A?' },
      { id: 'b', question: 'B?' },
    ],
  });
  const request = await server.nextRequest();
  expect(await server.holdpoint.outcomeOf(request.ask_id)).toMatchObject({ status: 'pending' });
  await expect(server.reply(request, { answer: 'x' })).rejects.toThrow('answer by their ids: a, b');
  await expect(server.reply(request, { allow: true })).rejects.toThrow('is a question');
  await server.reply(request, { answer: { a: 'one', b: 'two' } });
  expect(await both).toMatchObject({ status: 'answered', answer: 'one\ntwo' });
});

it('ends with its state when it is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-own-'));
  vi.stubEnv('TMPDIR', folder);
  const other = await startTestServer();
  expect(readdirSync(folder)).toHaveLength(1);
  await other.close();
  expect(readdirSync(folder)).toEqual([]);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
  await expect(fetch(`${other.url}/healthz`)).rejects.toThrow();
});
