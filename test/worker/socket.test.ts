// WebSocket connections over a local socket path: whole texts in both directions until either side closes.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openSocket } from '../../src/worker/socket.ts';
import { temporaryFolder } from '../support/process.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A peer that sends every text back twice. */
async function listen(): Promise<{ path: string; peers: WebSocket[] }> {
  const path = join(temporaryFolder(), 'socket');
  const peers: WebSocket[] = [];
  const http = createServer();
  new WebSocketServer({ server: http }).on('connection', (peer) => {
    peers.push(peer);
    peer.on('message', (data) => {
      peer.send(Buffer.from([1, 2, 3]));
      for (let n = 0; n < 2; n++) peer.send(data.toString());
    });
  });
  await new Promise<void>((resolve) => http.listen(path, resolve));
  closing.push(() => {
    for (const peer of peers) peer.terminate();
    http.close();
  });
  return { path, peers };
}

it('exchanges whole texts and drops binary messages', async () => {
  const { path } = await listen();
  const received: string[] = [];
  const socket = await openSocket(path, (text) => received.push(text), new AbortController().signal);
  const long = 'ü'.repeat(300_000);
  socket.send(long);
  await expect.poll(() => received.length).toBe(2);
  expect(received).toEqual([long, long]);
  socket.close();
  await socket.ended;
  socket.send('after the end');
});

it('ends when the peer closes, and when the signal is aborted', async () => {
  const { path, peers } = await listen();
  const left = await openSocket(path, () => {}, new AbortController().signal);
  peers[0]?.close();
  await left.ended;
  const abort = new AbortController();
  const aborted = await openSocket(path, () => {}, abort.signal);
  abort.abort();
  await aborted.ended;
});

it('rejects a path where nothing listens', async () => {
  const path = join(temporaryFolder(), 'none');
  await expect(openSocket(path, () => {}, new AbortController().signal)).rejects.toThrow('ENOENT');
});
