// Several servers write one session on PostgreSQL: what one keeps in memory never counts when another has written since,
// whether that is of this release or an earlier one.
// Covers: src/store/wake-ups.ts, src/store/postgres-commit.ts, src/store/postgres-function.ts, src/store/postgres-load.ts, src/store/session-states.ts, src/store/units.ts
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Event, logFault } from '../../src/core/event.ts';
import type { Store, Tx } from '../../src/core/ports.ts';
import { Feed } from '../../src/gateway/feed.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { append, endedOf, hash, keep, questionOf, runOf, sessionOf } from '../conformance/store-samples.ts';
import { EarlierServer } from '../support/earlier-server.ts';
import { sealer } from '../support/postgres.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();
let url: string;
let here: Store;
let there: Store;
beforeAll(async () => {
  ({ url } = await postgres.database());
  const open = async () =>
    (await openPostgres({ url, hash, sealer, poolSize: 4, pooled: false, onError: () => {} })).store;
  [here, there] = [await open(), await open()];
}, 60_000);
afterAll(async () => {
  await here.close();
  await there.close();
});

const runs = [runOf('run_1', 's1', { status: 'running' }), runOf('run_2', 's1')];

/** Counts in the session and notes it in its log, as every verb does. */
const count = (store: Store, more: (tx: Tx) => Promise<unknown>) =>
  store.write(async (tx) => {
    await more(tx);
    const session = await tx.lockSession('s1');
    if (!session) throw new Error('no session');
    session.runCount += 1;
    await tx.appendEvents(session, [{ type: 'output', data: { n: session.runCount } }], 1);
    await tx.update('session', session);
  });

it('keeps every change of two runs of a session, one known here and one not, by two servers', async () => {
  await keep(here, { sessions: [sessionOf('s1', { activeRunId: 'run_1' })], runs: runs.slice(0, 1) });
  // `run_1` is in the memory of `here` from the beginning, `run_2` in that of nobody: it is read for each unit.
  await there.write((tx) => tx.insert('run', runOf('run_2', 's1', { status: 'cancelled' })));
  const touch = (store: Store, id: string) =>
    count(store, async (tx) => {
      const locked = await tx.lockRun(id);
      if (!locked) throw new Error('no run');
      await tx.update('run', { ...locked.value, outputCount: locked.value.outputCount + 1 });
    });
  const rounds = 15;
  for (let i = 0; i < rounds; i++)
    await Promise.all([touch(here, 'run_1'), touch(here, 'run_2'), touch(there, 'run_2'), touch(there, 'run_1')]);
  const kept = await there.read(async (r) => ({
    counts: [
      (await r.get('session', 's1'))?.runCount,
      (await r.get('run', 'run_1'))?.outputCount,
      (await r.get('run', 'run_2'))?.outputCount,
    ],
    log: await r.events({ sessionId: 's1' }, 0, 99),
  }));
  expect(kept.counts).toEqual([4 * rounds, 2 * rounds, 2 * rounds]);
  expect(kept.log).toHaveLength(4 * rounds);
  expect(logFault(kept.log, hash)).toBeUndefined();
}, 60_000);

it('ends an ask once, at the first of two servers that both had it in memory, and tells the other', async () => {
  const asks = Array.from({ length: 12 }, (_, n) => questionOf(`ask_${n}`, runs[0] ?? runOf('run_1', 's1')));
  await keep(here, { asks });
  const end = (store: Store, by: string) => (n: number) =>
    store.write(async (tx) => {
      const locked = await tx.lockAsk(`ask_${n}`);
      return locked?.value.status === 'pending' && tx.endAsk(endedOf(locked.value, 'answered', by));
    });
  await Promise.all([here, there].map((store) => store.write((tx) => tx.lockSession('s1'))));
  for (let n = 0; n < asks.length; n++) {
    const won = await Promise.all([end(here, 'here')(n), end(there, 'there')(n)]);
    const winner = won[0] ? 'here' : 'there';
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await here.read((r) => r.get('ask', `ask_${n}`))).toMatchObject({ answer: { answered_by: winner } });
  }
}, 60_000);

