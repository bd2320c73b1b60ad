// Plain text to an answer: every case of the corpus, and properties that hold for any text.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAnswers } from '../../src/core/answer.ts';
import { completeQuestions, type Question, type QuestionInput } from '../../src/core/question.ts';
import { readAnswers, readApproval } from '../../src/core/reply.ts';

/** A text as it is, or a long one described: `first`, then `repeat` so many `times`, then `last`. */
type Text = string | { first?: string; repeat: string; times: number; last?: string };
type Given = { options: string[] } | { text: Text };
interface Case {
  to: string;
  text: Text;
  expect: 'allow' | 'deny' | { deny: Text } | Given[];
}
interface Corpus {
  questions: Record<string, Omit<QuestionInput, 'question'>[]>;
  cases: Case[];
}

const { questions: sets, cases } = JSON.parse(
  readFileSync(new URL('./reply-cases.json', import.meta.url), 'utf8'),
) as Corpus;
const KINDS = ['approval', ...Object.keys(sets)];

describe('the corpus', () => {
  it('has at least 200 distinct cases that cover every kind of prompt', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ to, text }) => JSON.stringify([to, text]))).size).toBe(cases.length);
    expect(new Set(cases.map(({ to }) => to))).toEqual(new Set(KINDS));
  });

  it.each(KINDS)('reads every case of the corpus as recorded: %s', (kind) => {
    const wrong = cases.filter((one) => one.to === kind).flatMap(faultOf);
    expect(wrong).toEqual([]);
  });

  it('contains every token of the table in several spellings', () => {
    const tokens = { allow: ['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1'] };
    const negative = ['deny', 'denied', 'no', 'n', 'reject', '2'];
    for (const [expected, list] of [...Object.entries(tokens), ['deny', negative] as const])
      for (const token of list) {
        const spelled = cases.filter(
          (one) => one.to === 'approval' && one.expect === expected && textOf(one.text).trim().toLowerCase() === token,
        );
        expect(spelled.length, token).toBeGreaterThanOrEqual(3);
      }
  });
});

const AFFIRMATIVE = /^(approve|approved|yes|y|ok|allow|1)$/;
const asciiLower = (text: string) => [...text].map((c) => (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c)).join('');

/** Texts that come close: tokens and pieces of answers put together, with letters that look or fold alike. */
const near = fc
  .array(
    fc.constantFrom(
      ...['approve', 'approved', 'yes', 'y', 'ok', 'allow', '1', 'YES', 'Ok', 'no', 'deny', '2', '3', '9', '01', '１'],
      ...[' ', '\n', '\r\n', '\t', ',', ';', '.', '!', '\u200b', '\u00a0', '\ufeff', '\u2028', '\0', 'e\u0301', '👍'],
      ...[
        '\u212a',
        '\u0131',
        '\u0130',
        'ſ',
        'ﬁ',
        '1)',
        '2)',
        '3)',
        '1) ',
        '\n2) ',
        'red',
        'Blue',
        'ham, cheese',
        '\ud800',
      ],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const long = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 200 }))
  .map(([unit, times]) => unit.repeat(times).slice(0, 10_000));
const anyText = fc.oneof(
  { weight: 5, arbitrary: near },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: long },
);
const questionInput: fc.Arbitrary<QuestionInput> = fc.record({
  question: fc.constant('Which?'),
  multi_select: fc.boolean(),
  options: fc
    .uniqueArray(fc.constantFrom('red', 'Blue', '2', '10', 'ham, cheese', '1)', 'ok', 'ﬁne', '👍', 'İ', 'yes'), {
      maxLength: 5,
    })
    .map((labels) => labels.map((label) => ({ label }))),
});
const questionSet = fc.array(questionInput, { minLength: 1, maxLength: 4 }).map(completeQuestions);
const RUNS = { numRuns: 2000 };

