// Health, readiness, metrics and the API document: which of them need a token, and that none shows one.
import { expect, it } from 'vitest';
import { refusal } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';

const server = serverForAll();

it('shows no token on a route that needs none', async () => {
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/']) {
    const reply = await server.raw('GET', path, undefined, { token: null });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain(server.token);
  }
});

it.each(['/healthz', '/readyz', '/openapi.json'])('serves %s without a token', async (path) => {
  expect((await server.raw('GET', path, undefined, { token: null })).status).toBe(200);
});

it('serves /metrics to viewers and refuses callers without a token', async () => {
  await refusal(server.get('/metrics', { token: null }), 401, 'unauthenticated');
  const { token } = await server.makeToken('viewer');
  const reply = await server.get<string>('/metrics', { token });
  expect(reply.text).toMatch(/^holdpoint_asks_pending \d+$/m);
});
