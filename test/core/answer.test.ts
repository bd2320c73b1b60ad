// The validation of answers: every refusal code, and above all the order of checks. The documented order is written down
// here a second time, as a list of all faults of an answer with their rank; the first of them must be the one returned.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAnswers, type QuestionAnswer, QuestionResolution, summarise } from '../../src/core/answer.ts';
import { completeQuestions, type Question, type QuestionInput } from '../../src/core/question.ts';

type Resolution = Omit<QuestionResolution, 'request_id'>;

const CODES = [
  'question_declined_with_answers',
  'question_duplicate_answer',
  'question_answer_missing',
  'question_single_select_violation',
  'question_duplicate_option',
  'question_option_not_found',
  'question_answer_empty',
  'question_unknown_answer',
];

const set = (...inputs: Partial<QuestionInput>[]) =>
  completeQuestions(inputs.map((input) => ({ question: 'Which?', ...input })));
const options = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B' },
];
const one = set({ id: 'q', options });
const many = set({ id: 'q', options, multi_select: true });
const free = set({ id: 'q' });
const answer = (selected_option_ids?: string[], freeform_answer?: string, question_id = 'q'): QuestionAnswer => ({
  question_id,
  ...(selected_option_ids && { selected_option_ids }),
  ...(freeform_answer !== undefined && { freeform_answer }),
});
const codeOf = (questions: Question[], answers: QuestionAnswer[], declined = false) =>
  checkAnswers(questions, { answers, declined })?.code;

describe('checkAnswers', () => {
  it('names a question and an option without ids as they were shown', () => {
    const questions = set({ question: 'Which sizes?', multi_select: true, options: [{ label: 'Small' }] });
    const twice = [answer(['option-1', 'option-1'], undefined, 'question-1')];
    expect(checkAnswers(questions, { answers: twice })).toMatchObject({
      detail: 'Question "Which sizes?": option "Small" was selected twice.',
      more: { question_id: 'question-1' },
    });
  });

  it.each<[string, Question[], QuestionAnswer[]]>([
    ['one option', one, [answer(['a'])]],
    ['several options of a multi select', many, [answer(['b', 'a'])]],
    ['free text beside options', one, [answer(['a'], 'and more')]],
    ['free text instead of an option', one, [answer(undefined, 'neither')]],
    ['the text "0"', free, [answer([], '0')]],
    ['the text "false"', free, [answer(undefined, 'false')]],
    ['nothing, where nothing is required', set({ id: 'q', required: false }), []],
    [
      'the same option id in two questions',
      set({ id: 'p', options }, { id: 'q', options }),
      [answer(['a']), answer(['a'], undefined, 'p')],
    ],
  ])('accepts %s', (_, questions, answers) => expect(codeOf(questions, answers)).toBeUndefined());

  it.each<[code: string, what: string, Question[], QuestionAnswer[]]>([
    ['question_duplicate_answer', 'the same question twice', one, [answer(['a']), answer(['a'])]],
    ['question_answer_missing', 'no answer to a required question', one, []],
    ['question_single_select_violation', 'two options on single select', one, [answer(['a', 'b'])]],
    ['question_single_select_violation', 'one option twice on single select', one, [answer(['a', 'a'])]],
    ['question_duplicate_option', 'one option twice on multi select', many, [answer(['a', 'b', 'a'])]],
    ['question_option_not_found', 'an unknown option', one, [answer(['c'])]],
    ['question_option_not_found', 'a label instead of an id', one, [answer(['A'])]],
    ['question_option_not_found', 'an option where there are none', free, [answer(['a'])]],
    [
      'question_option_not_found',
      'free text where only options are allowed',
      set({ id: 'q', options, allow_other: false }),
      [answer(['a'], 'or c')],
    ],
    ['question_answer_empty', 'neither option nor text', one, [answer()]],
    ['question_answer_empty', 'empty lists and texts', one, [answer([], '')]],
    ['question_answer_empty', 'white space alone', free, [answer([], ' \t\n\u00a0\u2003')]],
    ['question_answer_empty', 'an empty answer to an optional question', set({ id: 'q', required: false }), [answer()]],
    [
      'question_unknown_answer',
      'an answer to another question',
      one,
      [answer(['a']), answer(['a'], undefined, 'other')],
    ],
  ])('refuses with %s: %s', (code, _, questions, answers) => expect(codeOf(questions, answers)).toBe(code));

  it('accepts a declined resolution without answers and refuses one with answers', () => {
    expect(codeOf(one, [], true)).toBeUndefined();
    expect(checkAnswers(one, { declined: true })).toBeUndefined();
    expect(codeOf(one, [answer(['a'])], true)).toBe('question_declined_with_answers');
  });

  it('reports the first bad option in the order given', () => {
    expect(codeOf(many, [answer(['x', 'a', 'a'])])).toBe('question_option_not_found');
    expect(codeOf(many, [answer(['a', 'a', 'x'])])).toBe('question_duplicate_option');
    expect(codeOf(many, [answer(['x', 'x'])])).toBe('question_option_not_found');
  });

  it('checks the questions in the order they were asked, not in the order of the answers', () => {
    const two = set({ id: 'p', options }, { id: 'q', options });
    expect(codeOf(two, [answer(['a', 'b']), answer(['x'], undefined, 'p')])).toBe('question_option_not_found');
    expect(codeOf(two, [answer(['x'])])).toBe('question_answer_missing');
  });
});

