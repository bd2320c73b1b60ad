// Which answers count as received, judged from the connections of their calls.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import { Calls } from '../../src/mcp/calls.ts';

/** A client in a thread of its own, which hangs up while this thread is busy. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = require('node:net').connect(workerData);
  parentPort.once('message', () => socket.resetAndDestroy());`;
const BUSY_MS = 1500;

afterEach(() => {
  vi.useRealTimers();
});

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

/** An agent whose connection broke waits for the timeout of its client, 60 s by default, before it calls again. */
it('confirms no answer by the call of another agent that was stuck until its own timeout', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const calls = new Calls();
  const caller = { sessionId: 'session', client: 'client', connection: { isOpen: () => true } };
  const [one, two] = [calls.begin(caller, 1), calls.begin(caller, 2)];
  calls.end(two);
  calls.end(one);
  vi.advanceTimersByTime(66_000);
  let isConfirmed = false;
  const confirm = async () => {
    isConfirmed = true;
  };
  await calls.sent(calls.begin(caller, 3), { askId: 'ask', isShared: false, confirm, giveBack: async () => {} });
  vi.advanceTimersByTime(2000);
  await calls.confirm(calls.begin(caller, 4));
  expect(isConfirmed).toBe(false);
});
