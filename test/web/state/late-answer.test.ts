// The answer to an expired question, as the task of a new run.
import { expect, it } from 'vitest';
import { lateAnswerText } from '../../../web/src/state/late-answer.ts';

it('names every question that was asked, and the answer', () => {
  const text = lateAnswerText([{ question: 'Where to?' }, { question: 'When?' }], 'staging, now');
  expect(text).toMatch(/“Where to\?”\n“When\?”.*expired.*staging, now/s);
});
