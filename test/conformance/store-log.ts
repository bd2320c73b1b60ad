// Store suite: the event log, gapless and linked within a session, with one cursor over all sessions, under many writers.
import { describe, expect, it } from 'vitest';
import { HoldpointError } from '../../src/core/errors.ts';
import { type Event, FIRST_PREV_HASH, logFault } from '../../src/core/event.ts';
import type { Reader, Store } from '../../src/core/ports.ts';
import type { Bed } from './store.ts';
import { AWKWARD, append, hash, keep, LATEST, runOf, sessionOf } from './store-samples.ts';

const CHANGED_ITS_MIND = 'changed its mind';
const WRITERS = 200;
const SESSIONS = 5;

export function describeLog(bed: Bed): void {
  describe('the event log', () => {
    it('links appended events, moves the head of the session, and returns every field', async () => {
      const session = sessionOf('s1');
      await bed.store.write(async (tx) => {
        await tx.insert('session', session);
        await tx.appendEvents(session, [], 1);
        await tx.appendEvents(
          session,
          [
            { type: 'accepted', data: { b: AWKWARD, a: 1 }, runId: 'run_1' },
            { type: 'ask.raised', data: {}, runId: 'run_1', askId: 'ask_1' },
          ],
          LATEST,
        );
        await tx.appendEvents(session, [{ type: 'item.posted', data: { x: [1.5, null] } }], 2);
        await tx.update('session', session);
      });
      const events = await bed.store.read((r) => r.events({}, 0, 9));
      expect(logFault(events, hash)).toBeUndefined();
      expect(events.map(({ seq, hash: h, prevHash, ...e }) => e)).toEqual([
        {
          sessionSeq: 1,
          id: 'evt_s1_1',
          at: LATEST,
          sessionId: 's1',
          runId: 'run_1',
          askId: undefined,
          type: 'accepted',
          data: JSON.stringify({ a: 1, b: AWKWARD }),
        },
        {
          sessionSeq: 2,
          id: 'evt_s1_2',
          at: LATEST,
          sessionId: 's1',
          runId: 'run_1',
          askId: 'ask_1',
          type: 'ask.raised',
          data: '{}',
        },
        {
          sessionSeq: 3,
          id: 'evt_s1_3',
          at: 2,
          sessionId: 's1',
          runId: undefined,
          askId: undefined,
          type: 'item.posted',
          data: '{"x":[1.5,null]}',
        },
      ]);
      expect(events[0]?.prevHash).toBe(FIRST_PREV_HASH);
      expect(session).toMatchObject({ headSeq: 3, headHash: events[2]?.hash });
      expect(await bed.store.read((r) => r.get('session', 's1'))).toEqual(session);
    });

    it('is read by session, by run and as a whole, from a cursor and with a limit', async () => {
      const { store } = bed;
      await keep(store, {
        sessions: [sessionOf('s1'), sessionOf('s2')],
        runs: [runOf('r1', 's1'), runOf('r2', 's2')],
      });
      expect(await store.read((r) => r.lastSeq())).toBe(0);
      for (const [session, run] of [
        ['s1', 'r1'],
        ['s2', 'r2'],
        ['s1', 'r1'],
        ['s1', undefined],
      ] as const)
        await append(store, session, [`${session} ${run}`], run);
      const all = await store.read((r) => r.events({}, 0, 9));
      const textOf = (events: Event[]) => events.map((e) => JSON.parse(e.data).text);
      expect(textOf(all)).toEqual(['s1 r1', 's2 r2', 's1 r1', 's1 undefined']);
      expect(await store.read((r) => r.lastSeq())).toBe(all.at(-1)?.seq);
      const [, second] = all;
      const find = (...args: Parameters<Reader['events']>) => store.read((r) => r.events(...args));
      expect(textOf(await find({}, second?.seq ?? 0, 1))).toEqual(['s1 r1']);
      expect(textOf(await find({ sessionId: 's1' }, second?.seq ?? 0, 9))).toEqual(['s1 r1', 's1 undefined']);
      expect(textOf(await find({ runId: 'r1' }, 0, 9))).toEqual(['s1 r1', 's1 r1']);
      expect(await find({ sessionId: 's3' }, 0, 9)).toEqual([]);
      expect(await find({}, all.at(-1)?.seq ?? 0, 9)).toEqual([]);
    });

    it(`is gapless, linked and in order under ${WRITERS} writers at once, and never shows a smaller number later`, async () => {
      const { store } = bed;
      const ids = Array.from({ length: SESSIONS }, (_, n) => `s${n}`);
      await keep(store, { sessions: ids.map((id) => sessionOf(id)) });
      const tail = follow(store);
      const results = await Promise.allSettled(
        Array.from({ length: WRITERS }, (_, n) => patiently(() => write(store, n))),
      );
      const reasons = results.flatMap((r) => (r.status === 'rejected' ? [String(r.reason.message)] : []));
      expect(reasons).toEqual(Array(WRITERS / 10).fill(CHANGED_ITS_MIND));
      const seen = await tail.until(expectedEvents());

      expect(seen.every((event, i) => i === 0 || event.seq > (seen[i - 1]?.seq ?? 0))).toBe(true);
      expect(await store.read((r) => r.events({}, 0, 10_000))).toEqual(seen);
      for (const id of ids) {
        const log = await store.read((r) => r.events({ sessionId: id }, 0, 10_000));
        expect(logFault(log, hash)).toBeUndefined();
        expect(log).toEqual(seen.filter((e) => e.sessionId === id));
        expect(await store.read((r) => r.get('session', id))).toMatchObject({
          headSeq: log.length,
          headHash: log.at(-1)?.hash,
        });
      }
      expect(new Set(seen.map((e) => e.data)).size).toBe(expectedEvents());
    });

    it('notifies listeners after a commit, when its events can be read', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1')] });
      let wake: () => void = () => {};
      store.onCommit(() => wake());
      for (let n = 1; n <= 3; n++) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await append(store, 's1', [`${n}`]);
        await woken;
        expect(await store.read((r) => r.events({}, 0, 9))).toHaveLength(n);
      }
    });
  });
}

