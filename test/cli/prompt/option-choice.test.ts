// Parsing what a person types to choose options: numbers, ids and labels, and never a guess.
import { describe, expect, it } from 'vitest';
import { readChoice } from '../../../src/cli/prompt/option-choice.ts';

const option = (id: string, label: string) => ({ id, label, value: label });
const providers = [option('openai', 'OpenAI'), option('local', 'Local model'), option('none', 'None of them')];
const single = { options: providers, multi_select: false };
const several = { options: providers, multi_select: true };

describe('a typed choice', () => {
  it.each([
    ['', []],
    ['  ', []],
    ['1', ['openai']],
    [' 2 ', ['local']],
    ['#3', ['none']],
    ['openai', ['openai']],
    ['OPENAI', ['openai']],
    ['local model', ['local']],
    ['Local  Model', ['local']],
  ])('"%s" selects one option', (typed, ids) => expect(readChoice(single, typed)).toEqual({ ids }));

  it.each([
    ['1,2', ['openai', 'local']],
    ['1, 2', ['openai', 'local']],
    ['1 2', ['openai', 'local']],
    ['3 1', ['none', 'openai']],
    ['1,1', ['openai']],
    ['openai local model', ['openai', 'local']],
    ['none of them, OpenAI', ['none', 'openai']],
    ['1,2,', ['openai', 'local']],
  ])('"%s" selects several options', (typed, ids) => expect(readChoice(several, typed)).toEqual({ ids }));

  it.each([
    [single, '4', 'not one of the options'],
    [single, '0', 'not one of the options'],
    [single, '01', 'not one of the options'],
    [single, '-1', 'not one of the options'],
    [single, '1 2', 'Only one'],
    [single, 'open', 'not one of the options'],
    [several, '1,moon', '"moon" is not one of the options'],
    [several, ',', 'selects nothing'],
    [single, '\u001b[2J', 'not one of the options'],
  ])('is refused with the reason, case %#', (question, typed, reason) => {
    const read = readChoice(question, typed);
    expect(read).toMatchObject({ refusal: expect.stringContaining(reason) });
    expect('refusal' in read && read.refusal).not.toContain('\u001b');
  });

  it('is refused where a number and a label name different options; # marks a number', () => {
    const sizes = { options: [option('s', '3'), option('m', '2'), option('l', '1')], multi_select: false };
    expect(readChoice(sizes, '1')).toEqual({ refusal: expect.stringMatching(/#1 3 or #3 1/) });
    expect(readChoice(sizes, '#1')).toEqual({ ids: ['s'] });
    expect(readChoice(sizes, '2')).toEqual({ ids: ['m'] });
    expect(readChoice(sizes, 'l')).toEqual({ ids: ['l'] });
  });

  it('prefers an exact id to one that differs by case', () => {
    const cased = { options: [option('a', 'Lower'), option('A', 'Upper')], multi_select: false };
    expect(readChoice(cased, 'A')).toEqual({ ids: ['A'] });
    expect(readChoice(cased, 'a')).toEqual({ ids: ['a'] });
  });
});
