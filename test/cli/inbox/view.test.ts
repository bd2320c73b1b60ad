// The screen of the inbox: always the size of the terminal, whatever is pressed and whatever agents send.
// Covers: src/cli/inbox/view-detail.ts, src/cli/inbox/view-footer.ts, src/cli/inbox/view-form.ts
// Covers: src/cli/inbox/view-help.ts
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { view } from '../../../src/cli/inbox/view.ts';
import { lineCells } from '../../../src/cli/text/layout.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { approval, Inbox, KEY, NOW, question, WHERE, WHICH, WHY } from './test-bed.ts';

describe('the screen of the inbox', () => {
  const HOSTILE = '\u001b[2J\u001b]52;c;x\u0007\u202e\u200b\u0000 日本 👍 ';
  const asks = [
    approval('ask_1', `${HOSTILE} && ${'long '.repeat(60)}`, { reason: HOSTILE, tool_name: `Ba${HOSTILE}sh` }),
    approval('ask_2', 'x', {
      input: { file_path: HOSTILE, old_string: 'a\nb', new_string: 'a\nc', [HOSTILE]: HOSTILE },
    }),
    {
      ...question('ask_3', { ...WHERE, question: HOSTILE.repeat(9), header: HOSTILE }, WHICH, WHY, KEY),
      expires_at_ms: NOW + 9000,
    },
  ];
  const key = fc.constantFrom(
    'j',
    'k',
    'a',
    'd',
    'e',
    'o',
    '/',
    '?',
    'return',
    'escape',
    '1',
    '2',
    ' ',
    'tab',
    'x',
    'pagedown',
    'backspace',
    'left',
  );

  it('has exactly the rows and at most the columns of the terminal, whatever is pressed', () => {
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 12 }),
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 3, max: 50 }),
        (keys, columns, rows) => {
          const inbox = new Inbox(asks, { columns, rows });
          for (const name of keys) {
            inbox.later(1000).keys(name);
            const { lines, cursor } = view(inbox.state);
            expect(lines).toHaveLength(rows);
            for (const of of lines) {
              expect(lineCells(of)).toBeLessThanOrEqual(columns);
              expect(plain(of)).not.toMatch(/\p{Cc}|[\u202a-\u202e\u200b-\u200f]/u);
            }
            if (cursor)
              expect(cursor.row >= 0 && cursor.row < rows && cursor.column >= 0 && cursor.column < columns).toBe(true);
          }
        },
      ),
    );
  });

  it('never allows an ask that it does not show to the end, whatever is pressed', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 15 }), (keys) => {
        const inbox = new Inbox([approval('ask_0', 'make\n'.repeat(30)), ...asks], { rows: 16 });
        for (const name of keys) {
          const before = inbox.sent().length;
          const { mode } = inbox.state;
          const wasWhole = mode.name !== 'list' || !inbox.shown().includes('more lines: enter');
          inbox.later(1000).keys(name);
          const [sent] = inbox.sent().slice(before) as { behavior?: string }[];
          if (sent?.behavior === 'allow') {
            expect(name).toBe('return');
            expect(mode.name).toBe('allow');
            expect(wasWhole).toBe(true);
          }
        }
      }),
    );
  });

  it('names the agent that asks, not that its program is external', () => {
    const from = { agent: 'external', project_ids: [], lineage: [] };
    const named = { ...approval('ask_1'), asked_from: { ...from, agent_id: 'claude' } };
    const generated = { ...approval('ask_2'), asked_from: { ...from, agent_id: 'external-nightly' } };
    const inbox = new Inbox([named, generated]);
    expect(inbox.screen().slice(1, 3)).toEqual([
      expect.stringMatching(/ claude$/),
      expect.stringMatching(/ external$/),
    ]);
    expect(inbox.shown()).toMatch(/^claude {2}1m ago$/m);
  });

  it('names no flag of a command line in an approval', () => {
    const suggestions = [{ id: 'session', label: 'Do not ask again' }];
    const inbox = new Inbox([approval('ask_1', 'make', { suggestions })]);
    expect(inbox.shown() + inbox.open().shown()).not.toContain('--');
  });

  it('fits into 40 columns', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')], { columns: 40, rows: 20 });
    expect(inbox.screen().slice(0, 4)).toEqual([
      'Holdpoint  2 waiting              ● live',
      '›!  1m Bash: rm -rf build',
      ' ? 50s Where to?',
      '─'.repeat(40),
    ]);
    expect(inbox.screen().at(-1)).toBe('a allow  d deny  e edit  enter open');
    expect(inbox.tell({ type: 'resized', columns: 100, rows: 30 }).screen()).toHaveLength(30);
    expect(inbox.effects).toContainEqual({ do: 'redraw' });
  });

  it('shows that the server cannot be reached', () => {
    expect(new Inbox([]).tell({ type: 'link', link: 'lost' }).shown()).toContain('○ no server');
  });
});
