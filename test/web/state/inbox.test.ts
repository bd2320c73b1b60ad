// What the page knows of the asks: how they come, settle, leave, and which is next.
import { describe, expect, it } from 'vitest';
import {
  EMPTY_INBOX,
  lineage,
  neighbour,
  raised,
  settled,
  sighted,
  swept,
  waitingCount,
} from '../../../web/src/state/inbox.ts';
import { seenByOthers } from '../../../web/src/text/ask-text.ts';
import { answer, approval, session } from '../asks.ts';

const ids = (inbox: ReturnType<typeof raised>) => inbox.entries.map((e) => e.ask.ask_id);
const a = approval({}, { ask_id: 'a', created_at_ms: 1 });
const b = approval({}, { ask_id: 'b', created_at_ms: 2 });
const c = approval({}, { ask_id: 'c', created_at_ms: 3 });

describe('asks in the inbox', () => {
  it('are there once each, the oldest first, however they come', () => {
    const inbox = raised(raised(EMPTY_INBOX, [c, a]), [b, a]);
    expect(ids(inbox)).toEqual(['a', 'b', 'c']);
    expect(raised(inbox, [a, b])).toBe(inbox);
  });

  it('settle once, stay a moment, and stay while they are looked at', () => {
    const open = raised(EMPTY_INBOX, [a, b, c]);
    const inbox = settled(settled(open, 'a', answer(), 1000), 'b', answer({ behavior: 'deny' }), 1000);
    expect(waitingCount(inbox)).toBe(1);
    expect(inbox.entries[1]?.ask).toMatchObject({ status: 'answered', answer: { behavior: 'deny' } });
    expect(settled(inbox, 'a', answer({ answered_by: 'lead' }), 2000)).toBe(inbox);
    expect(settled(inbox, 'gone', answer(), 2000)).toBe(inbox);
    expect(swept(inbox, 2000, () => false)).toBe(inbox);
    expect(ids(swept(inbox, 60_000, (id) => id === 'b'))).toEqual(['b', 'c']);
  });

  it('are seen once by each person on each surface, also before they settle', () => {
    const by = (name: string, at_ms: number, surface: 'web' | 'cli' = 'web') => ({ by: name, surface, at_ms });
    const open = raised(EMPTY_INBOX, [a, b]);
    const inbox = sighted(sighted(open, 'b', by('mate', 5)), 'b', by('mate', 6, 'cli'));
    expect(inbox.entries[1]?.ask.seen_by).toEqual([by('mate', 5), by('mate', 6, 'cli')]);
    expect(inbox.entries[0]).toBe(open.entries[0]);
    expect(sighted(inbox, 'b', by('mate', 7))).toBe(inbox);
    expect(sighted(inbox, 'gone', by('mate', 7))).toBe(inbox);
    const over = settled(inbox, 'b', answer(), 1000);
    expect(over.entries[1]?.ask.seen_by).toHaveLength(2);
    expect(seenByOthers({ ...b, seen_by: [by('lead', 1), by('mate', 2), by('mate', 3, 'cli')] }, 'lead')).toEqual([
      by('mate', 2),
    ]);
    expect(seenByOthers(b, 'lead')).toEqual([]);
  });

  it('give way to the next open one, else to the one before', () => {
    const inbox = settled(raised(EMPTY_INBOX, [a, b, c]), 'b', answer(), 1);
    expect(neighbour(inbox.entries, 'a')).toBe('c');
    expect(neighbour(inbox.entries, 'c')).toBe('a');
    expect(neighbour(inbox.entries, undefined)).toBe('a');
    expect(neighbour(raised(EMPTY_INBOX, [a]).entries, 'a')).toBeUndefined();
  });

  it('name the sessions they come through, and survive a circle', () => {
    const sessions = new Map([
      ['root', session('root')],
      ['child', session('child', { parent_session_id: 'root' })],
      ['loop', session('loop', { parent_session_id: 'loop' })],
    ]);
    expect(lineage(sessions, 'child').map((s) => s.session_id)).toEqual(['root', 'child']);
    expect(lineage(sessions, 'loop')).toHaveLength(1);
    expect(lineage(sessions, 'unknown')).toEqual([]);
  });
});
