// How often a contact is sent messages about asks that nobody answers.
import { describe, expect, it } from 'vitest';
import type { UnansweredMessage } from '../../src/core/notice-store.ts';
import type { Session } from '../../src/core/session.ts';
import { paceOf } from '../../src/notices/pace.ts';

const session = { id: 's1', agent: 'claude' } as Session;
const of = (sessionId: string, count: number, agent = 'claude'): UnansweredMessage[] =>
  Array.from({ length: count }, (_, i) => ({ message: `${sessionId} ${i}`, sessionId, agent }));
const gapAfter = (count: number) => paceOf(of('s1', count), session, false).gapMs / 1000;

describe('the pace of unanswered messages', () => {
  it('is ten seconds in a session, and doubles from the third on, up to an hour', () => {
    expect([0, 1, 3, 4, 5, 8, 40].map(gapAfter)).toEqual([10, 10, 10, 20, 40, 320, 3600]);
    expect(paceOf([], session, false).batch).toBe('session s1');
  });

  it('does not wait for what is urgent, unless the session floods with it', () => {
    expect(paceOf(of('s1', 2), session, true)).toEqual({ gapMs: 0 });
    expect(paceOf(of('s1', 4), session, true)).toEqual({ gapMs: 20_000, batch: 'urgent session s1' });
  });

  it('is shared by the sessions of an agent that floods through many of them, and by no other agent', () => {
    const flood = Array.from({ length: 14 }, (_, i) => of(`f${i}`, 1)).flat();
    expect(paceOf(flood, session, false)).toEqual({ gapMs: 40_000, batch: 'agent claude' });
    expect(paceOf(flood, session, true).batch).toBe('urgent agent claude');
    expect(paceOf(flood, { ...session, agent: 'codex' }, false)).toEqual({ gapMs: 10_000, batch: 'session s1' });
  });

  it('of other sessions is not that of one that floods alone', () => {
    expect(paceOf(of('flood', 100), session, false)).toEqual({ gapMs: 10_000, batch: 'session s1' });
  });
});
