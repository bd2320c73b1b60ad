// The seals at the ends of sessions' logs: given to the sessions of an older database once, and to none after that.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signLog } from '../../src/gateway/checkpoint.ts';
import { Tampering } from '../cli/tampering.ts';
import { held, startRun } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import { rowFaults } from './model/rows.ts';

let server: Server;
beforeEach(async () => {
  server = await openServer();
});
afterEach(() => server.close());

async function withoutSeals(): Promise<void> {
  await server.stop();
  const file = new Tampering(server.folder);
  file.run('UPDATE sessions SET head_mac = NULL');
  file.close();
  await server.open();
}
const faults = (...ids: string[]) => rowFaults(server.ports, ['system', ...ids]);
const broken = (id: string) => `sessions row ${id}: head_mac: the end of this log was not written by the server`;

it('seals the sessions of a database of version 0.1 when the server starts', async () => {
  const { sessionId } = await held(server);
  await withoutSeals();
  expect(await faults(sessionId)).toEqual([]);
  await startRun(server, sessionId);
  await signLog(server.ports);
  expect(await faults(sessionId)).toEqual([]);
});

it('seals nothing that has no seal once there is a chained checkpoint, and keeps that in mind', async () => {
  const { sessionId } = await held(server);
  await signLog(server.ports);
  await withoutSeals();
  expect(await faults(sessionId)).toEqual([broken('system'), broken(sessionId)]);
  await startRun(server, sessionId);
  expect(await faults(sessionId)).toEqual([broken('system'), broken(sessionId)]);
});
