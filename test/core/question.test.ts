// Question sets: a loosely written set becomes a complete one deterministically, and an ambiguous one is refused.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkQuestions, completeQuestions, QuestionInput, QuestionInputs } from '../../src/core/question.ts';

const complete = (...inputs: unknown[]) => completeQuestions(inputs.map((input) => QuestionInput.parse(input)));
const refusalOf = (...inputs: unknown[]) => checkQuestions(complete(...inputs));

const DEFAULTS = { multi_select: false, required: true, allow_other: true };

describe('completing a question set', () => {
  it('fills in missing ids, headers, values and flags', () => {
    expect(
      complete({ question: 'Name?' }, { question: 'Colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }),
    ).toEqual([
      {
        id: 'question-1',
        header: 'Question 1',
        question: 'Name?',
        options: [],
        ...DEFAULTS,
      },
      {
        id: 'question-2',
        header: 'Question 2',
        question: 'Colour?',
        ...DEFAULTS,
        options: [
          { id: 'option-1', label: 'Red', value: 'Red' },
          { id: 'option-2', label: 'Blue', value: 'Blue' },
        ],
      },
    ]);
  });

  it('keeps every field that was given', () => {
    const said = {
      id: 'q',
      header: '',
      question: 'Which?',
      options: [{ id: 'o', label: 'One', value: '', description: 'd', preview: 'p', recommended: true }],
      multi_select: true,
      required: false,
      allow_other: false,
      placeholder: 'type',
      default: ['o'],
    };
    expect(complete(said)).toEqual([said]);
  });

  it('completes a set deterministically, and a complete set to itself', () => {
    fc.assert(
      fc.property(fc.array(anyQuestion(), { minLength: 1, maxLength: 5 }), (inputs) => {
        const once = complete(...inputs);
        expect(complete(...inputs)).toEqual(once);
        expect(complete(...once)).toEqual(once);
      }),
    );
  });
});

describe('checking a question set', () => {
  it('accepts exactly the sets whose ids are unique and whose labels differ by more than case', () => {
    fc.assert(
      fc.property(fc.array(anyQuestion(), { minLength: 1, maxLength: 4 }), (inputs) => {
        const questions = complete(...inputs);
        const ambiguous =
          hasRepeat(questions.map((q) => q.id)) ||
          questions.some((q) => hasRepeat(q.options.map((o) => o.id))) ||
          questions.some((q) => hasRepeat(q.options.map((o) => o.label.toLowerCase())));
        expect(checkQuestions(questions)?.code).toBe(ambiguous ? 'invalid_ask' : undefined);
      }),
    );
  });

  it('refuses a default id that collides with a chosen one', () => {
    expect(refusalOf({ id: 'question-2', question: 'a' }, { question: 'b' })?.detail).toContain('question-2');
    const options = [{ id: 'option-2', label: 'a' }, { label: 'b' }];
    expect(refusalOf({ question: 'a', options })?.detail).toContain('option-2');
  });

  it('accepts the same option ids and labels in two questions', () => {
    const options = [{ label: 'Yes' }, { label: 'No' }];
    expect(refusalOf({ question: 'a', options }, { question: 'b', options })).toBeUndefined();
  });

  it('refuses a secret question with options and an option-only question without any', () => {
    expect(refusalOf({ question: 'a', secret: true, options: [{ label: 'x' }] })?.code).toBe('invalid_ask');
    expect(refusalOf({ question: 'a', secret: true })).toBeUndefined();
    expect(refusalOf({ question: 'a', allow_other: false })?.code).toBe('invalid_ask');
    expect(refusalOf({ question: 'a', allow_other: false, options: [{ label: 'x' }] })).toBeUndefined();
  });
});

describe('the shape of a question set', () => {
  const ask = (over: object) => QuestionInputs.safeParse([{ question: 'a', ...over }]).success;

  it('refuses unknown fields and sets over the limits', () => {
    expect(QuestionInputs.safeParse([]).success).toBe(false);
    expect(QuestionInputs.safeParse(Array(20).fill({ question: 'a' })).success).toBe(true);
    expect(QuestionInputs.safeParse(Array(21).fill({ question: 'a' })).success).toBe(false);
    expect(ask({ options: Array(50).fill({ label: 'x' }) })).toBe(true);
    expect(ask({ options: Array(51).fill({ label: 'x' }) })).toBe(false);
    expect(ask({ options: [{ label: 'x'.repeat(4001) }] })).toBe(false);
    expect(ask({ options: [{ label: '  ' }] })).toBe(false);
    expect(ask({ question: ' \n ' })).toBe(false);
    expect(ask({ multiSelect: true })).toBe(false);
    expect(ask({ options: ['plain text'] })).toBe(false);
  });
});

function anyQuestion() {
  const id = fc.constantFrom('a', 'b', 'question-1', 'question-2', 'option-1');
  const label = fc.constantFrom('Red', 'red', 'RED', 'Blue', 'Größe', 'GRÖSSE', '0', 'false');
  const option = fc.record({ id, label, value: fc.string() }, { requiredKeys: ['label'] });
  return fc.record(
    {
      id,
      question: fc.constant('Which?'),
      header: fc.string({ maxLength: 20 }),
      options: fc.array(option, { maxLength: 4 }),
      multi_select: fc.boolean(),
      required: fc.boolean(),
    },
    { requiredKeys: ['question'] },
  );
}

const hasRepeat = (values: string[]) => new Set(values).size < values.length;
