// Prompts at a terminal, driven by keys: the answer is what the person chose, and leaving in any way (Ctrl-C, Escape, an
// answer given elsewhere) answers nothing.
// Covers: src/cli/prompt/choice-keys.ts
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { promptApproval, promptQuestions } from '../../../src/cli/prompt/ask-prompt.ts';
import { completeQuestions, type QuestionInput } from '../../../src/core/question.ts';
import type { ApprovalRequest, UserQuestionRequest } from '../../../src/core/views.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';
const ENTER = '\r';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ESCAPE = '\u001b';
const SPACE = ' ';

/** A terminal on which each key is pressed when the prompt has drawn what came of the one before. */
function terminal(keys: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 });
  const stop = new AbortController();
  let shown = '';
  output.on('data', (chunk) => {
    shown += chunk;
    setTimeout(() => {
      const key = keys.shift();
      if (key !== undefined) input.write(key);
    }, 5);
  });
  return { on: { input, output, signal: stop.signal }, stop, shown: () => shown };
}

const approval: ApprovalRequest = {
  id: 'ask_1',
  tool_call_id: 't',
  tool_name: 'Bash\u001b[31m',
  input: { command: 'ls \u202e' },
  scope: 'session',
  reason: '',
  digest: 'sha256:x',
  created_at_ms: 1,
};
const questions = (...inputs: QuestionInput[]): UserQuestionRequest => ({
  id: 'ask_1',
  tool_call_id: 't',
  questions: completeQuestions(inputs),
  digest: 'sha256:x',
  created_at_ms: 1,
});
const which: QuestionInput = {
  id: 'q',
  question: 'Which?',
  options: [
    { id: 'a', label: 'A' },
    { id: 'b', label: 'B', recommended: true },
  ],
};

describe('the prompt for an approval', () => {
  it.each([
    ['denies on Enter alone', [ENTER, ENTER], { request_id: 'ask_1', behavior: 'deny' }],
    [
      'denies with the text typed at the choice as the reason',
      [...'no thanks', ENTER],
      { request_id: 'ask_1', behavior: 'deny', reason: 'no thanks' },
    ],
    [
      'denies by a text pasted with its Enter only after another Enter',
      ['hjkl think again\r', ENTER],
      { request_id: 'ask_1', behavior: 'deny', reason: 'hjkl think again' },
    ],
    ['returns nothing after Escape in a reason typed at the choice', ['k', 'k', ESCAPE], undefined],
    ['denies with a reason', [ENTER, 'n', 'o', ENTER], { request_id: 'ask_1', behavior: 'deny', reason: 'no' }],
    ['allows', [UP, UP, ENTER], { request_id: 'ask_1', behavior: 'allow' }],
    [
      'allows the edited input',
      [UP, ENTER, ENTER],
      { request_id: 'ask_1', behavior: 'allow', updated_input: approval.input },
    ],
    ['returns nothing after Ctrl-C', [CTRL_C], undefined],
    ['returns nothing after Escape', [ESCAPE], undefined],
    ['returns nothing after Ctrl-D', [CTRL_D], undefined],
    ['returns nothing after Ctrl-D in a reason that was begun', [ENTER, 'n', CTRL_D], undefined],
    ['returns nothing after Ctrl-C in the reason', [ENTER, CTRL_C], undefined],
    ['returns nothing after Ctrl-C in the edited input', [UP, ENTER, CTRL_C], undefined],
  ])('%s', async (_, keys, expected) => {
    const { on, shown } = terminal(keys);
    expect(await promptApproval(approval, on)).toEqual(expected);
    expect(shown()).not.toContain('Bash\u001b[31m');
    expect(shown()).not.toContain('\u202e');
  });

  it('offers no edit where the caller cannot accept one', async () => {
    const { on, shown } = terminal([UP, ENTER]);
    const expected = { request_id: 'ask_1', behavior: 'allow' };
    expect(await promptApproval({ ...approval, editable: false }, on)).toEqual(expected);
    expect(shown()).not.toContain('Change it');
  });

  it('closes without an answer when the ask settles elsewhere', async () => {
    const { on, stop } = terminal([]);
    const waiting = promptApproval(approval, on);
    setTimeout(() => stop.abort(), 20);
    expect(await waiting).toBeUndefined();
  });
});

describe('the prompt for questions', () => {
  it.each([
    ['selects the recommended option on Enter', [ENTER], [which], [{ question_id: 'q', selected_option_ids: ['b'] }]],
    ['selects another option', [UP, ENTER], [which], [{ question_id: 'q', selected_option_ids: ['a'] }]],
    ['takes a text of its own', [DOWN, ENTER, 'C', ENTER], [which], [{ question_id: 'q', freeform_answer: 'C' }]],
    [
      'takes the text typed at the options',
      [...'kill it', ENTER],
      [which],
      [{ question_id: 'q', freeform_answer: 'kill it' }],
    ],
    [
      'ignores text where only the options are accepted',
      ['kkj\r'],
      [{ ...which, allow_other: false }],
      [{ question_id: 'q', selected_option_ids: ['b'] }],
    ],
    [
      'ignores letters among several options',
      [SPACE, 'aij\r'],
      [{ ...which, multi_select: true }],
      [{ question_id: 'q', selected_option_ids: ['a'] }],
    ],
    [
      'selects several options',
      [SPACE, DOWN, SPACE, ENTER],
      [{ ...which, multi_select: true }],
      [{ question_id: 'q', selected_option_ids: ['a', 'b'] }],
    ],
    [
      'takes a text',
      ['o', 'k', ENTER],
      [{ id: 't', question: 'Text?' }],
      [{ question_id: 't', freeform_answer: 'ok' }],
    ],
    ['skips an optional text', [ENTER], [{ id: 't', question: 'Text?', required: false }], []],
    [
      'takes two answers one after the other',
      [ENTER, 'x', ENTER],
      [which, { id: 't', question: 'Text?' }],
      [
        { question_id: 'q', selected_option_ids: ['b'] },
        { question_id: 't', freeform_answer: 'x' },
      ],
    ],
  ])('%s', async (_, keys, asked, answers) => {
    expect(await promptQuestions(questions(...asked), terminal(keys).on)).toEqual({ request_id: 'ask_1', answers });
  });

  it('returns a refusal to answer', async () => {
    const { on } = terminal([DOWN, DOWN, ENTER]);
    expect(await promptQuestions(questions(which), on)).toEqual({ request_id: 'ask_1', declined: true });
  });

  it('does not echo a secret', async () => {
    const { on, shown } = terminal(['w', 'x', 'z', ENTER]);
    const resolution = await promptQuestions(questions({ id: 's', question: 'Key?', secret: true }), on);
    expect(resolution?.answers).toEqual([{ question_id: 's', freeform_answer: 'wxz' }]);
    expect(shown()).not.toMatch(/[wxz]/);
  });

  it.each([
    ['at the first question', [CTRL_C]],
    ['at the second one: the first is not sent either', [ENTER, CTRL_C]],
  ])('returns no answer after Ctrl-C %s', async (_, keys) => {
    const { on } = terminal(keys);
    expect(await promptQuestions(questions(which, { id: 't', question: 'Text?' }), on)).toBeUndefined();
  });

  it('returns no answer at the end of input', async () => {
    const { on } = terminal([]);
    const waiting = promptQuestions(questions(which), on);
    setTimeout(() => on.input.end(), 20);
    expect(await waiting).toBeUndefined();
  });
});
