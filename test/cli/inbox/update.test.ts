// Transitions of the inbox that no key causes: asks that settle elsewhere, and sightings.
// Covers: src/cli/inbox/state.ts
import { describe, expect, it } from 'vitest';
import { approval, Inbox, question, WHERE, WHY } from './test-bed.ts';

const reported = (inbox: Inbox): string[] =>
  inbox.effects.flatMap((effect) => (effect.do === 'report_sighting' ? [effect.ask.ask_id] : []));

describe('a sighting in the inbox', () => {
  it('is reported for an ask that is in full on the screen for two ticks', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')]).later(1000);
    expect(reported(inbox)).toEqual([]);
    expect(reported(inbox.later(1000))).toEqual(['ask_1']);
    expect(reported(inbox.keys('j', 'k').later(1000))).toEqual(['ask_1', 'ask_1']);
    expect(reported(inbox.keys('j').later(1000))).toEqual(['ask_1', 'ask_1']);
    expect(reported(inbox.later(1000))).toEqual(['ask_1', 'ask_1', 'ask_2']);
  });

  it('is not reported for an ask that does not fit, until it is opened', () => {
    const long = Array.from({ length: 40 }, (_, n) => `echo ${n}`).join('\n');
    const inbox = new Inbox([approval('ask_1', long)]).later(1000).later(1000);
    expect(reported(inbox)).toEqual([]);
    expect(reported(inbox.keys('return').later(1000).later(1000))).toEqual(['ask_1']);
    expect(reported(new Inbox([approval('ask_1')], { rows: 8 }).later(1000).later(1000))).toEqual([]);
  });

  it('is not reported for a form before its last question, or with a truncated preview', () => {
    const long = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');
    const previewed = { ...WHERE, options: [{ id: 'staging', label: 'Staging', preview: long }] };
    const cut = new Inbox([question('ask_1', previewed)]).keys('return').later(1000).later(1000);
    expect(cut.shown()).toContain('│ … 28 more lines');
    expect(reported(cut)).toEqual([]);
    const two = new Inbox([question('ask_1', WHERE, WHY)], { rows: 8 }).keys('return').later(1000).later(1000);
    expect(reported(two)).toEqual([]);
    expect(reported(two.keys('return', 'return').later(1000).later(1000))).toEqual(['ask_1']);
  });

  it('is not reported while the help covers the ask, or after it has settled', () => {
    expect(reported(new Inbox([approval('ask_1')]).keys('?').later(1000).later(1000))).toEqual([]);
    expect(reported(new Inbox([approval('ask_1')]).settle('ask_1').later(1000).later(1000))).toEqual([]);
  });
});

describe('an ask that settles elsewhere', () => {
  it('names who answered, can no longer be decided, and is removed after a while', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).settle('ask_1');
    expect(inbox.shown()).toContain('denied by alice (web)');
    expect(inbox.keys('a').sent()).toEqual([]);
    expect(inbox.shown()).toContain('Already settled');
    inbox.later(9000);
    expect(inbox.state.inbox.entries.map((e) => e.ask.ask_id)).toEqual(['ask_2']);
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.keys('a').sent()).toEqual([]);
  });

  it('discards what was being typed about it', () => {
    for (const keys of [['d', 'n'], ['return'], ['e']]) {
      const inbox = new Inbox([approval('ask_1')]).keys(...keys).settle('ask_1');
      expect(inbox.state.mode.name).toBe('detail');
      expect(inbox.shown()).toContain('denied by alice (web)');
      expect(inbox.keys('return', 'a').sent()).toEqual([]);
    }
    const form = new Inbox([question('ask_1')]).keys('return').settle('ask_1');
    expect(form.keys('return').sent()).toEqual([]);
  });

  it('is shown once, however often the event arrives', () => {
    const inbox = new Inbox([approval('ask_1')]).settle('ask_1').settle('ask_1', { answered_by: 'mate' });
    expect(inbox.shown()).toContain('alice');
    inbox.tell({ type: 'raised', asks: [approval('ask_1')], isNews: true });
    expect(inbox.state.inbox.entries).toHaveLength(1);
  });
});
