// Pages of events: bounded in bytes, complete when they are read one after the other.
import { expect, it } from 'vitest';
import type { Event } from '../../src/core/event.ts';
import { eventPage } from '../../src/gateway/event-page.ts';
import { newSession, ok, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const sizeOf = (events: readonly Event[]) => events.reduce((sum, { data }) => sum + data.length, 0);

it('finding 4: reads every event once, in pages of a bounded size, where small events precede large ones', async () => {
  const { session_id: sessionId } = await newSession(server);
  const { run_id } = await startRun(server, sessionId);
  for (let n = 0; n < 60; n++)
    await ok(server.post(`/v1/runs/${run_id}/output`, { text: 'x'.repeat(n % 30 < 25 ? 5 : 100_000) }));
  const all = await server.ports.store.read((r) => r.events({ sessionId }, 0, 500));
  const seen: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const after = seen.at(-1) ?? 0;
    const page = await server.ports.store.read((r) => eventPage(r, { sessionId }, after, 50, 200_000));
    expect(sizeOf(page.events)).toBeLessThan(301_000);
    expect(page.events.length).toBeLessThanOrEqual(50);
    seen.push(...page.events.map(({ seq }) => seq));
    hasMore = page.hasMore;
  }
  expect(seen).toEqual(all.map(({ seq }) => seq));
});

it('ends with an empty page after the last event', async () => {
  const last = await server.ports.store.read((r) => r.lastSeq());
  expect(await server.ports.store.read((r) => eventPage(r, {}, last, 10))).toEqual({ events: [], hasMore: false });
});
