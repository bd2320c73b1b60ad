// Forms as models write them, read leniently and judged strictly. Every case is in form-input-cases.json: either the
// questions a page may trust, or the message that tells the model what to correct. `$repeat` and `$long` stand for what
// would be long to write out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formQuestions, RenderPayload, renderPayload } from '../../src/core/form.ts';
import { type FormQuestion, readForm } from '../../src/core/form-input.ts';
import { checkQuestions, completeQuestions, QuestionInputs } from '../../src/core/question.ts';

type Outcome = string | number | Record<string, unknown>[];
const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'form-input-cases.json'), 'utf8')) as [
  name: string,
  given: unknown,
  outcome: Outcome,
][];

const spelledOut = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(spelledOut);
  if ('$long' in value) return 'x'.repeat(Number(value.$long));
  if (!('$repeat' in value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, spelledOut(v)]));
  const { $repeat, of } = value as unknown as { $repeat: number; of: unknown };
  return Array.from({ length: $repeat }, (_, i) => JSON.parse(JSON.stringify(of).replaceAll('$', String(i))));
};

const whole = (question: Record<string, unknown>) => ({
  input_type: question.options ? 'choice' : 'text',
  multi_select: false,
  required: true,
  default: null,
  placeholder: null,
  ...question,
  options: (question.options as unknown[] | undefined)?.map(optionOf) ?? null,
});
function optionOf(option: unknown) {
  if (typeof option === 'string') return { label: option, value: option, recommended: false };
  if (Array.isArray(option)) return { label: option[0], value: option[1], recommended: false };
  return option;
}

describe('a form as a model wrote it', () => {
  it('has a corpus of at least 60 distinct cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
  });

  it.each(cases)('reads a form of a model: %s', (_, given, outcome) => {
    const read = readForm(spelledOut(given));
    if (typeof outcome === 'string') {
      expect(read).toMatchObject({ code: 'invalid_interactive_form' });
      const { detail } = read as { detail: string };
      expect(detail).toContain(outcome);
      expect(detail).toMatch(/^Nobody was asked\. .* call interactive_form_question again\.$/);
      return;
    }
    if (typeof outcome === 'number') return expect(read).toHaveLength(outcome);
    expect(read).toEqual(outcome.map(whole));
  });
});

const PLACE = { task_id: 1, subtask_id: 2 };
const shown = (form: FormQuestion[]) =>
  renderPayload('ask_1', { questions: completeQuestions(formQuestions(form)) }, PLACE);

const word = fc.oneof(
  fc.string(),
  fc.constantFrom('text', 'choice', 'checkbox', 'choice(question(x))', 'Q?', 'a', 'A'),
);
const question = fc.dictionary(
  fc.constantFrom('id', 'question', 'title', 'input_type', 'type', 'options', 'multi_select', 'default', 'required'),
  fc.oneof(word, fc.boolean(), fc.jsonValue(), fc.array(fc.oneof(word, fc.record({ label: word, value: word })))),
);
const likely = fc.tuple(question, fc.uuid()).map(([fields, id]) => ({ ...fields, id, question: 'Q?' }));
const sound = fc.record(
  {
    id: fc.nat(),
    prompt: fc.constantFrom('Q?', ' Which one? '),
    inputType: fc.constantFrom('choice', 'checkbox', 'Radio Group', 'wheel', undefined),
    options: fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 50 }),
    multi: fc.boolean(),
    default: fc.constantFrom('1', ['1'], 1, null, ''),
  },
  { requiredKeys: ['id', 'prompt'] },
);
const anything = fc.oneof(
  fc.jsonValue(),
  fc.record({ questions: fc.oneof(fc.jsonValue(), fc.array(question, { maxLength: 4 })) }),
  fc.record({ questions: fc.array(likely, { minLength: 1, maxLength: 4 }) }),
  fc.record({ questions: fc.uniqueArray(sound, { minLength: 1, maxLength: 20, selector: ({ id }) => id }) }),
);

describe('any input of a model', () => {
  it('is refused with a message, or becomes questions that the page, the ask and the reader itself accept', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anything, (given) => {
        const read = readForm(given);
        if ('code' in read) {
          expect(read.detail.length).toBeGreaterThan(40);
          return;
        }
        accepted += 1;
        const inputs = QuestionInputs.parse(formQuestions(read));
        expect(checkQuestions(completeQuestions(inputs))).toBeUndefined();
        const payload = shown(read);
        expect(RenderPayload.parse(payload)).toEqual(payload);
        expect(payload.questions).toEqual(read);
        expect(readForm(payload)).toEqual(read);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
