// Keys in the list of the inbox and on its approvals: none decides an ask that it was not meant for.
// Covers: src/cli/snooze-time.ts, src/cli/text/mark-text.ts
import { describe, expect, it } from 'vitest';
import { approval, Inbox, NOW, question } from './test-bed.ts';

describe('the list of the inbox', () => {
  it('shows every ask with its age and summary, and the selected one below', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')]);
    expect(inbox.shown()).toMatch(
      /^Holdpoint {2}2 waiting +● live\n›! {2}1m Bash: rm -rf build +nightly\n \? 50s Where to\? +nightly\n─+\n/,
    );
    expect(inbox.shown()).toMatch(/Allow Bash\?\n\n\$ rm -rf build\n/);
    expect(inbox.keys('j').shown()).toMatch(/Where to\?\n 1\. Staging\n 2\. Production {2}prod {2}\(recommended\)\n/);
    expect(inbox.keys('k', 'k').state.selectedId).toBe('ask_1');
    expect(inbox.keys('G').state.selectedId).toBe('ask_2');
  });

  it('suggests the demo when it is empty', () => {
    expect(new Inbox([]).shown()).toContain('To try it: holdpoint demo');
  });

  it('counts down to a deadline', () => {
    const ask = { ...approval('ask_1'), expires_at_ms: NOW + 245_000 };
    const inbox = new Inbox([ask]);
    expect(inbox.screen()[1]).toMatch(/ 4:05$/);
    expect(inbox.later(5000).screen()[1]).toMatch(/ 4:00$/);
  });

  it('is filtered while typing, until Escape', () => {
    const inbox = new Inbox([approval('ask_1', 'make'), approval('ask_2', 'ls'), question('ask_3')]);
    inbox.keys('/').text('bash ls');
    expect(inbox.shown()).toContain('/bash ls');
    expect(inbox.screen().filter((row) => /^.[!?]/.test(row))).toEqual([expect.stringContaining('Bash: ls')]);
    expect(inbox.keys('return').state.selectedId).toBe('ask_2');
    expect(
      inbox
        .keys('escape')
        .screen()
        .filter((row) => /^.[!?]/.test(row)),
    ).toHaveLength(3);
    expect(inbox.keys('/').text('zzz').shown()).toContain('Nothing matches the filter');
  });

  it('keeps the selection when an older ask is inserted', () => {
    const inbox = new Inbox([approval('ask_2')]);
    inbox.tell({ type: 'raised', isNews: true, asks: [approval('ask_1', 'first', { created_at_ms: 5 })] });
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.screen().slice(1, 3)).toEqual([expect.stringMatching(/first/), expect.stringMatching(/^›.*rm -rf/)]);
    expect(inbox.effects).toContainEqual({ do: 'bell' });
  });

  it('shows the help until a key is pressed', () => {
    const inbox = new Inbox([approval('ask_1')]);
    expect(inbox.keys('?').shown()).toContain('deny, with an optional reason');
    expect(inbox.shown()).toMatch(/ a +allow what is shown, after enter confirms it/);
    expect(inbox.keys('x').shown()).toContain('› '.trim());
  });
});

