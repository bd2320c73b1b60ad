// Request ids, and the line that each finished request leaves in the log.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { serverForAll } from '../support/shared-fixtures.ts';

const lines: string[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
const server = serverForAll({ logger });

it('names each request in its reply, by the id that was sent if it is usable', async () => {
  const idOf = async (sent?: string) =>
    (await server.raw('GET', '/v1/me', undefined, sent === undefined ? {} : { headers: { 'x-request-id': sent } }))
      .headers['x-request-id'];
  const [first, second] = [await idOf(), await idOf()];
  expect(first).toMatch(/^[\w-]{8}\.\w+$/);
  expect(second).not.toBe(first);
  expect(await idOf('trace-7.a')).toBe('trace-7.a');
  expect(await idOf('two words')).toMatch(/^[\w-]{8}\.\w+$/);
  expect(await idOf('x'.repeat(129))).toMatch(/^[\w-]{8}\.\w+$/);
});

it('logs a finished request with its id and caller, and without its query', async () => {
  const headers = { 'x-request-id': 'log-1' };
  await server.raw('GET', '/v1/asks?q=secret+words', undefined, { headers });
  await server.raw('GET', '/v1/asks/ask_nope', undefined, { headers: { 'x-request-id': 'log-2' } });
  await server.raw('GET', '/v1/me', undefined, { token: null, headers: { 'x-request-id': 'log-3' } });
  const logged = lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id?.startsWith('log-'));
  expect(logged).toMatchObject([
    {
      msg: 'request',
      method: 'GET',
      path: '/v1/asks',
      status: 200,
      caller: 'operator',
      duration_ms: expect.any(Number),
    },
    { path: '/v1/asks/ask_nope', status: 404 },
    { path: '/v1/me', status: 401 },
  ]);
  expect(logged[2]).not.toHaveProperty('caller');
  expect(lines.join('')).not.toMatch(/secret/);
});
