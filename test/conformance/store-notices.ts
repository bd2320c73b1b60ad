// Store suite: notices are due in order, change once per attempt, and show which pending asks nobody could be told of.
import { describe, expect, it } from 'vitest';
import { type Contact, claimed, type Notice, settled } from '../../src/core/notice.ts';
import type { MaybePromise, Reader } from '../../src/core/ports.ts';
import type { Bed } from './store.ts';
import { AWKWARD, approvalOf, LATEST, runOf, sessionOf } from './store-samples.ts';

const contactOf = (id: string, given: Partial<Contact> = {}): Contact => ({
  id,
  channel: 'push',
  person: 'ana',
  name: AWKWARD,
  label: 'Phone',
  address: 'sealed',
  addressMac: `mac ${id}`,
  tokenId: 'tok_1',
  mayAnswer: true,
  settings: { events: ['ask.raised'] },
  createdAt: 1,
  endedAt: undefined,
  endedReason: undefined,
  ...given,
});

const noticeOf = (id: string, given: Partial<Notice> = {}): Notice => ({
  id,
  event: 'ask.raised',
  askId: 'ask_1',
  runId: undefined,
  sessionId: 's1',
  contactId: 'con_1',
  channel: 'push',
  who: AWKWARD,
  handle: 'ask_1',
  orderKey: 's1',
  batch: undefined,
  detail: undefined,
  state: 'due',
  reason: undefined,
  attempts: 0,
  dueAt: 10,
  retryUntil: LATEST,
  createdAt: 1,
  sentAt: undefined,
  settledAt: undefined,
  ...given,
});

