// Two servers on one database: a commit at one wakes the waits and streams at the other, with notifications or, behind a
// transaction-mode pooler, without them.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AskView, EventView } from '../../src/core/views.ts';

import { openStream } from '../support/http.ts';
import { type Holdpoint, startHoldpoint } from '../support/process.ts';
import { answer, caller, raise, SHARED } from '../support/shared-database.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';
import { Eavesdropper } from './eavesdropper.ts';

const postgres = postgresForAll();

describe.each([
  ['with notifications', false],
  ['behind a transaction-mode pooler', true],
])('two servers %s', (_, pooled) => {
  it('end a poll and reach a stream at one server by an answer at the other', async () => {
    const database = await postgres.database();
    const line = await Eavesdropper.open(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.port = String(line.port);
    if (pooled) url.searchParams.set('pooled', 'true');
    const env = { ...SHARED, HOLDPOINT_DATABASE_URL: url.href };
    const servers = await Promise.all([1, 2].map(() => startHoldpoint({ via: 'main', env, args: ['--no-worker'] })));
    const [here, there] = servers as [Holdpoint, Holdpoint];
    const ask = await raise(caller(here), 'waking');
    const seen: string[] = [];
    const stream = await openStream(here.url, { path: '/v1/events', token: SHARED.HOLDPOINT_TOKEN });
    const heard = (async () => {
      for await (const { data } of stream.events) {
        const { type } = JSON.parse(data) as EventView;
        seen.push(type);
        if (type === 'ask.claimed') return;
      }
    })();
    const polled = caller(here)<AskView>({ path: `/v1/asks/${ask.ask_id}?wait_ms=30000` });
    await sleep(300);
    expect((await answer(caller(there), ask)).status).toBe(202);
    expect((await polled).body.status).toBe('answered');
    await heard;
    expect(seen.at(-1)).toBe('ask.claimed');
    stream.close();
    // A pooler gives each transaction another connection: neither may count on meeting the same one again.
    expect(line.listens > 0).toBe(!pooled);
    expect(line.named > 0).toBe(!pooled);
    for (const server of servers) await server.end('SIGKILL');
    line.close();
  }, 120_000);
});
