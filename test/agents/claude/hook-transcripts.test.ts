// What the hooks of a real Claude Code posted at a real terminal, posted again: the replies are as they were, and every
// ask and run ends as it did.
// Covers: src/agents/claude/hook-protocol.ts
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveHooks } from '../../../src/agents/claude/attach.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';
import { outcomes, RECORDED, recordings, replayHooks } from './hook-replay.ts';

let server: Server;
let bed: TestBed;
let waits: Waits;
let hooks: ReturnType<typeof serveHooks>;
beforeAll(async () => {
  server = await openServer();
  bed = new TestBed(await server.url(), server.token);
  const client = createClient({ url: bed.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
  hooks = serveHooks({ client, waits });
});
afterAll(async () => {
  await hooks.close();
  waits.close();
  await server.close();
});

it.each(Object.entries(RECORDED))('%s ends as it did when it was recorded', async (name, expected) => {
  expect(await outcomes(bed, await replayHooks(bed, name, hooks.handle))).toEqual(expected);
});

it('every recording is replayed', () => {
  expect(recordings().sort()).toEqual(Object.keys(RECORDED).sort());
});
