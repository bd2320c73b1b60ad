// Forms of MCP elicitations as questions, and answers as the content of the form: every kind of field, and what a
// question set alone would not catch.
import { describe, expect, it } from 'vitest';
import { contentOfForm, questionsOfForm, readForm } from '../../../src/agents/wire/elicitation-form.ts';
import { checkQuestions, completeQuestions } from '../../../src/core/question.ts';

const form = (properties: object, required: string[] = []) => {
  const read = readForm({ type: 'object', properties, required });
  if (!read) throw new Error('not a form');
  return read;
};
const options = (values: Record<string, string>) => Object.entries(values).map(([label, value]) => ({ label, value }));
const chosen = (question_id: string, ...values: string[]) => ({
  question_id,
  selected_option_ids: values,
  labels: values,
  values,
  text: undefined,
});
const typed = (question_id: string, text: string) => ({
  question_id,
  selected_option_ids: [],
  labels: [],
  values: [],
  text,
});

describe('a form becomes questions', () => {
  it('with every kind of field', () => {
    const questions = questionsOfForm(
      form(
        {
          name: { type: 'string', title: 'Name', description: 'Who are you?', default: 'lead' },
          age: { type: 'integer', minimum: 1, maximum: 150 },
          sure: { type: 'boolean', default: true },
          where: { type: 'string', enum: ['eu', 'us'], enumNames: ['Europe', 'America'], default: 'us' },
          size: {
            type: 'string',
            oneOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
          extras: {
            type: 'array',
            items: {
              anyOf: [
                { const: 'a', title: 'A' },
                { const: 'b', title: 'B' },
              ],
            },
            default: ['b'],
          },
        },
        ['name', 'where'],
      ),
    );
    expect(questions).toMatchObject([
      { id: 'name', header: 'Name', question: 'Who are you?', required: true, default: 'lead' },
      { id: 'age', question: 'age', required: false, placeholder: 'a whole number from 1 to 150' },
      {
        id: 'sure',
        options: options({ Yes: 'true', No: 'false' }),
        default: 'option-1',
        allow_other: false,
      },
      {
        id: 'where',
        options: options({ Europe: 'eu', America: 'us' }),
        default: 'option-2',
        required: true,
      },
      { id: 'size', options: [{ label: 'Small' }, { label: 'Large' }], multi_select: false },
      { id: 'extras', multi_select: true, default: ['option-2'] },
    ]);
    expect(checkQuestions(completeQuestions(questions))).toBeUndefined();
  });

  it('also where two choices have the same title', () => {
    const same = {
      type: 'string',
      oneOf: [
        { const: 'a', title: 'Same' },
        { const: 'b', title: 'same' },
      ],
    };
    const [question] = questionsOfForm(form({ same }));
    expect(question?.options?.map((o) => o.label)).toEqual(['a', 'b']);
  });

  it.each([
    undefined,
    null,
    7,
    {},
    { type: 'object' },
    { type: 'object', properties: { x: { type: 'object' } } },
    { type: 'object', properties: { x: { type: 'array', items: { type: 'string' } } } },
  ])('but not %j', (schema) => expect(readForm(schema)).toBeUndefined());
});

describe('answers become the content', () => {
  const fields = form({
    name: { type: 'string', minLength: 2, maxLength: 5 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 1 },
    share: { type: 'number', maximum: 1 },
    sure: { type: 'boolean' },
    where: { type: 'string', enum: ['eu', 'us'] },
    extras: { type: 'array', maxItems: 1, items: { enum: ['a', 'b'] } },
  });

  it('with the types of the form; what was skipped is left out', () => {
    const answers = [
      typed('name', 'lead'),
      typed('age', ' 7 '),
      typed('share', '0.5'),
      chosen('sure', 'false'),
      chosen('where', 'eu'),
      chosen('extras', 'b'),
    ];
    expect(contentOfForm(fields, { answers })).toEqual({
      name: 'lead',
      age: 7,
      share: 0.5,
      sure: false,
      where: 'eu',
      extras: ['b'],
    });
  });

  it.each([
    [typed('name', 'a'), '“name” has 2 to 5 characters.'],
    [typed('mail', 'nobody'), '“mail” is no valid email.'],
    [typed('age', 'seven'), '“age” needs a whole number from 1.'],
    [typed('age', '7.5'), '“age” needs a whole number from 1.'],
    [typed('age', '0'), '“age” must be a whole number from 1.'],
    [typed('share', '1e999'), '“share” needs a number to 1.'],
    [chosen('extras', 'a', 'b'), '“extras” takes 0 to 1 of its options.'],
  ])('%j is told to the person: %s', (answer, problem) => {
    expect(contentOfForm(fields, { answers: [answer] })).toBe(problem);
  });
});
