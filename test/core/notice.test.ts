// The state machine of a notice: what each result of an attempt makes of it, and for how long it is tried again.
import { describe, expect, it } from 'vitest';
import {
  backoffMs,
  claimed,
  isSettled,
  type Notice,
  RETRY_MS,
  revived,
  SEND_LEASE_MS,
  settled,
} from '../../src/core/notice.ts';

const due: Notice = {
  id: 'ntc_1',
  event: 'ask.raised',
  askId: 'ask_1',
  runId: undefined,
  sessionId: 's1',
  contactId: 'con_1',
  channel: 'push',
  who: 'ana',
  handle: 'ask_1',
  orderKey: 'ask_1',
  batch: undefined,
  detail: undefined,
  state: 'due',
  reason: undefined,
  attempts: 0,
  dueAt: 100,
  retryUntil: RETRY_MS,
  createdAt: 0,
  sentAt: undefined,
  settledAt: undefined,
};

describe('a notice', () => {
  const sent = claimed(due, 100);

  it('is sent under a lease, after which it is due once more', () => {
    expect(sent).toMatchObject({ state: 'sent', attempts: 1, sentAt: 100, dueAt: 100 + SEND_LEASE_MS });
    expect(isSettled(sent)).toBe(false);
  });

  it('is settled by acceptance, by a refusal and by a contact that is gone', () => {
    expect(settled(sent, { result: 'accepted' }, 200, 0)).toMatchObject({
      state: 'accepted',
      dueAt: undefined,
      settledAt: 200,
    });
    for (const result of ['refused', 'gone'] as const)
      expect(settled(sent, { result, reason: 'no' }, 200, 0)).toMatchObject({
        state: 'failed',
        reason: 'no',
        dueAt: undefined,
      });
  });

  it('is due again after a failure, later each time, and not before the contact wants it', () => {
    expect(settled(sent, { result: 'failed', reason: 'down' }, 200, 0)).toMatchObject({
      state: 'due',
      dueAt: 2200,
      attempts: 1,
    });
    expect(settled(sent, { result: 'failed', reason: '429', retryAfterMs: 60_000 }, 200, 0).dueAt).toBe(60_200);
    expect([1, 2, 3, 9, 50].map((n) => backoffMs(n, 0))).toEqual([2000, 8000, 32_000, 3_600_000, 3_600_000]);
    expect(backoffMs(1, 1)).toBe(1600);
  });

  it('fails when it was tried for a day, and is tried for a day more when a person wants it', () => {
    const last = settled(sent, { result: 'failed', reason: 'down' }, RETRY_MS - 1, 0);
    expect(last).toMatchObject({ state: 'failed', reason: 'down' });
    expect(revived(last, RETRY_MS)).toMatchObject({
      state: 'due',
      attempts: 0,
      dueAt: RETRY_MS,
      retryUntil: 2 * RETRY_MS,
    });
  });
});