describe('any text', () => {
  it('allows exactly on an affirmative token, ignoring surrounding blanks and ASCII case', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const isToken = AFFIRMATIVE.test(asciiLower(text.trim()));
        expect(readApproval(text).behavior).toBe(isToken ? 'allow' : 'deny');
      }),
      RUNS,
    );
  });

  it('keeps the text as the reason of a denial, unless it is a plain no', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { behavior, reason } = readApproval(text);
        if (behavior === 'allow') expect(reason).toBeUndefined();
        else expect(reason ?? text.trim()).toBe(text.trim());
        if (reason === undefined) expect(text.trim().length).toBeLessThanOrEqual('approved'.length);
      }),
      RUNS,
    );
  });

  it('answers each question once, in order, with options it has or with text of the reply', () => {
    fc.assert(
      fc.property(questionSet, anyText, (questions, text) => {
        const answers = readAnswers(questions, text);
        expect(answers.map((a) => a.question_id)).toEqual(questions.map((q) => q.id));
        for (const [i, answer] of answers.entries()) {
          const chosen = answer.selected_option_ids;
          expect(chosen === undefined).toBe(answer.freeform_answer !== undefined);
          const known = questions[i]?.options.map((o) => o.id) ?? [];
          expect((chosen ?? []).filter((id) => !known.includes(id))).toEqual([]);
        }
        if (text.trim() !== '') expect(checkAnswers(questions, { answers })).toBeUndefined();
      }),
      RUNS,
    );
  });

  it('keeps every word that no option stands for as free text', () => {
    fc.assert(
      fc.property(questionSet, anyText, (questions, text) => {
        const answers = readAnswers(questions, text);
        const typed = answers.flatMap((a) => a.freeform_answer ?? []).join(' ');
        const stoodFor = questions.flatMap((q, i) => [
          `${i + 1})`,
          ...q.options.flatMap((o, n) => [o.label, `${n + 1}`]),
        ]);
        if (answers.every((a) => a.selected_option_ids === undefined) && questions.length === 1)
          expect(typed).toBe(text.trim());
        for (const word of wordsOf(withoutPrefixes(text))) {
          const isOption = stoodFor.some((s) => s.toLowerCase().includes(word.toLowerCase()));
          expect(isOption || typed.includes(word), JSON.stringify({ word, typed })).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('reads any text, however long, and the same way each time', () => {
    fc.assert(
      fc.property(questionSet, fc.string({ unit: 'binary', maxLength: 10_000, size: 'max' }), (questions, text) => {
        expect(readAnswers(questions, text)).toEqual(readAnswers(questions, text));
        expect(readApproval(text)).toEqual(readApproval(text));
      }),
      { numRuns: 100 },
    );
  });
});

function faultOf({ to, text, expect: expected }: Case): unknown[] {
  const typed = textOf(text);
  const got = to === 'approval' ? approvalOf(typed) : answersOf(completed(to), typed);
  const wanted = Array.isArray(expected)
    ? expected.map((one) => ('text' in one ? { text: textOf(one.text) } : one))
    : typeof expected === 'string'
      ? expected
      : { deny: textOf(expected.deny) };
  return JSON.stringify(got) === JSON.stringify(wanted) ? [] : [{ text: typed.slice(0, 99), got, wanted }];
}

function approvalOf(text: string) {
  const { behavior, reason } = readApproval(text);
  return reason === undefined ? behavior : { [behavior]: reason };
}

const answersOf = (questions: readonly Question[], text: string) =>
  readAnswers(questions, text).map(({ selected_option_ids: options, freeform_answer }) =>
    options ? { options } : { text: freeform_answer },
  );

const completed = (set: string): Question[] =>
  completeQuestions((sets[set] ?? []).map((question) => ({ ...question, question: 'Which?' })));

const textOf = (text: Text): string =>
  typeof text === 'string' ? text : `${text.first ?? ''}${text.repeat.repeat(text.times)}${text.last ?? ''}`;

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** A prefix `N)` names the question and is no part of its answer. */
const withoutPrefixes = (text: string): string => text.replace(/(^|[\r\n])\s*[1-9][0-9]*\)/g, '$1 ');