/** Every tenth writer appends and then fails; the others append one to three events. */
function write(store: Store, n: number): Promise<void> {
  return store.write(async (tx) => {
    const session = await tx.lockSession(`s${n % SESSIONS}`);
    if (!session) throw new Error('the session is gone');
    for (let i = 0; i <= n % 3; i++) await tx.appendEvents(session, [{ type: 'output', data: { n, i } }], n);
    await tx.update('session', session);
    if (n % 10 === 7) throw new Error(CHANGED_ITS_MIND);
  });
}

const expectedEvents = () =>
  Array.from({ length: WRITERS }, (_, n) => (n % 10 === 7 ? 0 : 1 + (n % 3))).reduce((a, b) => a + b, 0);

/** Reads on from a cursor, as every waiter does, while the writers are at work. */
function follow(store: Store) {
  const seen: Event[] = [];
  const readOn = async () => {
    seen.push(...(await patiently(() => store.read((r) => r.events({}, seen.at(-1)?.seq ?? 0, 50)))));
  };
  let stopped = false;
  const following = (async () => {
    while (!stopped) {
      await readOn();
      await new Promise(setImmediate);
    }
  })();
  return {
    async until(count: number): Promise<Event[]> {
      while (seen.length < count) await new Promise(setImmediate);
      stopped = true;
      await following;
      return seen;
    },
  };
}

/** On a busy machine the wait for a connection or a lock ends for some of so many: they try again, as clients do. */
async function patiently<T>(unit: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await unit();
    } catch (error) {
      if (!(error instanceof HoldpointError) || error.code !== 'store_unavailable') throw error;
    }
  }
}
