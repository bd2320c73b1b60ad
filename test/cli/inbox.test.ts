// The inbox without a terminal: what keys and happenings make of its state, and how that looks. The screen always has
// the size of the terminal, and no key decides anything that was not meant and seen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paste, press } from '../../src/cli/inbox/keys.ts';
import { type Effect, initialState, type State } from '../../src/cli/inbox/state.ts';
import { type Happening, happen } from '../../src/cli/inbox/update.ts';
import { view } from '../../src/cli/inbox/view.ts';
import { lineCells } from '../../src/cli/text/layout.ts';
import { plain } from '../../src/cli/text/spans.ts';
import { completeQuestions, type QuestionInput } from '../../src/core/question.ts';
import type { AskView } from '../../src/core/views.ts';

const NOW = 1_000_000;
const base = { session_id: 'nightly', run_id: 'run_1', mode: 'blocking' as const, status: 'pending' as const };
const delivery = { state: 'none' as const, attempts: 0 };

function approval(id: string, command = 'rm -rf build', more: object = {}): AskView {
  const request = {
    id,
    tool_call_id: id,
    tool_name: 'Bash',
    input: { command },
    scope: 's',
    reason: '',
    digest: 'd',
    created_at_ms: NOW - 60_000,
    ...more,
  };
  return {
    ...base,
    ask_id: id,
    kind: 'approval',
    tool_call_id: id,
    created_at_ms: request.created_at_ms,
    request,
    delivery,
  };
}
function question(id: string, ...inputs: QuestionInput[]): AskView {
  const questions = completeQuestions(inputs.length > 0 ? inputs : [WHERE]);
  const request = { id, tool_call_id: id, questions, digest: 'd', created_at_ms: NOW - 50_000 };
  return {
    ...base,
    ask_id: id,
    kind: 'question',
    tool_call_id: id,
    created_at_ms: request.created_at_ms,
    request,
    delivery,
  };
}
const WHERE: QuestionInput = {
  id: 'where',
  question: 'Where to?',
  options: [
    { id: 'staging', label: 'Staging' },
    { id: 'prod', label: 'Production', recommended: true },
  ],
};
const WHICH: QuestionInput = { ...WHERE, id: 'which', question: 'Which ones?', multi_select: true };
const WHY: QuestionInput = { id: 'why', question: 'Why?', required: false };
const KEY: QuestionInput = { id: 'key', question: 'The key?', secret: true };

/** An inbox that has been looked at for a while. */
class Inbox {
  state: State;
  effects: Effect[] = [];

  constructor(asks: AskView[], size: { columns?: number; rows?: number; hasEditor?: boolean } = {}) {
    this.state = initialState({
      url: 'http://x',
      ownName: 'holdpoint',
      hasEditor: false,
      columns: 80,
      rows: 24,
      nowMs: NOW,
      ...size,
    });
    this.tell({ type: 'raised', asks, isNews: false });
    this.tell({ type: 'link', link: 'live' });
  }
  tell(event: Happening): this {
    return this.#take(happen(this.state, event));
  }
  keys(...names: string[]): this {
    for (const name of names) this.#take(press(this.state, { name, ...(name.length === 1 && { text: name }) }));
    return this;
  }
  text(text: string): this {
    return this.keys(...text);
  }
  paste(text: string): this {
    this.state = paste(this.state, text);
    return this;
  }
  later(ms: number): this {
    return this.tell({ type: 'tick', nowMs: this.state.nowMs + ms });
  }
  settle(askId: string, more: object = {}): this {
    const answer = {
      outcome: 'answered',
      behavior: 'deny',
      answered_by: 'alice',
      surface: 'web',
      answered_at_ms: NOW,
    } as const;
    return this.tell({ type: 'settled', askId, answer: { ...answer, ...more } });
  }
  screen(): string[] {
    return view(this.state).lines.map((of) => plain(of).trimEnd());
  }
  shown(): string {
    return this.screen().join('\n');
  }
  sent(): unknown[] {
    return this.effects.flatMap((e) => ('resolution' in e ? [e.resolution] : []));
  }
  #take({ state, effects }: { state: State; effects: readonly Effect[] }): this {
    this.state = state;
    this.effects.push(...effects);
    return this;
  }
}

