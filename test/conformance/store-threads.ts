// Store suite: what threads and recovery need to read.
import { describe, expect, it } from 'vitest';
import { LOST, type Run } from '../../src/core/run.ts';
import type { Bed } from './store.ts';
import { endedOf, keep, questionOf, runOf, sessionOf } from './store-samples.ts';

export function describeThreads(bed: Bed): void {
  const idsOf = (runs: { id: string }[]) => runs.map((r) => r.id);

  it('returns where the runs of a session began, the latest first', async () => {
    await keep(bed.store, { sessions: [sessionOf('s1'), sessionOf('s2')] });
    const note = (sessionId: string, ...types: ('started' | 'output')[]) =>
      bed.store.write(async (tx) => {
        const session = await tx.lockSession(sessionId);
        if (!session) throw new Error('no session');
        await tx.appendEvents(
          session,
          types.map((type) => ({ type, data: {}, runId: 'r' })),
          5,
        );
        await tx.update('session', session);
      });
    await note('s1', 'started', 'output');
    await note('s2', 'started');
    await note('s1', 'started', 'output', 'started');
    const starts = (before: number, limit: number) => bed.store.read((r) => r.latest('s1', 'started', before, limit));
    const all = await starts(Number.MAX_SAFE_INTEGER, 9);
    expect(all.map((e) => [e.type, e.sessionSeq])).toEqual([
      ['started', 5],
      ['started', 3],
      ['started', 1],
    ]);
    expect((await starts(all[0]?.seq ?? 0, 1)).map((e) => e.sessionSeq)).toEqual([3]);
    expect(await starts(all[2]?.seq ?? 0, 9)).toEqual([]);
  });

  it('changes the input of a queued run and no other field', async () => {
    const [run, other] = [runOf('r1', 's1', { input: { text: 'a' } }), runOf('r2', 's1')];
    await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run, other] });
    const changed = { ...run, input: { text: 'a\n\nb', item_ids: ['i'] }, textPreview: 'a' };
    await bed.store.write((tx) => tx.updateInput({ ...changed, status: 'running' }));
    expect(await bed.store.read((r) => r.get('run', 'r1'))).toEqual(changed);
    expect(await bed.store.read((r) => r.get('run', 'r2'))).toEqual(other);
  });

  describe('runs whose worker is lost', () => {
    const held = (id: string, until: number, given: Partial<Run> = {}) =>
      runOf(id, 's1', { agent: 'a', status: 'waiting_for_approval', lease: { workerId: 'w', until }, ...given });

    it('are offered to a worker of their agent while they are held', async () => {
      const runs = [
        held('lapsed', 20),
        held('lost', 0, { lease: LOST, status: 'waiting_for_user_question' }),
        held('alive', 21),
        held('at work', 5, { status: 'running' }),
        held('resumable', 5, { recovery: 'resume' }),
        held('other agent', 5, { agent: 'b' }),
        held('other place', 5, { labels: ['gpu'] }),
        held('released', 5, { lease: undefined }),
      ];
      await keep(bed.store, { sessions: [sessionOf('s1')], runs });
      const offered = (agents: string[], labels: string[]) =>
        bed.store.read((r) => r.lostHolds(agents, labels, 20, 9)).then(idsOf);
      expect(await offered(['a'], [])).toEqual(['lapsed', 'lost']);
      expect(await offered(['c'], [])).toEqual([]);
      expect(await offered(['a', 'b'], ['gpu'])).toContain('other place');
    });

    it('are lapsed until their loss is recorded, and again once they are no longer held', async () => {
      const runs = [
        held('known', 0, { lease: LOST }),
        held('answered', 0, { lease: LOST, status: 'running' }),
        held('new', 3),
      ];
      await keep(bed.store, { sessions: [sessionOf('s1')], runs });
      expect(idsOf(await bed.store.read((r) => r.lapsedLeases(9, 9)))).toEqual(['answered', 'new']);
    });
  });

  it('finds the latest kept answer to the same question of the same session', async () => {
    const run = runOf('r1', 's1');
    const asks = ['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => ({
      ...questionOf(id, run),
      digest: id === 'a5' ? 'other' : 'd',
    }));
    await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks });
    const lost = (state: 'undeliverable' | 'delivered', reason: string | undefined, i: number) =>
      bed.store.write(async (tx) => {
        const ended = endedOf(asks[i] as (typeof asks)[0]);
        await tx.endAsk(ended);
        await tx.update('ask', { ...ended, delivery: { state, attempts: 1, deliveredAt: undefined, reason } });
      });
    await lost('undeliverable', 'worker_restart', 0);
    await lost('undeliverable', 'worker_restart', 1);
    await lost('undeliverable', 'asked again as a9', 2);
    await lost('delivered', undefined, 3);
    const kept = (session: string, kind: 'question' | 'approval', digest: string) =>
      bed.store.read((r) => r.keptAnswer(session, kind, digest)).then((ask) => ask?.id);
    expect(await kept('s1', 'question', 'd')).toBe('a2');
    expect([await kept('s2', 'question', 'd'), await kept('s1', 'approval', 'd')]).toEqual([undefined, undefined]);
    expect(await kept('s1', 'question', 'other')).toBeUndefined();
  });
}