describe('the order of checks', () => {
  it('returns the first fault in the documented order, for any question set and any answer', () => {
    fc.assert(
      fc.property(anyQuestions(), anyResolution(), (questions, resolution) => {
        expect(checkAnswers(questions, resolution)?.code).toBe(firstFault(questions, resolution));
      }),
      { numRuns: 3000 },
    );
  });

  it('generates every refusal code and answers with several faults for the property above', () => {
    const seen = new Set<string>();
    let mixed = 0;
    for (const [questions, resolution] of fc.sample(fc.tuple(anyQuestions(), anyResolution()), {
      numRuns: 3000,
      seed: 7,
    })) {
      const all = new Set(faults(questions, resolution).map((f) => f.code));
      const first = firstFault(questions, resolution);
      if (first) seen.add(first);
      if (all.size > 2) mixed += 1;
    }
    expect([...seen].sort()).toEqual([...CODES].sort());
    expect(mixed).toBeGreaterThan(300);
  });

  it('does not modify the question set or the answer', () => {
    fc.assert(
      fc.property(anyQuestions(), anyResolution(), (questions, resolution) => {
        const before = structuredClone({ questions, resolution });
        checkAnswers(questions, resolution);
        expect({ questions, resolution }).toEqual(before);
      }),
    );
  });
});

describe('the shape of a resolution', () => {
  it('refuses unknown fields, and free text that is not a string', () => {
    const parse = (over: object) => QuestionResolution.safeParse({ request_id: 'ask_1', ...over }).success;
    expect(parse({})).toBe(true);
    expect(parse({ answers: [{ question_id: 'q', freeform_answer: 0 }] })).toBe(false);
    expect(parse({ answers: [{ question_id: 'q', selected_option_ids: 'a' }] })).toBe(false);
    expect(parse({ answers: [{ question_id: '' }] })).toBe(false);
    expect(parse({ declined: 'no' })).toBe(false);
    expect(parse({ answer: [] })).toBe(false);
  });
});

describe('the summary of an answer', () => {
  it('summarises an answer by its labels, else its text, and never shows a secret', () => {
    const questions = completeQuestions([
      { id: 'p', question: 'Colour?', options },
      { id: 'q', question: 'Why?' },
      { id: 's', question: 'Password?', secret: true },
    ]);
    const text = summarise(questions, [
      answer(undefined, 'because'),
      answer(['b', 'a'], undefined, 'p'),
      answer(undefined, 'hunter2', 's'),
    ]);
    expect(text).toBe('Colour?: B, A\nWhy?: because\nPassword?: (secret)');
  });
});

interface Fault {
  code: string;
  /** Place in the documented order; compared element by element. */
  place: number[];
}

/** Every fault there is, each found on its own, without regard to the others. */
function faults(questions: Question[], { answers = [], declined }: Resolution): Fault[] {
  if (declined) return answers.length > 0 ? [{ code: 'question_declined_with_answers', place: [0] }] : [];
  const ids = answers.map((a) => a.question_id);
  const found: Fault[] = [];
  if (ids.some((id, i) => ids.indexOf(id) !== i)) found.push({ code: 'question_duplicate_answer', place: [1] });
  if (ids.some((id) => !questions.some((q) => q.id === id)))
    found.push({ code: 'question_unknown_answer', place: [3] });
  for (const [n, q] of questions.entries()) {
    const mine = answers.find((a) => a.question_id === q.id);
    const fault = (code: string, ...rest: number[]) => found.push({ code, place: [2, n, ...rest] });
    if (!mine && q.required) fault('question_answer_missing', 0);
    if (!mine) continue;
    const chosen = mine.selected_option_ids ?? [];
    const blank = (mine.freeform_answer ?? '').trim() === '';
    if (!q.multi_select && chosen.length > 1) fault('question_single_select_violation', 1);
    for (const [i, id] of chosen.entries()) {
      if (chosen.slice(0, i).includes(id)) fault('question_duplicate_option', 2, i, 0);
      if (!q.options.some((o) => o.id === id)) fault('question_option_not_found', 2, i, 1);
    }
    if (chosen.length === 0 && blank) fault('question_answer_empty', 3);
    if (!blank && !q.allow_other) fault('question_option_not_found', 4);
  }
  return found;
}

function firstFault(questions: Question[], resolution: Resolution): string | undefined {
  const before = (a: number[], b: number[]) => {
    for (const [i, x] of a.entries()) if (x !== b[i]) return x - (b[i] ?? -1);
    return 0;
  };
  return faults(questions, resolution).sort((a, b) => before(a.place, b.place))[0]?.code;
}

function anyQuestions(): fc.Arbitrary<Question[]> {
  const label = fc.constantFrom('a', 'b', 'c');
  const option = label.map((id) => ({ id, label: id }));
  const question = fc.record({
    id: fc.constantFrom('p', 'q', 'r'),
    question: fc.constant('Which?'),
    options: fc.uniqueArray(option, { selector: (o) => o.id, maxLength: 3 }),
    multi_select: fc.boolean(),
    required: fc.boolean(),
    allow_other: fc.boolean(),
  });
  return fc
    .uniqueArray(question, { selector: (q) => q.id, minLength: 1, maxLength: 3 })
    .map((inputs) => completeQuestions(inputs));
}

function anyResolution(): fc.Arbitrary<Resolution> {
  const given = fc.record(
    {
      question_id: fc.constantFrom('p', 'q', 'r', 'r', 'z'),
      selected_option_ids: fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { maxLength: 3 }),
      freeform_answer: fc.constantFrom('', ' \n', '0', 'false', 'text'),
    },
    { requiredKeys: ['question_id'] },
  );
  return fc.record(
    { answers: fc.array(given, { maxLength: 4 }), declined: fc.constantFrom(false, false, false, true) },
    { requiredKeys: [] },
  );
}
