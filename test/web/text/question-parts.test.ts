// Tests which part of a question is set as its headline.
import { expect, it } from 'vitest';
import { questionParts } from '../../../web/src/text/question-parts.ts';

const LONG = 'The first way keeps the library and works around it. '.repeat(8).trim();

it.each([
  ['Where to?', { lead: '', asked: 'Where to?' }],
  [`${LONG}\n\n- one\n- two\n\nWhich one?`, { lead: `${LONG}\n\n- one\n- two`, asked: 'Which one?' }],
  [`${LONG} Shall I change src/a.ts?`, { lead: LONG, asked: 'Shall I change src/a.ts?' }],
  ['Two lines\nof one question?', { lead: '', asked: 'Two lines\nof one question?' }],
])('splits %j', (text, parts) => {
  expect(questionParts(text)).toEqual(parts);
});

it('sets a long text without a last question as no headline, and drops nothing', () => {
  const text = 'words '.repeat(200);
  expect(questionParts(text)).toEqual({ lead: text, asked: '' });
});