describe('an approval in the inbox', () => {
  it('is allowed by a and Enter, and the next one is selected', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).keys('a');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.shown()).toContain('enter allows what is shown');
    inbox.keys('return');
    expect(inbox.sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow' }]);
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.screen()[1]).toMatch(/^ …/);
  });

  it('is never allowed by a word: what follows an a becomes the reason of a denial', () => {
    const inbox = new Inbox([approval('ask_1')]).text('not pals');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'deny', reason: 'ls' }]);
    expect(new Inbox([approval('ask_1')]).keys('a', 'escape', 'return', 'a', 'left', 'return').sent()).toEqual([]);
  });

  it('is not allowed by an a that was pressed before the list moved', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).keys('a', 'return', 'a');
    expect(inbox.shown()).toContain('just changed');
    expect(inbox.keys('return').sent()).toHaveLength(1);
    expect(inbox.later(400).keys('a', 'return').sent()).toHaveLength(2);
  });

  it('is shown in full before it can be allowed', () => {
    const long = Array.from({ length: 40 }, (_, i) => `echo ${i}`).join('\n');
    const inbox = new Inbox([approval('ask_1', long)]).keys('a');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.state.mode.name).toBe('detail');
    expect(inbox.keys('a', 'return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow' }]);
    const small = new Inbox([approval('ask_1')], { rows: 8 }).keys('a');
    expect(small.sent()).toEqual([]);
    expect(small.keys('a', 'return').sent()).toHaveLength(1);
  });

  it('is commented on by c without a decision, and shows who reads it and what the agent replied', () => {
    const ask = approval('ask_1');
    const inbox = new Inbox([{ ...ask, takes_comments: true }, approval('ask_2')]);
    expect(inbox.keys('c').shown()).toContain('the agent reads it');
    inbox.text('yes').keys('return');
    expect(inbox.effects).toEqual([{ do: 'comment', ask: expect.objectContaining({ ask_id: 'ask_1' }), text: 'yes' }]);
    expect(inbox.state).toMatchObject({ selectedId: 'ask_1', mode: { name: 'list' } });
    const act = {
      comment_id: 'cmt_1',
      role: 'agent' as const,
      by: 'claude',
      surface: 'api' as const,
      text: 'To\u202e build.',
    };
    inbox.tell({ type: 'acted', askId: 'ask_1', event: 'ask.commented', act, atMs: NOW });
    expect(inbox.shown()).toMatch(/claude \(agent\): To.*build\./);
    expect(inbox.shown()).not.toContain('\u202e');
    expect(inbox.keys('c', 'return', 'j').later(400).keys('c').shown()).toContain('the agent is not told of it');
    inbox.keys('escape');
    expect(inbox.effects).toHaveLength(1);
  });

  it('is denied by d with or without a reason, and not after Escape', () => {
    const asks = [approval('ask_1'), approval('ask_2')];
    const inbox = new Inbox(asks).keys('d').text('use make');
    expect(inbox.shown()).toContain('Deny. Reason (optional): use make');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'deny', reason: 'use make' }]);
    expect(new Inbox(asks).keys('d', 'return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'deny' }]);
    expect(new Inbox(asks).keys('d', 'x', 'escape').sent()).toEqual([]);
    expect(new Inbox(asks).keys('return', 'd', 'escape').state.mode.name).toBe('detail');
  });

  it('is edited by e, as text or JSON, and shown again before it is allowed', () => {
    const inbox = new Inbox([approval('ask_1', 'rm -rf /')]).keys('e', 'backspace').text('tmp/x');
    expect(inbox.keys('return').shown()).toMatch(
      /This would run:\n\$ rm -rf tmp\/x\n\nThe agent asked for:\n\$ rm -rf \//,
    );
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('a', 'return').sent()).toEqual([
      { request_id: 'ask_1', behavior: 'allow', updated_input: { command: 'rm -rf tmp/x' } },
    ]);
    const other = new Inbox([approval('ask_1', '', { input: { command: 'ls', cwd: '/' } })]).keys('e');
    expect(other.shown()).toContain('{"command":"ls","cwd":"/"}');
    expect(other.keys('backspace', 'return').shown()).toContain('Not valid');
    expect(other.keys('}', 'return', 'escape').sent()).toEqual([]);
  });

  it('is not edited where its caller cannot accept that', () => {
    const inbox = new Inbox([approval('ask_1', '', { editable: false })], { hasEditor: true });
    expect(inbox.shown()).not.toContain('e edit');
    expect(inbox.keys('e').shown()).toContain('cannot be edited');
    expect(inbox.effects).toEqual([]);
    expect(inbox.keys('return').shown()).not.toContain('e edit');
  });

  it('is edited in $EDITOR where there is one', () => {
    const inbox = new Inbox([approval('ask_1')], { hasEditor: true }).keys('e');
    expect(inbox.effects).toContainEqual({
      do: 'open_editor',
      ask: expect.anything(),
      input: { command: 'rm -rf build' },
    });
    inbox.tell({ type: 'edited', askId: 'ask_1', input: { command: 'ls' } }).keys('a', 'return');
    expect(inbox.sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow', updated_input: { command: 'ls' } }]);
  });

  it('is not decided by pasted text or by keys without a meaning', () => {
    const inbox = new Inbox([approval('ask_1')]).paste('a\nd\n');
    expect(inbox.keys('y', 'A', 'tab', ' ', 'o', 'x').sent()).toEqual([]);
    expect(inbox.keys('d').paste('a\nreason').keys('return').sent()).toEqual([
      { request_id: 'ask_1', behavior: 'deny', reason: 'a reason' },
    ]);
  });

  it('stays pending after q, Ctrl-C and Escape', () => {
    for (const key of ['q', 'ctrl-c']) {
      const inbox = new Inbox([approval('ask_1')]).keys(key);
      expect(inbox.effects).toEqual([{ do: 'quit' }]);
    }
    expect(new Inbox([approval('ask_1')]).keys('d').text('no').keys('ctrl-c').sent()).toEqual([]);
    expect(new Inbox([approval('ask_1')]).keys('return', 'escape', 'escape').effects).toEqual([]);
  });

  it('shows why an answer was refused, and can be answered again', () => {
    const inbox = new Inbox([approval('ask_1')])
      .keys('a', 'return')
      .tell({ type: 'refused', askId: 'ask_1', text: 'too late: mate' });
    expect(inbox.shown()).toContain('too late: mate');
    expect(inbox.keys('a', 'return').sent()).toHaveLength(2);
  });
});

