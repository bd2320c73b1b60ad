// Store suite: lists and look-ups return exactly what they are asked for, in their order, page by page.
import { describe, expect, it } from 'vitest';
import type { AskFilter, MaybePromise, Page, Positioned, Reader } from '../../src/core/ports.ts';
import type { Run } from '../../src/core/run.ts';
import type { Bed } from './store.ts';
import {
  approvalOf,
  clarificationOf,
  endedOf,
  keep,
  messageOf,
  questionOf,
  runOf,
  sessionOf,
  tokenOf,
} from './store-samples.ts';

export function describeLists(bed: Bed): void {
  const read = <T>(unit: (r: Reader) => MaybePromise<T>) => bed.store.read(unit);
  const idsOf = (runs: { id: string }[]) => runs.map((r) => r.id);

  describe('pages', () => {
    const numbers = Array.from({ length: 7 }, (_, i) => i + 1);
    const lists: [string, (r: Reader, page: Page) => MaybePromise<Positioned<{ id: string }>[]>, string][] = [
      ['sessions', (r, page) => r.sessions({}, page), 's'],
      ['runs', (r, page) => r.runs({}, page), 'run_'],
      ['asks', (r, page) => r.asks({}, page), 'ask_'],
      ['messages', (r, page) => r.messages('s1', 'open', page), 'msg_'],
      ['tokens', (r, page) => r.tokens(page), 'tok_'],
    ];

    it.each(lists)('of %s return each once, in the order of arrival, while more arrive', async (_, list, prefix) => {
      for (const n of numbers) await insertAll(n);
      const seen: string[] = [];
      let after: number | undefined;
      for (let turn = 0; turn < 10; turn++) {
        const page = await read((r) => list(r, { after, limit: 2 }));
        expect(page.length).toBeLessThanOrEqual(2);
        if (turn === 2) await insertAll(8);
        const last = page.at(-1);
        if (!last) break;
        expect(page.every((p) => p.at > (after ?? 0))).toBe(true);
        seen.push(...page.map((p) => p.value.id));
        after = last.at;
      }
      expect(seen).toEqual([...numbers, 8].map((n) => `${prefix}${n}`));
    });

    const insertAll = (n: number) =>
      bed.store.write(async (tx) => {
        const run = runOf(`run_${n}`, `s${n}`);
        await tx.insert('session', sessionOf(`s${n}`));
        await tx.insert('run', run);
        await tx.insert('ask', questionOf(`ask_${n}`, run));
        await tx.insert('message', messageOf(`msg_${n}`, 's1'));
        await tx.insert('token', tokenOf(`tok_${n}`));
      });
  });

  it('finding 13: ends a page of asks, and a read of outputs, with the one that reaches the size', async () => {
    const run = runOf('r1', 's1');
    const large = (id: string) => {
      const ask = approvalOf(id, run);
      return { ...ask, content: { ...ask.content, input: { command: 'é'.repeat(5000) } } };
    };
    const asks = [approvalOf('a1', run), large('a2'), large('a3'), large('a4')];
    await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks });
    const page = await read((r) => r.asks({ sessionId: 's1' }, { limit: 9, bytes: 12_000 }));
    expect(page.map(({ value }) => value.id)).toEqual(['a1', 'a2', 'a3']);
    expect(page.every(({ bytes = 0 }, i) => (i === 0 ? bytes < 5000 : bytes > 10_000))).toBe(true);
    expect(idsOf((await read((r) => r.asks({}, { limit: 9, bytes: 1 }))).map(({ value }) => value))).toEqual(['a1']);
    await bed.store.write(async (tx) => {
      for (const position of [1, 2, 3])
        await tx.insert('output', {
          id: `o${position}`,
          runId: 'r1',
          position,
          at: 1,
          content: { text: 'x'.repeat(1000) },
        });
    });
    expect(idsOf(await read((r) => r.outputs('r1', 1500)))).toEqual(['o2', 'o3']);
    expect(await read((r) => r.pendingHeads('r1'))).toMatchObject([
      { id: 'a1' },
      { id: 'a2' },
      { id: 'a3' },
      { id: 'a4' },
    ]);
  });

  describe('filters', () => {
    it('select sessions by id and status, and runs by session and status', async () => {
      await keep(bed.store, {
        sessions: [sessionOf('s1'), sessionOf('s2', { status: 'ended' }), sessionOf('s3')],
        runs: [runOf('r1', 's1'), runOf('r2', 's1', { status: 'failed' }), runOf('r3', 's3')],
      });
      const page = { limit: 9 };
      const sessions = async (f: Parameters<Reader['sessions']>[0]) =>
        (await read((r) => r.sessions(f, page))).map((p) => p.value.id);
      const runs = async (f: Parameters<Reader['runs']>[0]) =>
        (await read((r) => r.runs(f, page))).map((p) => p.value.id);
      expect(await sessions({ status: 'active' })).toEqual(['s1', 's3']);
      expect(await sessions({ id: 's2' })).toEqual(['s2']);
      expect(await sessions({ id: 's2', status: 'active' })).toEqual([]);
      expect(await sessions({ newestFirst: true })).toEqual(['s3', 's2', 's1']);
      const [, second] = await read((r) => r.sessions({ newestFirst: true }, page));
      const before = await read((r) => r.sessions({ newestFirst: true }, { limit: 9, after: second?.at }));
      expect(before.map((p) => p.value.id)).toEqual(['s1']);
      expect(await runs({ sessionId: 's1' })).toEqual(['r1', 'r2']);
      expect(await runs({ status: 'queued' })).toEqual(['r1', 'r3']);
      expect(await runs({ sessionId: 's1', status: 'queued' })).toEqual(['r1']);
      expect(await runs({ newestFirst: true })).toEqual(['r3', 'r2', 'r1']);
      expect(await runs({ sessionId: 's1', newestFirst: true })).toEqual(['r2', 'r1']);
    });

    it('select asks by every combination of their filters', async () => {
      const r1 = runOf('r1', 's1');
      const r2 = runOf('r2', 's2');
      const asks = [
        questionOf('q1', r1),
        approvalOf('a1', r1),
        questionOf('q2', r2),
        approvalOf('a2', r2),
        approvalOf('a3', r1),
      ] as const;
      await keep(bed.store, {
        sessions: [sessionOf('s1', { agent: 'x' }), sessionOf('s2', { agent: 'y' })],
        runs: [r1, r2],
        asks: [...asks],
      });
      await bed.store.write(async (tx) => {
        await tx.endAsk(endedOf(asks[2], 'declined'));
        const delivered = endedOf(asks[4]);
        await tx.endAsk(delivered);
        await tx.update('ask', { ...delivered, delivery: { ...delivered.delivery, state: 'delivered' } });
      });
      const find = async (f: AskFilter) => (await read((r) => r.asks(f, { limit: 9 }))).map((p) => p.value.id);
      expect(await find({})).toEqual(['q1', 'a1', 'q2', 'a2', 'a3']);
      expect(await find({ status: 'pending' })).toEqual(['q1', 'a1', 'a2']);
      expect(await find({ status: 'ended' })).toEqual(['q2', 'a3']);
      expect(await find({ status: 'declined' })).toEqual(['q2']);
      expect(await find({ kind: 'approval' })).toEqual(['a1', 'a2', 'a3']);
      expect(await find({ kind: 'approval', status: 'pending', sessionId: 's1' })).toEqual(['a1']);
      expect(await find({ sessionId: 's2' })).toEqual(['q2', 'a2']);
      expect(await find({ runId: 'r1', status: 'pending' })).toEqual(['q1', 'a1']);
      expect(await find({ agent: 'y' })).toEqual(['q2', 'a2']);
      expect(await find({ agent: 'y', status: 'pending' })).toEqual(['a2']);
      expect(await find({ delivery: 'due' })).toEqual(['q2']);
      expect(await find({ delivery: 'delivered' })).toEqual(['a3']);
      expect(await find({ delivery: 'none' })).toEqual(['q1', 'a1', 'a2']);
      expect(await find({ agent: 'z' })).toEqual([]);
      expect(idsOf(await read((r) => r.pendingOfRun('r1')))).toEqual(['q1', 'a1']);
      expect(idsOf(await read((r) => r.dueOfRun('r1')))).toEqual([]);
      expect(idsOf(await read((r) => r.dueOfRun('r2')))).toEqual(['q2']);
      expect(await read((r) => r.counts())).toEqual({ pendingAsks: 3, dueDeliveries: 1, activeSessions: 2 });
    });

    it('count the pending asks of a run, and find the form or restart that waits to be carried', async () => {
      const { store } = bed;
      const [r1, r2] = [runOf('r1', 's1'), runOf('r2', 's1')];
      const form = questionOf('form', r1, { mode: 'form' });
      const restart = questionOf('restart', r1, { mode: 'restart' });
      const plain = questionOf('plain', r1);
      const asks = [
        plain,
        approvalOf('a1', r1),
        approvalOf('a2', r1),
        restart,
        form,
        questionOf('other', r2, { mode: 'form' }),
      ];
      await keep(store, { sessions: [sessionOf('s1')], runs: [r1, r2], asks });
      const heads = async (run: string) => (await read((r) => r.pendingHeads(run))).map(({ id }) => id);
      expect(await heads('r1')).toEqual(['plain', 'a1', 'a2', 'restart', 'form']);
      expect([await heads('r2'), await heads('r3')]).toEqual([['other'], []]);
      const toHandOver = async () => (await read((r) => r.toHandOver('r1')))?.id;
      expect(await toHandOver()).toBeUndefined();
      await store.write((tx) => tx.endAsk(endedOf(plain)));
      expect(await toHandOver()).toBeUndefined();
      await store.write((tx) => tx.endAsk(endedOf(form)));
      expect([await toHandOver(), await heads('r1')]).toEqual(['form', ['a1', 'a2', 'restart']]);
      const early = endedOf(restart, 'declined');
      await store.write((tx) => tx.endAsk(early));
      expect(await read((r) => r.toHandOver('r1'))).toEqual(early);
      await store.write((tx) => tx.update('ask', { ...early, delivery: { ...early.delivery, state: 'delivered' } }));
      expect(await toHandOver()).toBe('form');
      expect(await heads('r1')).toEqual(['a1', 'a2']);
    });

    it('separate open mail from acknowledged and from dead mail', async () => {
      await bed.store.write(async (tx) => {
        await tx.insert('message', messageOf('open', 's1', { createdAt: 3 }));
        await tx.insert('message', messageOf('acked', 's1', { ackedAt: 2 }));
        await tx.insert('message', messageOf('dead', 's1', { deadAt: 2, reason: 'r' }));
        await tx.insert('message', messageOf('other', 's2', { createdAt: 2 }));
      });
      const find = async (which: 'open' | 'dead') =>
        (await read((r) => r.messages('s1', which, { limit: 9 }))).map((p) => p.value.id);
      expect(await find('open')).toEqual(['open']);
      expect(await find('dead')).toEqual(['dead']);
      expect(idsOf(await read((r) => r.staleMessages(3, 9)))).toEqual(['other', 'open']);
      expect(idsOf(await read((r) => r.staleMessages(2, 9)))).toEqual(['other']);
      expect(idsOf(await read((r) => r.staleMessages(3, 1)))).toEqual(['other']);
    });
  });

  describe('queues', () => {
    it('are ordered by position, then by arrival', async () => {
      const place = (id: string, queueOrder: number, given: Partial<Run> = {}) =>
        runOf(id, 's1', { queueOrder, ...given });
      await keep(bed.store, {
        sessions: [sessionOf('s1')],
        runs: [
          place('late', 3),
          place('first', 1),
          place('tie', 3),
          place('gone', 0, { status: 'cancelled' }),
          place('second', 2),
        ],
      });
      expect(idsOf(await read((r) => r.queuedRuns('s1')))).toEqual(['first', 'second', 'late', 'tie']);
      expect(await read((r) => r.queuedRuns('s2'))).toEqual([]);
    });

    it('offer a worker the first run of every free queue and runs without a lease, oldest first', async () => {
      const mock = (id: string, sessionId: string, given: Partial<Run> = {}) =>
        runOf(id, sessionId, { agent: 'mock', ...given });
      const lease = { workerId: 'w', until: 99 };
      await keep(bed.store, {
        sessions: [
          sessionOf('free'),
          sessionOf('busy', { activeRunId: 'orphan' }),
          sessionOf('held', { activeRunId: 'waiting' }),
          sessionOf('taken', { activeRunId: 'leased' }),
          sessionOf('other'),
          sessionOf('ext'),
          sessionOf('carry'),
        ],
        runs: [
          mock('second', 'free', { queueOrder: 2 }),
          mock('first', 'free', { queueOrder: 1 }),
          mock('orphan', 'busy', { status: 'running' }),
          mock('behind', 'busy', { queueOrder: 2 }),
          mock('waiting', 'held', { status: 'waiting_for_approval' }),
          mock('leased', 'taken', { status: 'running', lease }),
          runOf('not ours', 'other', { agent: 'claude' }),
          runOf('external', 'ext', { agent: 'external' }),
          mock('clarification', 'ext', { kind: 'parent_clarification', clarification: clarificationOf('ask_c') }),
          mock('tie 1', 'carry', { queueOrder: 4 }),
          mock('tie 2', 'carry', { queueOrder: 4 }),
          mock('done', 'other', { status: 'completed' }),
        ],
      });
      const offered = (agents: string[], limit = 9) =>
        read((r) => r.claimable({ agents, labels: [] }, limit)).then(idsOf);
      expect(await offered(['mock'])).toEqual(['first', 'orphan', 'tie 1']);
      expect(await offered(['mock', 'claude'])).toEqual(['first', 'orphan', 'not ours', 'tie 1']);
      expect(await offered(['mock', 'claude'], 2)).toEqual(['first', 'orphan']);
      expect(await offered(['external'])).toEqual([]);
      expect(await offered(['nobody'])).toEqual([]);
      // Whoever asks in order to take must be offered the same.
      expect(idsOf(await bed.store.write((tx) => tx.claimable({ agents: ['mock'], labels: [] }, 9)))).toEqual([
        'first',
        'orphan',
        'tie 1',
      ]);
    });

    it('offer a worker only runs whose labels it has', async () => {
      const labelled = (id: string, ...labels: string[]) => ({
        session: sessionOf(id, { agent: 'mock', labels }),
        run: runOf(id, id, { agent: 'mock', labels }),
      });
      const all = [
        labelled('none'),
        labelled('a', 'a'),
        labelled('a and b', 'a', 'b'),
        labelled('b', 'b'),
        labelled('a and c', 'a', 'c'),
      ];
      await keep(bed.store, { sessions: all.map((l) => l.session), runs: all.map((l) => l.run) });
      const offered = (...labels: string[]) => read((r) => r.claimable({ agents: ['mock'], labels }, 9)).then(idsOf);
      expect(await offered()).toEqual(['none']);
      expect(await offered('a')).toEqual(['a']);
      expect(await offered('b', 'a')).toEqual(['a', 'a and b', 'b']);
      expect(await offered('a', 'b', 'c', 'd')).toEqual(['a', 'a and b', 'b', 'a and c']);
      expect(await offered('d')).toEqual([]);
    });

    it('return the runs of a worker, and the lapsed leases', async () => {
      const leased = (id: string, workerId: string, until: number) =>
        runOf(id, 's1', { status: 'running', lease: { workerId, until } });
      await keep(bed.store, {
        sessions: [sessionOf('s1')],
        runs: [leased('r1', 'w1', 30), leased('r2', 'w2', 10), leased('r3', 'w1', 20), runOf('r4', 's1')],
      });
      expect(idsOf(await read((r) => r.leasedBy('w1'))).sort()).toEqual(['r1', 'r3']);
      expect(await read((r) => r.leasedBy('w3'))).toEqual([]);
      expect(idsOf(await read((r) => r.lapsedLeases(20, 9)))).toEqual(['r2', 'r3']);
      expect(idsOf(await read((r) => r.lapsedLeases(30, 2)))).toEqual(['r2', 'r3']);
      expect(await read((r) => r.lapsedLeases(9, 9))).toEqual([]);
    });
  });

  describe('deadlines', () => {
    const queuedClarification = (id: string, expiresAt: number, given: Partial<Run> = {}) =>
      runOf(id, 's1', {
        kind: 'parent_clarification',
        clarification: clarificationOf(`ask of ${id}`, { expiresAt }),
        ...given,
      });

    it('are found from their instant on, oldest first, equal ones by arrival', async () => {
      const run = runOf('r0', 's1', { status: 'waiting_for_user_question' });
      const ended = questionOf('ended', run, { expiresAt: 5 });
      await keep(bed.store, {
        sessions: [sessionOf('s1')],
        runs: [
          run,
          queuedClarification('c1', 40),
          queuedClarification('c2', 15),
          queuedClarification('c3', 1, { status: 'completed' }),
        ],
        asks: [
          questionOf('q30', run, { expiresAt: 30 }),
          approvalOf('a20', run, { expiresAt: 20 }),
          questionOf('q20', run, { expiresAt: 20 }),
          questionOf('never', run),
          ended,
        ],
      });
      await bed.store.write((tx) => tx.endAsk(endedOf(ended)));
      expect(idsOf(await read((r) => r.overdueAsks(30, 9)))).toEqual(['a20', 'q20', 'q30']);
      expect(idsOf(await read((r) => r.overdueAsks(29, 9)))).toEqual(['a20', 'q20']);
      expect(idsOf(await read((r) => r.overdueAsks(30, 1)))).toEqual(['a20']);
      expect(await read((r) => r.overdueAsks(19, 9))).toEqual([]);
      expect(idsOf(await read((r) => r.overdueRuns(40, 9)))).toEqual(['c2', 'c1']);
      expect(idsOf(await read((r) => r.overdueRuns(39, 9)))).toEqual(['c2']);
      expect(await read((r) => r.overdueRuns(14, 9))).toEqual([]);
    });

    it('return the next one, of an ask or of a queued clarification', async () => {
      const run = runOf('r0', 's1');
      const next = () => read((r) => r.nextDeadline());
      expect(await next()).toBeUndefined();
      await keep(bed.store, { sessions: [sessionOf('s1')], runs: [run], asks: [questionOf('never', run)] });
      expect(await next()).toBeUndefined();
      const late = questionOf('late', run, { expiresAt: 50 });
      await keep(bed.store, { runs: [queuedClarification('c', 60)], asks: [late] });
      expect(await next()).toBe(50);
      await bed.store.write((tx) => tx.endAsk(endedOf(late)));
      expect(await next()).toBe(60);
      await bed.store.write((tx) => tx.update('run', queuedClarification('c', 60, { status: 'running' })));
      expect(await next()).toBeUndefined();
    });
  });
}
