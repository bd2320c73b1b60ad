// Store suite: a unit is applied as a whole or not at all, is invisible before its commit, and is isolated: a failure in one
// unit leaves others untouched.
import { describe, expect, it } from 'vitest';
import { fail, HoldpointError } from '../../src/core/errors.ts';
import type { MaybePromise, Reader, Store, Tx } from '../../src/core/ports.ts';
import type { Bed } from './store.ts';
import { append, approvalOf, keep, questionOf, runOf, sessionOf } from './store-samples.ts';

export function describeUnits(bed: Bed): void {
  describe('units', () => {
    it('resolve to the result of the unit, and reject with its error', async () => {
      const refusal = fail('run_not_found', 'no');
      expect(await bed.store.write(async () => ({ a: 1 }))).toEqual({ a: 1 });
      expect(await bed.store.read(async () => 'x')).toBe('x');
      await expect(bed.store.write(async () => Promise.reject(refusal))).rejects.toBe(refusal);
      await expect(bed.store.read(async () => Promise.reject(refusal))).rejects.toBe(refusal);
    });

    it('see their own writes', async () => {
      const seen = await bed.store.write(async (tx) => {
        await tx.insert('session', sessionOf('s1'));
        await tx.update('session', sessionOf('s1', { runCount: 5 }));
        return tx.get('session', 's1');
      });
      expect(seen?.runCount).toBe(5);
    });

    // A store must not guess from a message whether the database or the unit is to blame.
    const mishaps: [string, (tx: Tx) => MaybePromise<unknown>][] = [
      ['a refusal', async () => Promise.reject(fail('ask_not_found', 'no'))],
      ['a defect', async () => Promise.reject(new TypeError('x is undefined'))],
      ['words that a full disk would use', async () => Promise.reject(new Error('database or disk is full'))],
      ['words that a broken file would use', async () => Promise.reject(new Error('I/O: malformed, readonly'))],
      ['a taken key', (tx) => tx.insert('session', sessionOf('taken'))],
      ['a value that is not an error', async () => Promise.reject('just text')],
    ];
    it.each(mishaps)('are rolled back alone when they end with %s', async (_, mishap) => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('taken')] });
      await append(store, 'taken', ['first']);
      const unit = (n: number) => async (tx: Tx) => {
        const session = sessionOf(`s${n}`);
        const run = runOf(`run_${n}`, session.id);
        await tx.insert('session', session);
        await tx.insert('run', run);
        await tx.insert('ask', questionOf(`ask_${n}`, run));
        await tx.appendEvents(session, [{ type: 'session.created', data: { n } }], 1);
        await tx.update('session', session);
        if (n % 3 === 1) await mishap(tx);
        return n;
      };
      const numbers = Array.from({ length: 9 }, (_, n) => n);
      const results = await Promise.allSettled(numbers.map((n) => store.write(unit(n))));
      expect(results.map((r) => r.status)).toEqual(numbers.map((n) => (n % 3 === 1 ? 'rejected' : 'fulfilled')));
      await store.read(async (r) => {
        for (const n of numbers) {
          const there = [
            await r.get('session', `s${n}`),
            await r.get('run', `run_${n}`),
            await r.get('ask', `ask_${n}`),
          ];
          expect(there.map(Boolean)).toEqual(Array(3).fill(n % 3 !== 1));
          expect(await r.events({ sessionId: `s${n}` }, 0, 9)).toHaveLength(n % 3 === 1 ? 0 : 1);
        }
        expect(await r.events({ sessionId: 'taken' }, 0, 9)).toHaveLength(1);
      });
      expect(await store.write(unit(99))).toBe(99);
    });

    it('leave no unsaved or rolled-back change of a record to later units', async () => {
      const { store } = bed;
      const run = runOf('run_1', 's1');
      await keep(store, { sessions: [sessionOf('s1')], runs: [run], asks: [questionOf('ask_1', run)] });
      const change = async (tx: Tx) => {
        const { session, value } = (await tx.lockRun('run_1')) ?? {};
        const ask = await tx.get('ask', 'ask_1');
        if (!session || !value || !ask) throw new Error('something is gone');
        session.runCount = 99;
        value.status = 'failed';
        ask.toolCallId = 'another';
        return { session, run: value };
      };
      const kept = async (tx: Reader) => [
        await tx.get('session', 's1'),
        await tx.get('run', 'run_1'),
        await tx.get('ask', 'ask_1'),
      ];
      const before = await store.write(kept);
      await store.write(change);
      expect(await store.write(kept)).toEqual(before);
      const givenUp = store.write(async (tx) => {
        const changed = await change(tx);
        await tx.update('session', changed.session);
        await tx.update('run', changed.run);
        throw new Error('no');
      });
      await expect(givenUp).rejects.toThrow('no');
      expect(await store.write(kept)).toEqual(before);
      expect(await store.read(kept)).toEqual(before);
    });

    it('are invisible to readers until they are committed', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1')] });
      const entered = gate();
      const leave = gate();
      let settled = false;
      const writing = store.write(async (tx) => {
        const session = await tx.lockSession('s1');
        if (!session) throw new Error('the session is gone');
        await tx.insert('run', runOf('run_1', 's1'));
        await tx.appendEvents(session, [{ type: 'accepted', data: {} }], 1);
        await tx.update('session', { ...session, runCount: 1 });
        entered.open();
        await leave.opened;
        await tx.insert('ask', approvalOf('ask_1', runOf('run_1', 's1')));
      });
      writing.then(() => {
        settled = true;
      });
      await entered.opened;
      for (let i = 0; i < 3; i++) {
        expect(await store.read((r) => look(r))).toEqual([0, undefined, undefined, 0]);
        expect(settled).toBe(false);
      }
      leave.open();
      await writing;
      expect(await store.read((r) => look(r))).toEqual([1, 'run_1', 'ask_1', 1]);
    });

    it('are visible to every reader once they resolve', async () => {
      const { store } = bed;
      const looks = Array.from({ length: 50 }, async (_, n) => {
        await store.write((tx) => tx.insert('session', sessionOf(`s${n}`)));
        return store.read((r) => r.get('session', `s${n}`));
      });
      expect((await Promise.all(looks)).map((s) => s?.id)).toEqual(Array.from({ length: 50 }, (_, n) => `s${n}`));
    });

    it('never roll back an earlier committed unit', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1')] });
      await Promise.allSettled([
        store.write(async (tx) => tx.insert('run', runOf('run_1', 's1'))),
        store.write(async (tx) => {
          await tx.update('session', sessionOf('s1', { runCount: 7 }));
          throw new Error('no');
        }),
      ]);
      expect(
        await store.read(async (r) => [(await r.get('run', 'run_1'))?.id, (await r.get('session', 's1'))?.runCount]),
      ).toEqual(['run_1', 0]);
    });
  });

  describe('locks', () => {
    it.each(['lockSession', 'lockRun', 'lockAsk'] as const)('lose no concurrent update under %s', async (lock) => {
      const { store } = bed;
      const run = runOf('run_1', 's1');
      await keep(store, { sessions: [sessionOf('s1')], runs: [run], asks: [questionOf('ask_1', run)] });
      await Promise.all(
        Array.from({ length: 60 }, () =>
          store.write(async (tx) => {
            const session =
              lock === 'lockSession'
                ? await tx.lockSession('s1')
                : lock === 'lockRun'
                  ? (await tx.lockRun('run_1'))?.session
                  : (await tx.lockAsk('ask_1'))?.session;
            if (!session) throw new Error('the session is gone');
            await Promise.resolve();
            await tx.update('session', { ...session, runCount: session.runCount + 1 });
          }),
        ),
      );
      expect((await store.read((r) => r.get('session', 's1')))?.runCount).toBe(60);
    });

    it('return the record with its session, and undefined for an unknown id', async () => {
      const { store } = bed;
      const run = runOf('run_1', 's1');
      const ask = questionOf('ask_1', run);
      await keep(store, { sessions: [sessionOf('s1'), sessionOf('s2')], runs: [run], asks: [ask] });
      await store.write(async (tx) => {
        expect(await tx.lockSession('s1')).toEqual(sessionOf('s1'));
        expect(await tx.lockRun('run_1')).toEqual({ session: sessionOf('s1'), value: run });
        expect(await tx.lockAsk('ask_1')).toEqual({ session: sessionOf('s1'), value: ask });
        expect(await tx.lockSession('x')).toBeUndefined();
        expect(await tx.lockRun('ask_1')).toBeUndefined();
        expect(await tx.lockAsk('run_1')).toBeUndefined();
      });
    });
  });

  describe('reads', () => {
    it('stay on one snapshot during concurrent writes', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1'), sessionOf('s2')] });
      await store.read(async (r) => {
        expect((await r.get('session', 's1'))?.runCount).toBe(0);
        await store.write(async (tx) => {
          await tx.update('session', sessionOf('s1', { runCount: 1 }));
          await tx.update('session', sessionOf('s2', { runCount: 1 }));
        });
        expect((await r.get('session', 's2'))?.runCount).toBe(0);
        expect((await r.get('session', 's1'))?.runCount).toBe(0);
      });
      expect((await store.read((r) => r.get('session', 's2')))?.runCount).toBe(1);
    });

    it('never see one of two records that change together', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1'), sessionOf('s2')] });
      let torn = 0;
      let reads = 0;
      const writers = Promise.all(Array.from({ length: 60 }, () => bumpBoth(store)));
      let done = false;
      writers.finally(() => {
        done = true;
      });
      while (!done) {
        const [a, b] = await store.read(async (r) => {
          const first = await r.get('session', 's1');
          await new Promise(setImmediate);
          return [first, await r.get('session', 's2')];
        });
        reads += 1;
        if (a?.runCount !== b?.runCount) torn += 1;
      }
      await writers;
      expect(torn).toBe(0);
      expect(reads).toBeGreaterThan(0);
      expect((await store.read((r) => r.get('session', 's2')))?.runCount).toBe(60);
    });
  });

  describe('closing', () => {
    it('settles running units, keeps what it resolved, and refuses later units', async () => {
      const { store } = bed;
      const writes = Array.from({ length: 40 }, (_, n) =>
        store.write((tx) => tx.insert('session', sessionOf(`s${n}`))),
      );
      const closing = store.close();
      const results = await Promise.allSettled(writes);
      await closing;
      await store.close();
      for (const late of [store.write(async () => 1), store.read(async () => 1)])
        await expect(late).rejects.toMatchObject({ code: 'shutting_down' });
      await bed.reopen();
      for (const [n, result] of results.entries())
        expect([n, Boolean(await bed.store.read((r) => r.get('session', `s${n}`)))]).toEqual([
          n,
          result.status === 'fulfilled',
        ]);
    });

    it.each([1, 2, 3, 4, 5, 6, 7, 8])(
      'settles a write that begins %i microtasks after the write before it',
      async (turns) => {
        const { store } = bed;
        const chain = (async () => {
          await store.write((tx) => tx.insert('session', sessionOf('s1')));
          for (let i = 1; i < turns; i++) await Promise.resolve();
          return store.write((tx) => tx.insert('session', sessionOf('s2')));
        })().then(
          () => true,
          (error) => (error instanceof HoldpointError ? false : Promise.reject(error)),
        );
        await store.close();
        const kept = await chain;
        await bed.reopen();
        expect(
          await bed.store.read(async (r) => [
            Boolean(await r.get('session', 's1')),
            Boolean(await r.get('session', 's2')),
          ]),
        ).toEqual([true, kept]);
      },
    );
  });
}

const look = async (r: Reader) => [
  (await r.get('session', 's1'))?.runCount,
  (await r.get('run', 'run_1'))?.id,
  (await r.get('ask', 'ask_1'))?.id,
  (await r.events({ sessionId: 's1' }, 0, 9)).length,
];

const bumpBoth = (store: Store) =>
  store.write(async (tx) => {
    const a = await tx.lockSession('s1');
    const b = await tx.lockSession('s2');
    if (!a || !b) throw new Error('a session is gone');
    await tx.update('session', { ...a, runCount: a.runCount + 1 });
    await tx.update('session', { ...b, runCount: b.runCount + 1 });
  });

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
