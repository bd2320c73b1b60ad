// Tests the HTTP connection to the local server of an agent.
// Covers: src/agents/wire/http-peer.ts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createHttpPeer } from '../../../src/agents/wire/http-peer.ts';

it('gives up an event stream that takes the connection and never responds', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const peer = createHttpPeer({ url, user: 'opencode', signal, responseMs: 50 });
  try {
    await expect(peer.events('/events', () => {})).rejects.toThrow('does not respond');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
