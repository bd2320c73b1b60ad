// What a card says about who was notified.
import { describe, expect, it } from 'vitest';
import type { NoticeView } from '../../../src/core/notice-views.ts';
import { toldText } from '../../../web/src/text/told-text.ts';

const NOW = 1_000_000;
const notice = (who: string, state: NoticeView['state'], more: Partial<NoticeView> = {}): NoticeView => ({
  notice_id: 'ntc_1',
  event: 'ask.raised',
  who,
  channel: 'push',
  state,
  attempts: 1,
  created_at_ms: 0,
  ...more,
});

describe('the line about notices', () => {
  it('names who was told, by which channel and when, and who is next', () => {
    const step = notice('ops', 'due', { event: 'step', due_at_ms: NOW + 120_000 });
    const told = [
      notice('lead', 'accepted', { settled_at_ms: NOW - 120_000 }),
      notice('hook', 'accepted', { channel: 'webhook' }),
      step,
    ];
    expect(toldText(told, NOW)).toEqual({
      text: 'Notified: lead (push, 2m ago), hook (webhook); in 2m: ops',
      isBad: false,
    });
  });

  it('says what is under way, and when nobody could be told', () => {
    const down = { reason: 'down', due_at_ms: NOW + 2000 };
    expect(toldText([notice('lead', 'due', down)], NOW)?.text).toBe('Notifying: lead (down; tried again)');
    expect(toldText([notice('lead', 'due', down)], NOW, true)).toEqual({
      text: 'Nobody could be notified of this yet: lead (down; tried again).',
      isBad: true,
    });
    expect(toldText([notice('lead', 'due', { attempts: 0, due_at_ms: NOW + 120_000 })], NOW)?.text).toBe(
      'Notifying: lead (in 2m)',
    );
    expect(toldText([notice('lead', 'failed', { reason: 'gone' })], NOW)).toEqual({
      text: 'Nobody could be notified of this: lead: gone.',
      isBad: true,
    });
    expect(toldText([notice('lead', 'cancelled')], NOW)).toBeUndefined();
    expect(toldText([], NOW)).toBeUndefined();
  });
});
