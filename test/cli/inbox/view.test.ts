// The inbox without a terminal: questions, and the screen, which always has the size of the terminal, whatever is pressed
// and whatever agents send.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { view } from '../../../src/cli/inbox/view.ts';
import { lineCells } from '../../../src/cli/text/layout.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { approval, Inbox, KEY, NOW, question, WHERE, WHICH, WHY } from './test-bed.ts';

describe('a question', () => {
  it('is answered with what the cursor is on; the recommended one is where it begins', () => {
    expect(new Inbox([question('ask_1')]).keys('return', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['prod'] }] },
    ]);
    expect(new Inbox([question('ask_1')]).keys('return', 'k', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['staging'] }] },
    ]);
    expect(new Inbox([question('ask_1')]).keys('return', '1', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['staging'] }] },
    ]);
  });

  it('is answered with a text of one’s own by o', () => {
    const inbox = new Inbox([question('ask_1')]).keys('o').text('the moon');
    expect(inbox.shown()).toContain('Other: the moon');
    expect(inbox.keys('return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', freeform_answer: 'the moon' }] },
    ]);
  });

  it('takes several choices by space and numbers, and needs one', () => {
    const inbox = new Inbox([question('ask_1', WHICH)]).keys('return', 'tab');
    expect(inbox.shown()).toContain('Choose an option');
    expect(inbox.keys('1', 'j', ' ').shown()).toMatch(/\[x\] 1\. Staging\n.*\[x\] 2\. Production/);
    expect(inbox.keys('1', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'which', selected_option_ids: ['prod'] }] },
    ]);
  });

  it('with several questions is looked at once more before it is sent; what is optional may be left out', () => {
    const inbox = new Inbox([question('ask_1', WHERE, WHY, KEY)]).keys('return', 'return');
    expect(inbox.shown()).toContain('2 of 3');
    inbox.keys('return', 'return');
    expect(inbox.shown()).toContain('An answer is needed.');
    inbox.text('hunter2');
    expect(inbox.shown()).not.toContain('hunter2');
    expect(inbox.shown()).toContain('•••••••');
    expect(inbox.keys('return').shown()).toMatch(/Your answers\n\n.*: Production\n.*: \(left out\)\n.*: \(secret\)/);
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('escape', 'return', 'return').sent()).toEqual([
      {
        request_id: 'ask_1',
        answers: [
          { question_id: 'where', selected_option_ids: ['prod'] },
          { question_id: 'key', freeform_answer: 'hunter2' },
        ],
      },
    ]);
  });

  it('is declined by d, and left by Escape', () => {
    expect(new Inbox([question('ask_1')]).keys('d').text('you').keys('return').sent()).toEqual([
      { request_id: 'ask_1', declined: true, justification: 'you' },
    ]);
    const left = new Inbox([question('ask_1')]).keys('return', '1', 'escape');
    expect(left.sent()).toEqual([]);
    expect(left.state.mode.name).toBe('list');
    expect(new Inbox([question('ask_1')]).keys('return', 'd', 'escape').state.mode.name).toBe('form');
  });

  it('without room for a text of one’s own takes options only', () => {
    const only = new Inbox([question('ask_1', { ...WHERE, allow_other: false })]).keys('o');
    expect(only.shown()).toContain('Only the options count here.');
    expect(only.shown()).not.toContain('Other');
  });
});

describe('the screen', () => {
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

  it('has exactly the rows and never more than the columns of the terminal, whatever is pressed and shown', () => {
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

  it('never allows what is not on it to the end, whatever is pressed', () => {
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
            expect(name).toBe('a');
            expect(wasWhole).toBe(true);
          }
        }
      }),
    );
  });

  it('works at 40 columns', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')], { columns: 40, rows: 20 });
    expect(inbox.screen().slice(0, 4)).toEqual([
      'Holdpoint  2 waiting              ● live',
      '›!  1m Bash: rm -rf build',
      ' ? 50s Where to?',
      '─'.repeat(40),
    ]);
    expect(inbox.screen().at(-1)).toBe('a allow  d deny  e edit  enter whole');
    expect(inbox.tell({ type: 'resized', columns: 100, rows: 30 }).screen()).toHaveLength(30);
    expect(inbox.effects).toContainEqual({ do: 'redraw' });
  });

  it('says when the server cannot be reached', () => {
    expect(new Inbox([]).tell({ type: 'link', link: 'lost' }).shown()).toContain('○ no server');
  });
});