describe('an ask that someone is on, or that is snoozed', () => {
  const act = (by: string, until_ms?: number) => ({ by, surface: 'web' as const, ...(until_ms && { until_ms }) });
  const rows = (inbox: Inbox) => inbox.screen().filter((row) => /^.[!?]/.test(row));

  it('is marked with the name in its row and in full below, and i takes it or takes that back', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).tell({ type: 'me', name: 'lead' });
    inbox.tell({ type: 'acted', askId: 'ask_1', event: 'ask.taken', act: act('alice\u202e'), atMs: NOW });
    expect(rows(inbox)).toEqual([
      expect.stringMatching(/on it: alice<U\+202E> +nightly$/),
      expect.not.stringContaining('on it'),
    ]);
    expect(inbox.shown()).toContain('alice<U+202E> is on it');
    expect(inbox.keys('i').effects).toEqual([{ do: 'take', ask: expect.objectContaining({ ask_id: 'ask_1' }) }]);
    inbox.tell({ type: 'acted', askId: 'ask_1', event: 'ask.taken', act: act('lead'), atMs: NOW });
    expect(rows(inbox)[0]).toContain('on it: you');
    expect(inbox.keys('i').effects.at(-1)).toMatchObject({ do: 'release' });
    expect(new Inbox([approval('ask_1')]).keys('i').effects).toMatchObject([{ do: 'take' }]);
    expect(inbox.sent()).toEqual([]);
  });

  it('stands last while it is snoozed, marked, and is not what comes next', () => {
    const inbox = new Inbox([approval('ask_1', 'first'), approval('ask_2', 'second'), approval('ask_3', 'third')]);
    inbox.tell({ type: 'acted', askId: 'ask_1', event: 'ask.snoozed', act: act('mate', NOW + 3_600_000), atMs: NOW });
    expect(rows(inbox).map((row) => /first|second|third/.exec(row)?.[0])).toEqual(['second', 'third', 'first']);
    expect(rows(inbox)[2]).toMatch(/^›.*first +snoozed +nightly$/);
    expect(inbox.shown()).toMatch(/snoozed until \d\d:\d\d by mate/);
    inbox.keys('k').later(400).keys('a', 'return');
    expect(inbox.state.selectedId).toBe('ask_2');
    inbox.settle('ask_3').later(400).keys('a', 'return');
    expect(inbox.state.selectedId).toBe('ask_1');
    expect(rows(inbox.later(3_600_000))[0]).not.toContain('snoozed');
  });

  it('is snoozed by h for the time that is typed, and brought back by h', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).keys('h');
    expect(inbox.screen().at(-1)).toBe('Snooze for everyone (30m, 2h, 3d): 1h');
    inbox.keys('x', 'return');
    expect(inbox.shown()).toContain('Not a time');
    expect(inbox.effects).toEqual([]);
    inbox.keys('backspace', 'return');
    expect(inbox.effects).toEqual([{ do: 'snooze', ask: expect.anything(), untilMs: NOW + 3_600_000 }]);
    expect(inbox.state).toMatchObject({ selectedId: 'ask_2', mode: { name: 'list' } });
    inbox.tell({ type: 'acted', askId: 'ask_1', event: 'ask.snoozed', act: act('lead', NOW + 3_600_000), atMs: NOW });
    expect(inbox.keys('G').later(400).keys('h').effects.at(-1)).toMatchObject({ do: 'snooze', untilMs: null });
    expect(inbox.keys('return', 'h').effects.at(-1)).toMatchObject({ do: 'snooze', untilMs: null });
    expect(inbox.sent()).toEqual([]);
  });
});
