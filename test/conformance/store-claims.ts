// Store suite: what may happen once happens once: the end of an ask, and every unique key.
import { describe, expect, it } from 'vitest';
import type { PendingAsk } from '../../src/core/ask.ts';
import type { MaybePromise, Tx } from '../../src/core/ports.ts';
import { type Sighting, seen } from '../../src/core/sighting.ts';
import type { Bed } from './store.ts';
import {
  AWKWARD,
  append,
  approvalOf,
  clarificationOf,
  endedOf,
  keep,
  LATEST,
  messageOf,
  outputOf,
  questionOf,
  responseOf,
  runOf,
  sessionOf,
  tokenOf,
} from './store-samples.ts';

const run = runOf('run_1', 's1');

export function describeClaims(bed: Bed): void {
  describe('the end of an ask', () => {
    it('is compare-and-set: the second end changes nothing and returns false', async () => {
      const ask = approvalOf('ask_1', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [ask] });
      const first = endedOf(ask, 'answered', 'lead', 5);
      expect(await bed.store.write((tx) => tx.endAsk(first))).toBe(true);
      for (const status of ['answered', 'declined', 'cancelled', 'expired', 'failed'] as const)
        expect(await bed.store.write((tx) => tx.endAsk(endedOf(ask, status, 'eve', 6)))).toBe(false);
      expect(await bed.store.read((r) => r.get('ask', 'ask_1'))).toEqual(first);
    });

    it('does nothing for an unknown ask', async () => {
      expect(await bed.store.write((tx) => tx.endAsk(endedOf(approvalOf('ask_x', run))))).toBe(false);
    });

    it('has one winner among many concurrent attempts', async () => {
      const ask = questionOf('ask_1', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [ask] });
      const names = Array.from({ length: 50 }, (_, n) => `person ${n}`);
      const won = await Promise.all(
        names.map((by) => bed.store.write((tx) => tx.endAsk(endedOf(ask, 'answered', by)))),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const kept = await bed.store.read((r) => r.get('ask', 'ask_1'));
      expect(kept).toEqual(endedOf(ask, 'answered', names[won.indexOf(true)]));
    });

    it('is rolled back with its unit', async () => {
      const ask = questionOf('ask_1', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [ask] });
      const failed = bed.store.write(async (tx) => {
        expect(await tx.endAsk(endedOf(ask))).toBe(true);
        expect(await tx.endAsk(endedOf(ask))).toBe(false);
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await bed.store.read((r) => r.get('ask', 'ask_1'))).toEqual(ask);
      expect(await bed.store.write((tx) => tx.endAsk(endedOf(ask)))).toBe(true);
    });
  });

  describe('the sightings of an ask', () => {
    const by = (name: string, at_ms = 3): Sighting => ({ by: name, surface: 'web', at_ms });
    const see = (askId: string, sighting: Sighting) =>
      bed.store.write(async (tx) => {
        const locked = await tx.lockAsk(askId);
        const changed = locked && seen(locked.value, sighting);
        if (changed) await tx.update('ask', changed);
      });

    it('are stored as given, and kept over the end and the delivery of the ask', async () => {
      const ask = approvalOf('ask_1', run);
      const other = questionOf('ask_2', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [ask, other] });
      const seenBy = [by(AWKWARD), by('mate', LATEST)];
      for (const sighting of seenBy) await see('ask_1', sighting);
      expect(await bed.store.read((r) => r.get('ask', 'ask_1'))).toEqual({ ...ask, seenBy });
      const ended = await bed.store.write(async (tx) => {
        const end = endedOf((await tx.get('ask', 'ask_1')) as PendingAsk);
        await tx.endAsk(end);
        await tx.update('ask', end);
        return end;
      });
      await bed.reopen();
      expect(await bed.store.read((r) => r.get('ask', 'ask_1'))).toEqual({ ...ended, seenBy });
      expect(await bed.store.read((r) => r.get('ask', 'ask_2'))).toEqual(other);
    });

    it('are stored once each when they are recorded concurrently', async () => {
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [questionOf('ask_1', run)] });
      const names = Array.from({ length: 12 }, (_, n) => `person ${n}`);
      await Promise.all([...names, ...names, ...names].map((name, at) => see('ask_1', by(name, at))));
      const kept = await bed.store.read((r) => r.get('ask', 'ask_1'));
      expect(kept?.seenBy.map((one) => one.by).sort()).toEqual(names.sort());
    });

    it('are rolled back with their unit', async () => {
      const ask = questionOf('ask_1', run);
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [ask] });
      const failed = bed.store.write(async (tx) => {
        await tx.update('ask', { ...ask, seenBy: [by('mate')] });
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await bed.store.write((tx) => tx.get('ask', 'ask_1'))).toEqual(ask);
    });
  });

  describe('unique keys', () => {
    // Each inserts one record under a key; the same key again must be refused, whatever else the record says.
    const keys: [string, (tx: Tx, n: number) => MaybePromise<unknown>][] = [
      ['session id', (tx, n) => tx.insert('session', sessionOf('s9', { title: String(n) }))],
      ['run id', (tx, n) => tx.insert('run', runOf('run_9', `s${n}`))],
      ['tool call of a run (its ask id)', (tx, n) => tx.insert('ask', questionOf('ask_9', run, { createdAt: n }))],
      [
        'run that carries an answer on',
        (tx, n) => tx.insert('run', runOf(`run_c${n}`, 's1', { carriesAskId: 'ask_1' })),
      ],
      [
        'run that asks a clarification',
        (tx, n) => tx.insert('run', runOf(`run_q${n}`, 's1', { clarification: clarificationOf('ask_1') })),
      ],
      ['token id', (tx, n) => tx.insert('token', tokenOf('tok_9', { hash: String(n) }))],
      ['token secret', (tx, n) => tx.insert('token', tokenOf(`tok_${n}`, { hash: 'same' }))],
      ['scope of an idempotency key', (tx, n) => tx.insert('response', responseOf('scope', { body: String(n) }))],
    ];

    it.each(keys)('refuses a second %s', async (_, insert) => {
      await bed.store.write((tx) => insert(tx, 1));
      await expect(bed.store.write((tx) => insert(tx, 2))).rejects.toThrow();
    });

    it.each(keys)('accepts one %s among concurrent inserts', async (_, insert) => {
      const tries = Array.from({ length: 12 }, (_, n) => bed.store.write((tx) => insert(tx, n)));
      const results = await Promise.allSettled(tries);
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    });

    it('makes concurrent units with one idempotency key wait for the first and find its response', async () => {
      let made = 0;
      const use = (n: number) =>
        bed.store.write(async (tx) => {
          const known = await tx.lockKey('scope');
          if (known) return known.body;
          await tx.insert('response', responseOf('scope', { body: `made by ${n}` }));
          made += 1;
          return `made by ${n}`;
        });
      const bodies = await Promise.all(Array.from({ length: 20 }, (_, n) => use(n)));
      expect(new Set(bodies).size).toBe(1);
      expect(made).toBe(1);
    });

    it('allows any number of runs that carry no answer and ask no clarification', async () => {
      await bed.store.write(async (tx) => {
        await tx.insert('run', runOf('run_a', 's1'));
        await tx.insert('run', runOf('run_b', 's1'));
      });
      expect(
        await bed.store.read(async (r) => [(await r.get('run', 'run_a'))?.id, (await r.get('run', 'run_b'))?.id]),
      ).toEqual(['run_a', 'run_b']);
    });

    it('makes a repeated message or output a no-op that returns false', async () => {
      const { store } = bed;
      const post = (text: string) =>
        store.write(async (tx) => [
          await tx.insert('message', messageOf('msg_1', 's1', { payload: { text } })),
          await tx.insert('output', outputOf('run_1', 1, { content: { text } })),
        ]);
      expect(await post('first')).toEqual([true, true]);
      expect(await post('second')).toEqual([false, false]);
      expect((await store.read((r) => r.get('message', 'msg_1')))?.payload).toEqual({ text: 'first' });
      expect((await store.read((r) => r.outputs('run_1'))).map((o) => o.content)).toEqual([{ text: 'first' }]);
      expect(await store.write((tx) => tx.insert('output', outputOf('run_2', 1)))).toBe(true);
      const many = await Promise.all(
        Array.from({ length: 12 }, () => store.write((tx) => tx.insert('message', messageOf('msg_2', 's1')))),
      );
      expect(many.filter(Boolean)).toHaveLength(1);
    });

    it('keeps the first of concurrently stored facts', async () => {
      const given = Array.from({ length: 12 }, (_, n) => bed.store.write((tx) => tx.keepFact('key', `value ${n}`)));
      const kept = new Set(await Promise.all(given));
      expect(kept.size).toBe(1);
    });

    it('numbers the events of a session without a gap when a unit in between is rolled back', async () => {
      const { store } = bed;
      await keep(store, { sessions: [sessionOf('s1')] });
      await append(store, 's1', ['one']);
      const undone = store.write(async (tx) => {
        const session = await tx.lockSession('s1');
        if (!session) throw new Error('the session is gone');
        await tx.appendEvents(session, [{ type: 'output', data: { text: 'never' } }], 1);
        await tx.update('session', session);
        throw new Error('no');
      });
      await expect(undone).rejects.toThrow('no');
      await append(store, 's1', ['two']);
      const events = await store.read((r) => r.events({ sessionId: 's1' }, 0, 9));
      expect(events.map((e) => [e.sessionSeq, e.data])).toEqual([
        [1, '{"text":"one"}'],
        [2, '{"text":"two"}'],
      ]);
    });
  });
}
