// Tests the answers to a set of questions: what is preselected, chosen, typed, saved as a draft and sent.
import { describe, expect, it } from 'vitest';
import {
  answersOf,
  choose,
  draftOf,
  fieldOf,
  missing,
  openForm,
  toggleOther,
  withDraft,
  write,
} from '../../../web/src/state/answer-form.ts';
import { asked, options } from '../../client/asks.ts';

const target = asked({ id: 'target', options: options('staging', 'production') });
const checks = asked({ id: 'checks', multi_select: true, required: false, options: options('lint', 'test', 'types') });
const note = asked({ id: 'note', required: false });
const key = asked({ id: 'key', secret: true });

describe('a new form', () => {
  it('has the recommended options selected, or the first where one may be chosen', () => {
    const both = target.options.map((o) => ({ ...o, recommended: true }));
    expect(fieldOf(openForm([{ ...target, options: both }]), 'target').chosen).toEqual(['staging']);
    const several = checks.options.map((o, i) => ({ ...o, recommended: i > 0 }));
    expect(fieldOf(openForm([{ ...checks, options: several }]), 'checks').chosen).toEqual(['test', 'types']);
  });

  it('prefers a default to a recommendation, and has it as the text where there are no options', () => {
    const [first, second] = target.options;
    if (!first || !second) throw new Error('no options');
    const form = openForm([
      { ...target, default: 'production', options: [{ ...first, recommended: true }, second] },
      { ...note, default: 'as always' },
    ]);
    expect(answersOf([target, note], form)).toEqual([
      { question_id: 'target', selected_option_ids: ['production'] },
      { question_id: 'note', freeform_answer: 'as always' },
    ]);
  });
});

describe('answers', () => {
  it('hold the last option, or several where a second choice removes one', () => {
    let form = openForm([target, checks]);
    form = choose(choose(form, target, 'staging'), target, 'production');
    form = choose(choose(choose(form, checks, 'lint'), checks, 'test'), checks, 'lint');
    expect(answersOf([target, checks], form)).toEqual([
      { question_id: 'target', selected_option_ids: ['production'] },
      { question_id: 'checks', selected_option_ids: ['test'] },
    ]);
  });

  it('hold a text instead of the option, or beside several', () => {
    let form = choose(choose(openForm([target, checks]), target, 'staging'), checks, 'lint');
    form = write(write(form, target, ' moon '), checks, 'spelling');
    expect(answersOf([target, checks], form)).toEqual([
      { question_id: 'target', freeform_answer: 'moon' },
      { question_id: 'checks', selected_option_ids: ['lint'], freeform_answer: 'spelling' },
    ]);
    // The text stays in its field when an option is chosen again, and is not sent.
    form = choose(form, target, 'staging');
    expect(fieldOf(form, 'target').text).toBe(' moon ');
    expect(answersOf([target], form)).toEqual([{ question_id: 'target', selected_option_ids: ['staging'] }]);
    expect(answersOf([target], toggleOther(form, target, true))).toEqual([
      { question_id: 'target', freeform_answer: 'moon' },
    ]);
  });

  it('hold a secret to the letter, and no blank text', () => {
    expect(answersOf([key], write(openForm([key]), key, ' s '))).toEqual([
      { question_id: 'key', freeform_answer: ' s ' },
    ]);
    expect(answersOf([note], write(openForm([note]), note, ' \n'))).toEqual([]);
  });

  it('are all reported at once where they are missing', () => {
    const form = openForm([target, note, key]);
    expect([...missing([target, note, key], form).keys()]).toEqual(['target', 'key']);
    expect(missing([target], choose(form, target, 'staging')).size).toBe(0);
  });
});

describe('a draft of answers', () => {
  it('holds what was changed, without secrets', () => {
    const form = write(write(openForm([target, note, key]), note, 'half a sen'), key, 'hunter2');
    const draft = draftOf([target, note, key], form);
    expect(draft).toEqual([{ question_id: 'note', selected_option_ids: [], freeform_answer: 'half a sen' }]);
    expect(JSON.stringify(draft)).not.toContain('hunter2');
  });

  it('restores the answers that it was made from', () => {
    const form = choose(write(openForm([target, checks, note]), note, 'x'), checks, 'lint');
    const again = withDraft(
      [target, checks, note],
      openForm([target, checks, note]),
      draftOf([target, checks, note], form),
    );
    expect(answersOf([target, checks, note], again)).toEqual(answersOf([target, checks, note], form));
  });

  it('replaces nothing that was typed here, and adds nothing that is not asked', () => {
    const mine = write(openForm([note, target]), note, 'mine');
    const saved = [
      { question_id: 'note', freeform_answer: 'theirs' },
      { question_id: 'target', selected_option_ids: ['production', 'mars'] },
      { question_id: 'gone', freeform_answer: 'x' },
      { question_id: 'key', freeform_answer: 'smuggled' },
    ];
    const merged = withDraft([note, target, key], mine, saved);
    expect(fieldOf(merged, 'note').text).toBe('mine');
    expect(fieldOf(merged, 'target').chosen).toEqual(['production']);
    expect(fieldOf(merged, 'key').text).toBe('');
  });
});
