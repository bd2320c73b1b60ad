// A server that is asked to stop under load exits 0, its clients lose nothing, and the next one continues. And streams that
// the server ends while their reader is behind.
// Covers: src/server/drain.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { openStream, type Sent, send } from '../support/http.ts';
import { endEverything, startHoldpoint } from '../support/process.ts';
import { seeded } from '../support/seeded-random.ts';
import { audit } from './auditor.ts';
import { startLoad } from './load.ts';
import { Phoenix } from './phoenix.ts';

const STOPS = 6;

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 300_000 });
afterAll(endEverything);

it('stops and starts again under load without an effect on clients other than a reconnect', async () => {
  const random = seeded('stop');
  const server = await Phoenix.rise();
  const load = await startLoad(server, random, 8, 4);
  for (let i = 1; i <= STOPS; i++) {
    while (load.knowledge.applied.length < i * 10) await sleep(20);
    await sleep(random.int(0, 50));
    await server.stop();
    server.spawn();
    await server.up();
  }
  const account = await load.rest();
  expect([...server.defects, ...audit(load.knowledge, account)]).toEqual([]);
  await server.stop();
  expect(server.defects).toEqual([]);
});

it('ends the streams of a revoked token while they catch up, and keeps running', async () => {
  const server = await startHoldpoint({ via: 'main' });
  const call = <T>(sent: Sent) => send<T>(server.url, { token: server.token, ...sent });
  await call({ path: '/v1/sessions', body: { session_id: 'busy', agent: 'external' } });
  const run = await call<{ run_id: string }>({ path: '/v1/sessions/busy/runs', body: { input: { text: 'much' } } });
  const say = (text: string) => call({ path: `/v1/runs/${run.body.run_id}/output`, body: { text } });
  await Promise.all(Array.from({ length: 1500 }, (_, i) => say(`line ${i}`)));
  for (let round = 0; round < 5; round++) {
    const spare = await call<{ token_id: string; token: string }>({ path: '/v1/tokens', body: { scope: 'viewer' } });
    const opening = Array.from({ length: 20 }, () =>
      openStream(server.url, { path: '/v1/events?after=0', token: spare.body.token }),
    );
    const [first] = await Promise.all(opening);
    const revoked = call({ path: `/v1/tokens/${spare.body.token_id}`, method: 'DELETE' });
    const shown = await Promise.all(opening.map(async (stream) => countOf((await stream).events)));
    expect((await revoked).status).toBe(200);
    expect(first?.status).toBe(200);
    expect(shown).toHaveLength(20);
  }
  expect((await call({ path: '/readyz' })).status).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** Reads a stream to its end. */
async function countOf(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of events) count += 1;
  return count;
}