describe('the list', () => {
  it('shows every ask with its age and what it is, and the selected one below', () => {
    const inbox = new Inbox([approval('ask_1'), question('ask_2')]);
    expect(inbox.shown()).toMatch(
      /^Holdpoint {2}2 waiting +● live\n›! {2}1m Bash: rm -rf build +nightly\n \? 50s Where to\? +nightly\n─+\n/,
    );
    expect(inbox.shown()).toMatch(/Allow Bash\?\n\n\$ rm -rf build\n/);
    expect(inbox.keys('j').shown()).toMatch(/Where to\?\n 1\. Staging\n 2\. Production {2}prod {2}\(recommended\)\n/);
    expect(inbox.keys('k', 'k').state.selectedId).toBe('ask_1');
    expect(inbox.keys('G').state.selectedId).toBe('ask_2');
  });

  it('says what to do when there is nothing', () => {
    expect(new Inbox([]).shown()).toContain('To see some: holdpoint demo');
  });

  it('counts down to a deadline', () => {
    const ask = { ...approval('ask_1'), expires_at_ms: NOW + 245_000 };
    const inbox = new Inbox([ask]);
    expect(inbox.screen()[1]).toMatch(/ 4:05$/);
    expect(inbox.later(5000).screen()[1]).toMatch(/ 4:00$/);
  });

  it('is filtered as one types; Escape clears it', () => {
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
    expect(inbox.keys('/').text('zzz').shown()).toContain('Nothing fits the filter');
  });

  it('grows without moving the selection', () => {
    const inbox = new Inbox([approval('ask_2')]);
    inbox.tell({ type: 'raised', isNews: true, asks: [approval('ask_1', 'first', { created_at_ms: 5 })] });
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.screen().slice(1, 3)).toEqual([expect.stringMatching(/first/), expect.stringMatching(/^›.*rm -rf/)]);
    expect(inbox.effects).toContainEqual({ do: 'bell' });
  });

  it('shows help, and goes back', () => {
    const inbox = new Inbox([approval('ask_1')]);
    expect(inbox.keys('?').shown()).toContain('deny; a reason is asked for');
    expect(inbox.keys('x').shown()).toContain('› '.trim());
  });
});