it('never refuses a request for what another server has changed since', async () => {
  await append(here, 's1', ['in memory']);
  await there.write(async (tx) => tx.update('run', { ...(runs[0] ?? runOf('run_1', 's1')), status: 'completed' }));
  const status = here.write(async (tx) => (await tx.lockRun('run_1'))?.value.status);
  expect(await status).toBe('completed');
});

it('notices the changes of a server of an earlier release, also those of a run alone', async () => {
  const earlier = await EarlierServer.connect(url);
  const read = () => here.write((tx) => tx.lockRun('run_1'));
  await read();
  for (let until = 1; until <= 3; until++) {
    await earlier.begin();
    await earlier.renewLease('run_1', until);
    await earlier.commit();
    expect(await read()).toMatchObject({ value: { lease: { until } } });
    await earlier.begin();
    await earlier.lockSession('s1');
    await earlier.append('s1', `earlier ${until}`);
    const next = append(here, 's1', [`later ${until}`]);
    await earlier.commit();
    await next;
  }
  await earlier.end();
  const log = await here.read((r) => r.events({ sessionId: 's1' }, 0, 200));
  expect(log.slice(-6).map(({ data }) => JSON.parse(data).text)).toEqual(
    [1, 2, 3].flatMap((n) => [`earlier ${n}`, `later ${n}`]),
  );
  expect(logFault(log, hash)).toBeUndefined();
}, 60_000);

it('shows an event that follows the last one at once, also to who begins to follow, while an earlier number is open', async () => {
  const feed = new Feed(here);
  await feed.start();
  const slow = await EarlierServer.connect(url);
  await slow.begin('');
  await slow.announce();
  const heard = (session: string) =>
    new Promise<string>((resolve) => {
      const deliver = (events: readonly Event[]) => {
        const last = events.find(({ data }) => data.includes(session));
        if (last) resolve(last.sessionId);
        return true;
      };
      feed.follow({ filter: {}, deliver }, 0);
    });
  await keep(here, { sessions: [sessionOf('s2'), sessionOf('s3')] });
  const live = heard('contiguous');
  await append(here, 's2', ['contiguous']);
  expect(await live).toBe('s2');
  expect(await heard('contiguous')).toBe('s2');
  const foreign = heard('by notification');
  await append(there, 's3', ['by notification']);
  expect(await foreign).toBe('s3');
  await slow.commit();
  await slow.end();
  await feed.stop();
}, 60_000);

it('shows nothing to a role of the same database that listens, and believes nothing that it sends', async () => {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`);
  await owner.end();
  const address = new URL(url);
  Object.assign(address, { username: 'stranger', password: 'stranger' });
  const stranger = new pg.Client({ connectionString: address.href, application_name: 'holdpoint listener' });
  await stranger.connect();
  const overheard: string[] = [];
  stranger.on('notification', ({ payload = '' }) => overheard.push(payload));
  await stranger.query('LISTEN holdpoint');
  await expect(stranger.query('SELECT 1 FROM events')).rejects.toThrow('permission denied');

  await keep(there, { sessions: [sessionOf('s4')] });
  const feed = new Feed(here);
  await feed.start();
  const shown: string[] = [];
  const deliver = (events: readonly Event[]) => shown.push(...events.map(({ data }) => data)) > 0;
  feed.follow({ filter: { sessionId: 's4' }, deliver }, 0);
  const seq = (await here.read((r) => r.lastSeq())) + 1;
  const claimed = { sessionId: 's4', sessionSeq: 1, id: 'evt_1', at: 1, type: 'ask.claimed', prevHash: '', hash: '' };
  const forged = JSON.stringify([{ seq, ...claimed, data: '{"text":"forged"}' }]);
  for (const payload of ['[', 'x [', forged, `x${forged}`, `x ${forged}`])
    await stranger.query(`SELECT pg_notify('holdpoint', $1)`, [payload]);
  await append(there, 's4', ['a confidential command']);
  await expect.poll(() => shown.at(-1)).toContain('a confidential command');
  expect(shown).toHaveLength(1);
  // What was committed has travelled between the two servers all the same.
  await expect.poll(() => overheard.some((payload) => payload.length > 300)).toBe(true);
  expect(overheard.filter((payload) => payload.includes('confidential'))).toEqual([]);
  await feed.stop();
  await stranger.end();
}, 60_000);
