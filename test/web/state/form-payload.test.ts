// Tests how the payload of a form becomes questions, and answers become its reply.
import { describe, expect, it } from 'vitest';
import { answersOf, openForm } from '../../../web/src/state/answer-form.ts';
import { formAnswer, questionsOfPayload } from '../../../web/src/state/form-payload.ts';

describe('a form', () => {
  const payload = {
    type: 'interactive_form_question',
    questions: [
      {
        id: 'db',
        question: 'Which?',
        input_type: 'choice',
        options: [{ label: 'Postgres', value: 'pg', recommended: true }],
        multi_select: true,
        required: true,
        default: null,
        placeholder: null,
      },
    ],
  };

  it('has questions only where its payload has the right type and any questions', () => {
    expect(questionsOfPayload(payload)).toMatchObject([{ id: 'db', options: [{ id: 'pg', label: 'Postgres' }] }]);
    for (const other of [undefined, null, 'x', {}, { ...payload, type: 'other' }, { ...payload, questions: [] }])
      expect(questionsOfPayload(other)).toBeUndefined();
  });

  it('is answered by value, with a list where several may be chosen', () => {
    const questions = questionsOfPayload(payload) ?? [];
    const answers = answersOf(questions, openForm(questions));
    expect(formAnswer('toolu_1', questions, answers)).toEqual({
      type: 'interactive_form_question',
      tool_use_id: 'toolu_1',
      answers: { db: ['pg'] },
      status: 'answered',
    });
  });
});
