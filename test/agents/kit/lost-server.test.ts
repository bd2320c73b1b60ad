// A process that waits for a Holdpoint server learns when it stays away, and not while it replies, refusals included.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { watchServer } from '../../../src/agents/kit/lost-server.ts';
import { createHttp } from '../../../src/client/http.ts';

it.each([200, 429])('aborts when a server that replied with %i stays away', async (status) => {
  let replies = 0;
  const server = createServer((_, response) => {
    replies++;
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal, stop } = watchServer(createHttp({ url }), { limitMs: 1000, lookEveryMs: 20 });
  try {
    await expect.poll(() => replies).toBeGreaterThan(4);
    expect(signal.aborted).toBe(false);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect.poll(() => signal.aborted, { timeout: 20_000 }).toBe(true);
    expect(String(signal.reason)).toContain(`Cannot reach Holdpoint at ${url}: it has not replied for 1 seconds`);
  } finally {
    stop();
    server.close();
  }
});