export function describeNotices(bed: Bed): void {
  const read = <T>(unit: (r: Reader) => MaybePromise<T>) => bed.store.read(unit);
  const insert = (...notices: Notice[]) =>
    bed.store.write(async (tx) => {
      const kept: boolean[] = [];
      for (const each of notices) kept.push(await tx.insert('notice', each));
      return kept;
    });
  const idsDue = async (now: number) => (await read((r) => r.dueNotices(now, 10))).map(({ id }) => id);

  describe('notices', () => {
    it('stores contacts and the quiet hours of people', async () => {
      const ended = contactOf('con_2', { addressMac: 'mac con_1', endedAt: 2 });
      const lost = contactOf('con_3', { endedAt: 2, endedReason: 'gone' });
      const hours = { from: '22:00', to: '07:00', time_zone: 'UTC' };
      await bed.store.write(async (tx) => {
        await tx.insert('contact', ended);
        await tx.insert('contact', lost);
        await tx.insert('contact', contactOf('con_1'));
        await tx.update('contact', contactOf('con_1', { label: 'Tablet', settings: { allowAction: true } }));
        await tx.save('quietHours', { person: 'ana', hours: { ...hours, to: '06:00' } });
        await tx.save('quietHours', { person: 'ana', hours });
        await tx.save('quietHours', { person: 'ben', hours });
        await tx.remove('quietHours', 'ben');
      });
      expect(await read((r) => r.get('contact', 'con_2'))).toEqual(ended);
      expect(await read((r) => r.contacts())).toEqual([
        lost,
        contactOf('con_1', { label: 'Tablet', settings: { allowAction: true } }),
      ]);
      expect(await read((r) => r.quietHours())).toEqual([{ person: 'ana', hours }]);
    });

    it('returns due notices of a contact and order key one at a time, and each attempt once', async () => {
      const first = noticeOf('ntc_1', { detail: { isUrgent: true }, batch: 'b' });
      const second = noticeOf('ntc_2', { event: 'ask.ended' });
      const other = noticeOf('ntc_3', { orderKey: 's2', dueAt: 20 });
      expect(await insert(first, second, other, first)).toEqual([true, true, true, false]);
      expect(await read((r) => r.get('notice', 'ntc_1'))).toEqual(first);
      expect(await idsDue(10)).toEqual(['ntc_1']);
      expect(await idsDue(20)).toEqual(['ntc_1', 'ntc_3']);
      expect(await read((r) => r.batch('con_1', 'b', 10))).toEqual([first]);
      await bed.store.write((tx) => tx.insert('contact', contactOf('con_1')));
      const { person } = contactOf('con_1');
      expect(await read((r) => r.noticesDueAt(person, 20))).toEqual([other]);
      expect(await read((r) => r.noticesDueAt('somebody else', 20))).toEqual([]);

      const sent = claimed(first, 10);
      const claims = await Promise.all([1, 2].map(() => bed.store.write((tx) => tx.replaceNotice(first, sent))));
      expect(claims.toSorted()).toEqual([false, true]);
      expect(await read((r) => r.batchSentAt('con_1', 'b'))).toBe(10);
      expect(await idsDue(20)).toEqual(['ntc_3']);
      const accepted = settled(sent, { result: 'accepted' }, 11, 0);
      expect(await bed.store.write((tx) => tx.replaceNotice(sent, accepted))).toBe(true);
      expect(await idsDue(20)).toEqual(['ntc_2', 'ntc_3']);
      expect((await read((r) => r.noticesOf('con_1', { limit: 2 }))).map(({ value }) => value.id)).toEqual([
        'ntc_3',
        'ntc_2',
      ]);
      expect(await read((r) => r.noticeCounts())).toEqual({ accepted: 1, due: 2 });
      expect(await bed.store.write((tx) => tx.forget('notice', 12))).toBe(1);
      expect(await read((r) => r.noticesOfAsk('ask_1'))).toEqual([second, other]);
    });

    it('names pending asks of which nobody was told, and those of a handle', async () => {
      const run = runOf('run_1', 's1');
      await bed.store.write(async (tx) => {
        await tx.insert('session', sessionOf('s1'));
        await tx.insert('run', run);
        for (const id of ['ask_1', 'ask_2', 'ask_3', 'ask_4', 'ask_5']) await tx.insert('ask', approvalOf(id, run));
      });
      const failed = { state: 'failed', dueAt: undefined, reason: AWKWARD, settledAt: 5 } as const;
      await insert(
        noticeOf('ntc_1', failed),
        noticeOf('ntc_2', { ...failed, askId: 'ask_2' }),
        noticeOf('ntc_3', { askId: 'ask_2', event: 'step', contactId: undefined, channel: undefined }),
        noticeOf('ntc_4', { ...failed, askId: 'ask_3' }),
        noticeOf('ntc_5', { askId: 'ask_3', attempts: 1, handle: 'one' }),
        noticeOf('ntc_6', { askId: 'ask_3', channel: 'webhook' }),
        noticeOf('ntc_7', { askId: 'ask_3', event: 'ask.ended', handle: 'one' }),
        noticeOf('ntc_8', { askId: 'ask_4', attempts: 3, dueAt: 100 }),
        noticeOf('ntc_9', { askId: 'ask_5', attempts: 2, dueAt: 100 }),
      );
      expect(await read((r) => r.unreachedAsks(20, 10))).toEqual(['ask_1', 'ask_4']);
      const { agent } = sessionOf('s1');
      const messages = await read((r) => r.unansweredMessages('con_1', 0));
      expect(messages.toSorted((a, b) => a.message.localeCompare(b.message))).toEqual([
        { message: 'ask_1', sessionId: 's1', agent },
        { message: 'one', sessionId: 's1', agent },
      ]);
      expect(await read((r) => r.unansweredMessages('con_1', 1))).toEqual([]);
      // A minute late: behind one that is tried in vain, or at a server that sends nothing.
      expect(await read((r) => r.unreachedAsks(60_010, 10))).toEqual(['ask_1', 'ask_3', 'ask_4']);
      expect(await read((r) => r.asksOfHandle('con_1', 'one'))).toEqual([{ id: 'ask_3', sessionId: 's1' }]);
    });

    it('moves the cursor once from where it is', async () => {
      const move = (from: number | undefined, to: number) => bed.store.write((tx) => tx.moveNoticeCursor(from, to));
      expect(await read((r) => r.noticeCursor())).toBeUndefined();
      await move(undefined, 4);
      const moved = await Promise.all([move(4, 9), move(4, 9)]);
      expect(moved.toSorted()).toEqual([false, true]);
      expect(await read((r) => r.noticeCursor())).toBe(9);
    });
  });
}
