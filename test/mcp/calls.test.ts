// Which answers count as received, judged from the connections of their calls.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Calls } from '../../src/mcp/calls.ts';

/** A client in a thread of its own, which hangs up while this thread is busy. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = require('node:net').connect(workerData);
  parentPort.once('message', () => socket.resetAndDestroy());`;
const BUSY_MS = 1500;

it('gives an answer back whose connection was closed while the server was too busy to notice', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const worker = new Worker(CLIENT, { eval: true, workerData: (server.address() as AddressInfo).port });
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => {}).resume();

  const calls = new Calls();
  const caller = { sessionId: 'session', client: 'client', connection: { isOpen: () => !socket.destroyed } };
  let isConfirmed = false;
  const confirm = async () => {
    isConfirmed = true;
  };
  await calls.sent(calls.begin(caller, 1), { askId: 'ask', isShared: false, confirm, giveBack: async () => {} });
  const confirming = calls.confirm(caller);
  worker.postMessage('hang up');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  await confirming;
  expect(isConfirmed).toBe(false);
  await worker.terminate();
  server.close();
});
