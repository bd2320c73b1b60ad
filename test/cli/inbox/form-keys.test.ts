// Answering questions in the inbox by keys.
// Covers: src/cli/inbox/form.ts, src/cli/inbox/text-field.ts
import { describe, expect, it } from 'vitest';
import { Inbox, KEY, question, WHERE, WHICH, WHY } from './test-bed.ts';

describe('a question in the inbox', () => {
  it('is answered with the option under the cursor, which starts on the recommended one', () => {
    expect(new Inbox([question('ask_1')]).open().keys('return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['prod'] }] },
    ]);
    expect(new Inbox([question('ask_1')]).open().keys('up', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['staging'] }] },
    ]);
    expect(new Inbox([question('ask_1')]).open().keys('1', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['staging'] }] },
    ]);
  });

  it('is not answered by an Enter that is held down', () => {
    const inbox = new Inbox([question('ask_1')]).keys('return', 'return').later(300).keys('return').later(300);
    expect(inbox.keys('return').sent()).toEqual([]);
    expect(inbox.later(400).keys('return').sent()).toHaveLength(1);
  });

  it('takes letters as the beginning of a text, never as a move', () => {
    const inbox = new Inbox([question('ask_1')]).open().text('kind of').keys('return');
    expect(inbox.sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', freeform_answer: 'kind of' }] },
    ]);
    const listed = new Inbox([question('ask_1', { ...WHERE, allow_other: false })]).open().text('kkd');
    expect(listed.shown()).toContain('Only the listed options are accepted.');
    expect(listed.keys('return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', selected_option_ids: ['prod'] }] },
    ]);
  });

  it('is answered with a typed text by o', () => {
    const inbox = new Inbox([question('ask_1')]).keys('o').text('the moon');
    expect(inbox.shown()).toContain('Other: the moon');
    expect(inbox.keys('return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'where', freeform_answer: 'the moon' }] },
    ]);
  });

  it('takes several options by space and numbers, and requires one', () => {
    const inbox = new Inbox([question('ask_1', WHICH)]).open().keys('tab');
    expect(inbox.shown()).toContain('Choose an option');
    expect(inbox.keys('1', 'down', ' ').shown()).toMatch(/\[x\] 1\. Staging\n.*\[x\] 2\. Production/);
    expect(inbox.keys('1', 'return').sent()).toEqual([
      { request_id: 'ask_1', answers: [{ question_id: 'which', selected_option_ids: ['prod'] }] },
    ]);
  });

  it('is reviewed before it is sent when it has several questions; optional ones may be skipped', () => {
    const inbox = new Inbox([question('ask_1', WHERE, WHY, KEY)]).open().keys('return');
    expect(inbox.shown()).toContain('2 of 3');
    inbox.keys('return', 'return');
    expect(inbox.shown()).toContain('An answer is required.');
    inbox.text('hunter2');
    expect(inbox.shown()).not.toContain('hunter2');
    expect(inbox.shown()).toContain('•••••••');
    expect(inbox.keys('return').shown()).toMatch(/Your answers\n\n.*: Production\n.*: \(skipped\)\n.*: \(secret\)/);
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

  it('is declined by d, and left unanswered by Escape', () => {
    expect(new Inbox([question('ask_1')]).keys('d').text('you').keys('return').sent()).toEqual([
      { request_id: 'ask_1', declined: true, justification: 'you' },
    ]);
    const left = new Inbox([question('ask_1')]).keys('return', '1', 'escape');
    expect(left.sent()).toEqual([]);
    expect(left.state.mode.name).toBe('list');
    expect(new Inbox([question('ask_1')]).keys('return', 'd', 'escape').state.mode.name).toBe('form');
  });

  it('takes no typed text where only options are allowed', () => {
    const only = new Inbox([question('ask_1', { ...WHERE, allow_other: false })]).keys('o');
    expect(only.shown()).toContain('Only the listed options are accepted.');
    expect(only.shown()).not.toContain('Other');
  });
});
