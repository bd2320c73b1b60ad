// Store suite: history is read newest first by position, filtered by words without losing any match, and an instant is found
// among the positions.
import { describe, expect, it } from 'vitest';
import type { EndedAsk } from '../../src/core/ask.ts';
import type { MaybePromise, PastFilter, Reader } from '../../src/core/ports.ts';
import type { Bed } from './store.ts';
import { approvalOf, endedOf, keep, questionOf, runOf, sessionOf } from './store-samples.ts';

const ALL = Number.MAX_SAFE_INTEGER;

export function describeHistory(bed: Bed): void {
  const read = <T>(unit: (r: Reader) => MaybePromise<T>) => bed.store.read(unit);

  /** Ten asks a second apart; the last is open, every third is an approval of the other session. */
  async function past(): Promise<void> {
    const sessions = [sessionOf('s1', { title: 'Nightly' }), sessionOf('s2', { agent: 'codex' })];
    const runs = [runOf('run_1', 's1'), runOf('run_2', 's2')] as const;
    const asks = Array.from({ length: 10 }, (_, i) =>
      i % 3 === 0
        ? named(i, approvalOf(`ask_${i}`, runs[1], { input: { command: `run 100% of ${i}_x` }, createdAt: i * 1000 }))
        : questionOf(`ask_${i}`, runs[0], { createdAt: i * 1000 }),
    );
    await keep(bed.store, { sessions, runs: [...runs], asks });
    await bed.store.write(async (tx) => {
      for (const ask of asks.slice(0, 9))
        await tx.endAsk(endedOf(ask, ask.kind === 'approval' ? 'answered' : 'declined'));
    });
  }

  const named = (i: number, ask: ReturnType<typeof approvalOf>) => ({
    ...ask,
    content: { ...ask.content, tool_name: `Tool "${i}"` },
  });

  const ids = async (filter: Partial<PastFilter>, low = 0, before = ALL) =>
    (await read((r) => r.pastAsks({ terms: [], ...filter }, low, before))).map((placed) => placed.value.id);

  describe('history', () => {
    it('is read in pages, newest first', async () => {
      await past();
      const first = await read((r) => r.stretch(ALL, 4));
      expect(first?.at).toBe(6000);
      expect(await ids({}, first?.low, ALL)).toEqual(['ask_8', 'ask_7', 'ask_6']);
      const second = await read((r) => r.stretch(first?.low ?? 0, 400));
      expect(second?.at).toBe(0);
      expect(await ids({}, second?.low, first?.low)).toEqual(['ask_5', 'ask_4', 'ask_3', 'ask_2', 'ask_1', 'ask_0']);
      expect(await read((r) => r.stretch(second?.low ?? 0, 4))).toBeUndefined();
      const own = await read((r) => r.stretch(ALL, 2, 's2'));
      expect(own?.at).toBe(6000);
      expect(await read((r) => r.stretch(ALL, 2, 'none'))).toBeUndefined();
    });

    it('is filtered by status, kind, session and agent', async () => {
      await past();
      expect(await ids({ kind: 'approval' })).toEqual(['ask_6', 'ask_3', 'ask_0']);
      expect(await ids({ agent: 'codex' })).toEqual(['ask_6', 'ask_3', 'ask_0']);
      expect(await ids({ sessionId: 's2', status: 'answered' })).toEqual(['ask_6', 'ask_3', 'ask_0']);
      expect(await ids({ status: 'declined' })).toHaveLength(6);
      expect(await ids({ status: 'expired' as EndedAsk['status'] })).toEqual([]);
    });

    it('is filtered by words case-insensitively, with wildcard characters taken literally', async () => {
      await past();
      expect(await ids({ terms: ['tool'] })).toEqual(['ask_6', 'ask_3', 'ask_0']);
      expect(await ids({ terms: ['100%', '3_x'] })).toEqual(['ask_3']);
      expect(await ids({ terms: ['1__%'] })).toEqual([]);
      // The caller compares the whole: here only the beginnings of the first words count.
      const matching = await ids({ terms: ['nightly'] });
      expect(await ids({ terms: ['nightly', 'nightly', 'nightly', 'codex'] })).toEqual(matching);
      expect(await ids({ terms: ['nightly'] })).toHaveLength(6);
      expect(await ids({ terms: ['codex', 'nightly'] })).toEqual([]);
      // What databases spell differently is left to whoever asked.
      expect(await ids({ terms: ['"6"'] })).toContain('ask_6');
      expect(await ids({ terms: ['ä'] })).toHaveLength(9);
    });

    it('returns the outcomes of asks for counting', async () => {
      await past();
      const outcomes = await read((r) => r.pastOutcomes(0, ALL));
      expect(outcomes).toHaveLength(9);
      expect(outcomes[2]).toMatchObject({
        session: { agent: 'codex' },
        tool: 'Tool "6"',
        outcome: 'answered',
        askedAt: 6000,
      });
      expect(outcomes[0]).toMatchObject({ tool: undefined, outcome: 'declined', askedAt: 8000 });
    });

    it('finds the first ask at or after an instant', async () => {
      expect(await read((r) => r.askPositionAt(5))).toBe(0);
      await past();
      const from = async (at: number) => ids({}, await read((r) => r.askPositionAt(at)));
      expect(await from(0)).toHaveLength(9);
      expect(await from(7000)).toEqual(['ask_8', 'ask_7']);
      expect(await from(7001)).toEqual(['ask_8']);
      expect(await from(9001)).toEqual([]);
    });
  });
}
