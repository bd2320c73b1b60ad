// The inbox as a value: how asks are added, settle and leave, and which one comes next.
import { describe, expect, it } from 'vitest';
import {
  EMPTY_INBOX,
  type Inbox,
  lineage,
  neighbour,
  openCount,
  raised,
  sessionSeen,
  settled,
  sighted,
  swept,
} from '../../src/client/inbox-model.ts';
import { answer, approval, session } from './asks.ts';

const ids = (inbox: Inbox) => inbox.entries.map((entry) => entry.ask.ask_id);
const a = approval({}, { ask_id: 'a', created_at_ms: 1 });
const b = approval({}, { ask_id: 'b', created_at_ms: 2 });
const c = approval({}, { ask_id: 'c', created_at_ms: 3 });

describe('the inbox model', () => {
  it('lists each ask once, the oldest first, in whatever order they arrive', () => {
    const inbox = raised(raised(EMPTY_INBOX, [c, a]), [b, a]);
    expect(ids(inbox)).toEqual(['a', 'b', 'c']);
    expect(raised(inbox, [a, b])).toBe(inbox);
  });

  it('settles an ask once, and ignores a second end and an unknown ask', () => {
    const inbox = settled(raised(EMPTY_INBOX, [a, b]), 'b', answer({ behavior: 'deny' }), 1000);
    expect(openCount(inbox)).toBe(1);
    expect(inbox.entries[1]?.ask).toMatchObject({ status: 'answered', answer: { behavior: 'deny' } });
    expect(settled(inbox, 'b', answer({ answered_by: 'lead' }), 2000)).toBe(inbox);
    expect(settled(inbox, 'gone', answer(), 2000)).toBe(inbox);
  });

  it('removes a settled ask after a moment, unless it is in sight', () => {
    const open = raised(EMPTY_INBOX, [a, b, c]);
    const inbox = settled(settled(open, 'a', answer(), 1000), 'b', answer(), 1000);
    expect(swept(inbox, 2000, () => false)).toBe(inbox);
    expect(ids(swept(inbox, 60_000, (id) => id === 'b'))).toEqual(['b', 'c']);
  });

  it('records the first sighting of each person on each surface, and keeps it when the ask settles', () => {
    const by = (name: string, at_ms: number, surface: 'web' | 'cli' = 'web') => ({ by: name, surface, at_ms });
    const open = raised(EMPTY_INBOX, [a, b]);
    const inbox = sighted(sighted(open, 'b', by('mate', 5)), 'b', by('mate', 6, 'cli'));
    expect(inbox.entries[1]?.ask.seen_by).toEqual([by('mate', 5), by('mate', 6, 'cli')]);
    expect(inbox.entries[0]).toBe(open.entries[0]);
    expect(sighted(inbox, 'b', by('mate', 7))).toBe(inbox);
    expect(sighted(inbox, 'gone', by('mate', 7))).toBe(inbox);
    expect(settled(inbox, 'b', answer(), 1000).entries[1]?.ask.seen_by).toHaveLength(2);
  });

  it('goes on to the next open ask, else to the one before', () => {
    const inbox = settled(raised(EMPTY_INBOX, [a, b, c]), 'b', answer(), 1);
    expect(neighbour(inbox.entries, 'a')).toBe('c');
    expect(neighbour(inbox.entries, 'c')).toBe('a');
    expect(neighbour(inbox.entries, undefined)).toBe('a');
    expect(neighbour(raised(EMPTY_INBOX, [a]).entries, 'a')).toBeUndefined();
  });

  it('names the parents of a session from the outermost on, and ends at a cycle', () => {
    const known = [session('root'), session('child', { parent_session_id: 'root' })];
    const { sessions } = [...known, session('loop', { parent_session_id: 'loop' })].reduce(sessionSeen, EMPTY_INBOX);
    expect(lineage(sessions, 'child').map((one) => one.session_id)).toEqual(['root', 'child']);
    expect(lineage(sessions, 'loop')).toHaveLength(1);
    expect(lineage(sessions, 'unknown')).toEqual([]);
  });
});
