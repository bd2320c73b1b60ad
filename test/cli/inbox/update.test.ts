// Transitions of the inbox that no key causes: asks that settle elsewhere, and sightings.
// Covers: src/cli/inbox/state.ts
import { describe, expect, it } from 'vitest';
import { approval, Inbox, KEY, question, WHERE, WHY } from './test-bed.ts';

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

  it('takes what is still typed about it as text, until Enter or Escape', () => {
    const text = 'quest look a good idea? kindly, j a';
    for (const keys of [['c', 'w'], ['d', 'n'], ['a'], ['e']]) {
      const inbox = new Inbox([approval('ask_1'), approval('ask_2'), approval('ask_3')]).keys('j').later(400);
      inbox.keys(...keys).settle('ask_2');
      for (const letter of text) inbox.later(120).keys(letter);
      expect(inbox.state).toMatchObject({ selectedId: 'ask_2', mode: { name: 'ended' } });
      expect(inbox.screen().at(-1)).toMatch(/^Not sent: denied by alice \(web\)\. Esc closes\. .*j a$/);
      expect(inbox.keys('return').state.mode.name).toBe('detail');
      // Right after that and after a move, a letter may still belong to the text.
      expect(inbox.keys('q', 'j', 'a').shown()).toContain('just changed');
      expect(inbox.effects.filter((effect) => effect.do !== 'report_sighting')).toEqual([]);
      expect(inbox.later(400).keys('a', 'return').sent()).toEqual([{ request_id: 'ask_3', behavior: 'allow' }]);
    }
  });

  it('shows no secret that is still typed into its form', () => {
    const form = new Inbox([question('ask_1', KEY)]).open().text('hunt').settle('ask_1').text('er2');
    expect(form.shown()).toContain('•••••••');
    expect(form.shown()).not.toMatch(/hunt|er2/);
    expect(form.keys('escape').state.mode.name).toBe('detail');
    expect(form.sent()).toEqual([]);
  });

  it('is shown as it ended where nothing was typed', () => {
    const inbox = new Inbox([approval('ask_1')]).keys('return').settle('ask_1');
    expect(inbox.shown()).toContain('denied by alice (web)');
    expect(inbox.keys('return', 'a').sent()).toEqual([]);
  });

  it('is shown once, however often the event arrives', () => {
    const inbox = new Inbox([approval('ask_1')]).settle('ask_1').settle('ask_1', { answered_by: 'mate' });
    expect(inbox.shown()).toContain('alice');
    inbox.tell({ type: 'raised', asks: [approval('ask_1')], isNews: true });
    expect(inbox.state.inbox.entries).toHaveLength(1);
  });
});
