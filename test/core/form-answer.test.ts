// The answer to a form as a page sends it: values and labels become options, everything else is free text.
import { describe, expect, it } from 'vitest';
import { formQuestions } from '../../src/core/form.ts';
import { checkFormAnswer, readAnswers } from '../../src/core/form-answer.ts';
import { type FormQuestion, readForm } from '../../src/core/form-input.ts';
import { completeQuestions } from '../../src/core/question.ts';

const asked = (given: unknown): FormQuestion[] => {
  const read = readForm(given);
  if ('code' in read) throw new Error(read.detail);
  return read;
};

describe('values of a form', () => {
  const questions = completeQuestions(
    formQuestions(
      asked({
        questions: [
          { id: 'one', question: '1?', options: [{ label: 'Red', value: 'r' }, 'Blue'] },
          { id: 'many', question: '2?', multi: true, options: ['A', 'B'] },
          { id: 'text', question: '3?', required: false },
        ],
      }),
    ),
  );
  const read = (answers: Record<string, unknown>) => readAnswers(questions, answers);

  it.each<[string, Record<string, unknown>, unknown]>([
    ['by value', { one: 'r' }, [{ question_id: 'one', selected_option_ids: ['option-1'] }]],
    ['by label', { one: 'Red' }, [{ question_id: 'one', selected_option_ids: ['option-1'] }]],
    ['free text', { one: 'green' }, [{ question_id: 'one', freeform_answer: 'green' }]],
    ['in a list', { many: ['B', 'A'] }, [{ question_id: 'many', selected_option_ids: ['option-2', 'option-1'] }]],
    ['both', { many: ['A', 'z'] }, [{ question_id: 'many', selected_option_ids: ['option-1'], freeform_answer: 'z' }]],
    ['left out', { text: '' }, []],
    ['nothing said where something must be', { one: '' }, [{ question_id: 'one', freeform_answer: '' }]],
    ['an unknown question', { nope: 'x' }, [{ question_id: 'nope', freeform_answer: 'x' }]],
  ])('reads a value of a form: %s', (_, answers, expected) => expect(read(answers)).toEqual(expected));

  it.each([1, true, null, {}, [1], [['A']]])('refuses %j as a value of a form', (value) =>
    expect(read({ one: value })).toMatchObject({ code: 'invalid_interactive_form_answer' }),
  );
});

describe('the owner of a form', () => {
  const given = { type: 'interactive_form_question', tool_use_id: 'toolu_1', status: 'answered' } as const;
  const check = (more: object) => checkFormAnswer({ ...given, ...more }, 'toolu_1', { task_id: 1, subtask_id: 'b' });

  it.each([{}, { task_id: 1 }, { task_id: '1', subtask_id: 'b' }])('is matched by %j', (more) =>
    expect(check(more)).toBeUndefined(),
  );

  it.each([{ task_id: 2 }, { subtask_id: 'a' }])('is not matched by %j', (more) =>
    expect(check(more)).toMatchObject({ code: 'interactive_form_tool_mismatch' }),
  );
});
