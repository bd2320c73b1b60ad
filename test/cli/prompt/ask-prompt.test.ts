// Prompts at a terminal, with keys sent to them: what a person chooses is what is sent, and leaving in any way
// (Ctrl-C, Escape, an answer given elsewhere) sends nothing.
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

describe('an approval', () => {
  it.each([
    ['Enter alone denies', [ENTER, ENTER], { request_id: 'ask_1', behavior: 'deny' }],
    ['denied with a reason', [ENTER, 'n', 'o', ENTER], { request_id: 'ask_1', behavior: 'deny', reason: 'no' }],
    ['allowed', [UP, UP, ENTER], { request_id: 'ask_1', behavior: 'allow' }],
    [
      'allowed as it was changed',
      [UP, ENTER, ENTER],
      { request_id: 'ask_1', behavior: 'allow', updated_input: approval.input },
    ],
    ['left by Ctrl-C', [CTRL_C], undefined],
    ['left by Escape', [ESCAPE], undefined],
    ['left by Ctrl-D', [CTRL_D], undefined],
    ['left by Ctrl-D at the reason, though something was typed', [ENTER, 'n', CTRL_D], undefined],
    ['left by Ctrl-C at the reason', [ENTER, CTRL_C], undefined],
    ['left by Ctrl-C at the change', [UP, ENTER, CTRL_C], undefined],
  ])('%s', async (_, keys, expected) => {
    const { on, shown } = terminal(keys);
    expect(await promptApproval(approval, on)).toEqual(expected);
    expect(shown()).not.toContain('Bash\u001b[31m');
    expect(shown()).not.toContain('\u202e');
  });

  it('settled elsewhere: the prompt goes away without an answer', async () => {
    const { on, stop } = terminal([]);
    const waiting = promptApproval(approval, on);
    setTimeout(() => stop.abort(), 20);
    expect(await waiting).toBeUndefined();
  });
});

describe('questions', () => {
  it.each([
    ['the recommended one is where Enter is', [ENTER], [which], [{ question_id: 'q', selected_option_ids: ['b'] }]],
    ['another one', [UP, ENTER], [which], [{ question_id: 'q', selected_option_ids: ['a'] }]],
    ['something else', [DOWN, ENTER, 'C', ENTER], [which], [{ question_id: 'q', freeform_answer: 'C' }]],
    [
      'several',
      [SPACE, DOWN, SPACE, ENTER],
      [{ ...which, multi_select: true }],
      [{ question_id: 'q', selected_option_ids: ['a', 'b'] }],
    ],
    ['text', ['o', 'k', ENTER], [{ id: 't', question: 'Text?' }], [{ question_id: 't', freeform_answer: 'ok' }]],
    ['text that is not needed', [ENTER], [{ id: 't', question: 'Text?', required: false }], []],
    [
      'two of them',
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

  it('declined', async () => {
    const { on } = terminal([DOWN, DOWN, ENTER]);
    expect(await promptQuestions(questions(which), on)).toEqual({ request_id: 'ask_1', declined: true });
  });

  it('a secret is not shown while it is typed', async () => {
    const { on, shown } = terminal(['w', 'x', 'z', ENTER]);
    const resolution = await promptQuestions(questions({ id: 's', question: 'Key?', secret: true }), on);
    expect(resolution?.answers).toEqual([{ question_id: 's', freeform_answer: 'wxz' }]);
    expect(shown()).not.toMatch(/[wxz]/);
  });

  it.each([
    ['at the first question', [CTRL_C]],
    ['at the second one: the first is not sent either', [ENTER, CTRL_C]],
  ])('left by Ctrl-C %s', async (_, keys) => {
    const { on } = terminal(keys);
    expect(await promptQuestions(questions(which, { id: 't', question: 'Text?' }), on)).toBeUndefined();
  });

  it('the end of input is no answer', async () => {
    const { on } = terminal([]);
    const waiting = promptQuestions(questions(which), on);
    setTimeout(() => on.input.end(), 20);
    expect(await waiting).toBeUndefined();
  });
});
