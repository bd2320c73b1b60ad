// `holdpoint questions answer --interactive` in a real pseudo-terminal. Needs python3; without it these tests are skipped
// by name.
// Covers: src/cli/prompt/line-prompt.ts, src/cli/prompt/line-reader.ts
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasPty, KEYS } from '../../support/pty.ts';
import { closeTestBeds, openTestBed, PATIENT, TARGET, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  if (hasPty) bed = await openTestBed();
});
afterEach(() => bed?.clear());
afterAll(closeTestBeds);

const answerOf = async (id: string) => (await bed.client.asks.get(id)).answer;
const statusOf = async (id: string) => (await bed.client.asks.get(id)).status;

describe.skipIf(!hasPty)('questions answer --interactive (needs python3)', PATIENT, () => {
  it('asks question by question, repeats after invalid input, and does not echo secrets', async () => {
    const ask = await (await bed.work()).question('dialogue', {
      questions: [
        { ...TARGET, multi_select: true },
        { id: 'key', question: 'The deploy key?', secret: true },
        { id: 'notes', question: 'Notes?', required: false },
      ],
    });
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive'], { columns: 60 });
    await person.shows(/1 of 3 {2}select any number\nWhere to deploy\?\n 1\. Staging\n 2\. Production/);
    await person.shows('Choose one or more');
    person.type(`moon${KEYS.enter}`);
    await person.shows('"moon" is not one of the options');
    person.type(`2, staging${KEYS.enter}`);
    await person.shows('Anything to add (optional):');
    person.type(KEYS.enter);
    await person.shows('Your answer (not shown):');
    person.type(KEYS.enter);
    await person.shows('Some text is required.');
    person.type(`s3cret${KEYS.enter}`);
    await person.shows('Notes?');
    person.type(KEYS.enter);
    expect(await person.exited).toBe(0);
    expect(person.raw()).not.toContain('s3cret');
    expect((await answerOf(ask.ask_id))?.answers).toEqual([
      { question_id: 'target', selected_option_ids: ['production', 'staging'] },
      { question_id: 'key', secret: true },
    ]);
  });

  it('takes an answer of the person’s own at the choice when it is confirmed', async () => {
    const ask = await (await bed.work()).question('own', { questions: [TARGET] });
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive'], { columns: 100 });
    await person.shows('or type your own answer');
    person.type(`the moon${KEYS.enter}`);
    await person.shows('Enter to send it as your own answer, or choose again');
    person.type(KEYS.enter);
    expect(await person.exited).toBe(0);
    expect((await answerOf(ask.ask_id))?.answers).toEqual([{ question_id: 'target', freeform_answer: 'the moon' }]);
  });

  it.each([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ])('answers nothing on %s, and exits with 8', async (name, keys) => {
    const ask = await (await bed.work()).question(`left ${name}`);
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive']);
    await person.shows('Choose one');
    person.type(`1${KEYS.enter}`);
    await person.shows('Anything to add');
    person.type(keys);
    expect(await person.exited).toBe(8);
    expect(person.raw()).toContain('nothing was answered');
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });

  it('ends the prompt when another surface answers', async () => {
    const work = await bed.work();
    const ask = await work.question('elsewhere');
    const person = bed.terminal(['questions', 'answer', ask.ask_id, '--interactive'], { columns: 130 });
    await person.shows('Choose one');
    await bed.client.questions.answerRun(work.runId, { resolution: { request_id: ask.ask_id, declined: true } });
    expect(await person.exited).toBe(4);
    expect(person.screen().join('\n')).toMatch(/^holdpoint: ask_\w+ is no longer open: declined by operator \(api\)/m);
  });
});
