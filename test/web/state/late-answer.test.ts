// The answer to an expired question, as the task of a new run.
import { expect, it } from 'vitest';
import { draftText, lateAnswerText } from '../../../web/src/state/late-answer.ts';
import { asked, options } from '../../client/asks.ts';

it('names every question that was asked, and the answer', () => {
  const text = lateAnswerText([{ question: 'Where to?' }, { question: 'When?' }], 'staging, now');
  expect(text).toMatch(/“Where to\?”\n“When\?”.*expired.*staging, now/s);
});

it('begins with what the draft had chosen and typed', () => {
  const where = asked({ id: 'where', options: options('Staging', 'Production') });
  const chosen = { question_id: 'where', selected_option_ids: ['Production'] };
  expect(draftText([where], [{ ...chosen, freeform_answer: 'at night' }])).toBe('Production, at night');
  const when = asked({ id: 'when', header: 'Time' });
  const typed = { question_id: 'when', freeform_answer: 'now' };
  expect(draftText([where, when], [chosen, typed])).toBe('Target: Production\nTime: now');
  expect(draftText([where, when], [typed])).toBe('Time: now');
});
