// The database's clock: servers whose own clocks are wrong agree on deadlines.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';

import { root, startHoldpoint } from '../support/process.ts';
import { answer, type Call, caller, raise, SHARED } from '../support/shared-database.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();

it('judges deadlines by the time of the database on servers whose clocks are a minute off', async () => {
  const { url } = await postgres.database();
  const start = (offsetMs: number) =>
    startHoldpoint({
      via: 'main',
      args: ['--no-worker'],
      env: {
        ...SHARED,
        HOLDPOINT_DATABASE_URL: url,
        NODE_OPTIONS: `--import ${join(root, 'test', 'faults', 'skewed-clock.mjs')}`,
        FAULTS_CLOCK_OFFSET_MS: String(offsetMs),
      },
    });
  const servers = await Promise.all([start(60_000), start(-60_000)]);
  const [ahead, behind] = servers.map(caller) as [Call, Call];
  const long = [await raise(ahead, 'long-ahead', { expires_after_ms: 30_000 })];
  long.push(await raise(behind, 'long-behind', { expires_after_ms: 30_000 }));
  for (const ask of long) expect(Math.abs((ask.expires_at_ms ?? 0) - ask.created_at_ms - 30_000)).toBeLessThan(2);
  // This process has the same clock as the database. Half a minute is far from both of the wrong clocks.
  for (const ask of long) expect(Math.abs(ask.created_at_ms - Date.now())).toBeLessThan(30_000);
  // Raised by one clock, judged by the other: still open.
  expect((await answer(behind, long[0] as AskView)).status).toBe(202);
  expect((await answer(ahead, long[1] as AskView)).status).toBe(202);

  const short = [await raise(ahead, 'short-ahead', { expires_after_ms: 1200 })];
  short.push(await raise(behind, 'short-behind', { expires_after_ms: 1200 }));
  for (const call of [ahead, behind])
    for (const { ask_id } of short) {
      const ended = await call<AskView>({ path: `/v1/asks/${ask_id}?wait_ms=20000` });
      expect(ended.body.status).toBe('expired');
      expect(ended.body.answer?.answered_at_ms).toBeGreaterThanOrEqual(ended.body.expires_at_ms ?? 0);
    }
  for (const [call, ask] of [
    [ahead, short[1]],
    [behind, short[0]],
  ] as [Call, AskView][])
    expect((await answer(call, ask)).body.code).toBe('question_expired');
  for (const server of servers) await server.end('SIGKILL');
}, 120_000);