describe('an approval', () => {
  it('is allowed by a, and the next one is shown', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).keys('a');
    expect(inbox.sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow' }]);
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.screen()[1]).toMatch(/^ …/);
  });

  it('is not allowed by a second a that was on its way when the list moved', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).keys('a', 'a');
    expect(inbox.sent()).toHaveLength(1);
    expect(inbox.shown()).toContain('has just moved');
    expect(inbox.later(400).keys('a').sent()).toHaveLength(2);
  });

  it('is shown whole before it can be allowed', () => {
    const long = Array.from({ length: 40 }, (_, i) => `echo ${i}`).join('\n');
    const inbox = new Inbox([approval('ask_1', long)]).keys('a');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.state.mode.name).toBe('detail');
    expect(inbox.keys('a').sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow' }]);
    const small = new Inbox([approval('ask_1')], { rows: 8 }).keys('a');
    expect(small.sent()).toEqual([]);
    expect(small.keys('a').sent()).toHaveLength(1);
  });

  it('is denied by d with a reason, without one, or not at all', () => {
    const asks = [approval('ask_1'), approval('ask_2')];
    const inbox = new Inbox(asks).keys('d').text('use make');
    expect(inbox.shown()).toContain('Why not? (optional) use make');
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'deny', reason: 'use make' }]);
    expect(new Inbox(asks).keys('d', 'return').sent()).toEqual([{ request_id: 'ask_1', behavior: 'deny' }]);
    expect(new Inbox(asks).keys('d', 'x', 'escape').sent()).toEqual([]);
    expect(new Inbox(asks).keys('return', 'd', 'escape').state.mode.name).toBe('detail');
  });

  it('is changed by e: a lone command as text, anything else as JSON; and allowed only after a look', () => {
    const inbox = new Inbox([approval('ask_1', 'rm -rf /')]).keys('e', 'backspace').text('tmp/x');
    expect(inbox.keys('return').shown()).toMatch(
      /This would run:\n\$ rm -rf tmp\/x\n\nThe agent had asked for:\n\$ rm -rf \//,
    );
    expect(inbox.sent()).toEqual([]);
    expect(inbox.keys('a').sent()).toEqual([
      { request_id: 'ask_1', behavior: 'allow', updated_input: { command: 'rm -rf tmp/x' } },
    ]);
    const other = new Inbox([approval('ask_1', '', { input: { command: 'ls', cwd: '/' } })]).keys('e');
    expect(other.shown()).toContain('{"command":"ls","cwd":"/"}');
    expect(other.keys('backspace', 'return').shown()).toContain('Not usable');
    expect(other.keys('}', 'return', 'escape').sent()).toEqual([]);
  });

  it('is changed in the editor where there is one', () => {
    const inbox = new Inbox([approval('ask_1')], { hasEditor: true }).keys('e');
    expect(inbox.effects).toContainEqual({
      do: 'open_editor',
      ask: expect.anything(),
      input: { command: 'rm -rf build' },
    });
    inbox.tell({ type: 'edited', askId: 'ask_1', input: { command: 'ls' } }).keys('a');
    expect(inbox.sent()).toEqual([{ request_id: 'ask_1', behavior: 'allow', updated_input: { command: 'ls' } }]);
  });

  it('is not decided by pasted text, nor by keys that mean nothing', () => {
    const inbox = new Inbox([approval('ask_1')]).paste('a\nd\n');
    expect(inbox.keys('y', 'A', 'tab', ' ', 'o', 'x').sent()).toEqual([]);
    expect(inbox.keys('d').paste('a\nreason').keys('return').sent()).toEqual([
      { request_id: 'ask_1', behavior: 'deny', reason: 'a reason' },
    ]);
  });

  it('is left alone by q, Ctrl-C and Escape', () => {
    for (const key of ['q', 'ctrl-c']) {
      const inbox = new Inbox([approval('ask_1')]).keys(key);
      expect(inbox.effects).toEqual([{ do: 'quit' }]);
    }
    expect(new Inbox([approval('ask_1')]).keys('d').text('no').keys('ctrl-c').sent()).toEqual([]);
    expect(new Inbox([approval('ask_1')]).keys('return', 'escape', 'escape').effects).toEqual([]);
  });

  it('says why an answer was refused, and can be answered again', () => {
    const inbox = new Inbox([approval('ask_1')])
      .keys('a')
      .tell({ type: 'refused', askId: 'ask_1', text: 'too late: bob' });
    expect(inbox.shown()).toContain('too late: bob');
    expect(inbox.keys('a').sent()).toHaveLength(2);
  });
});

describe('an ask that settles elsewhere', () => {
  it('says who answered, cannot be decided any more, and leaves after a while', () => {
    const inbox = new Inbox([approval('ask_1'), approval('ask_2')]).settle('ask_1');
    expect(inbox.shown()).toContain('denied by alice (web)');
    expect(inbox.keys('a').sent()).toEqual([]);
    expect(inbox.shown()).toContain('It is settled');
    inbox.later(9000);
    expect(inbox.state.entries.map((e) => e.ask.ask_id)).toEqual(['ask_2']);
    expect(inbox.state.selectedId).toBe('ask_2');
    expect(inbox.keys('a').sent()).toEqual([]);
  });

  it('takes away what was being typed about it', () => {
    for (const keys of [['d', 'n'], ['return'], ['e']]) {
      const inbox = new Inbox([approval('ask_1')]).keys(...keys).settle('ask_1');
      expect(inbox.state.mode.name).toBe('detail');
      expect(inbox.shown()).toContain('denied by alice (web)');
      expect(inbox.keys('return', 'a').sent()).toEqual([]);
    }
    const form = new Inbox([question('ask_1')]).keys('return').settle('ask_1');
    expect(form.keys('return').sent()).toEqual([]);
  });

  it('is told once, however often it is heard', () => {
    const inbox = new Inbox([approval('ask_1')]).settle('ask_1').settle('ask_1', { answered_by: 'bob' });
    expect(inbox.shown()).toContain('alice');
    inbox.tell({ type: 'raised', asks: [approval('ask_1')], isNews: true });
    expect(inbox.state.entries).toHaveLength(1);
  });
});

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
