// The real Claude Code asks a person with its AskUserQuestion tool, or shows a plan: the model is told
// exactly what was answered, also what was left out.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UserQuestionRequest } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { choice } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const DATABASE = {
  question: 'Which database?',
  header: 'Database',
  multiSelect: false,
  options: [
    { label: 'SQLite', description: 'one file', preview: 'db.sqlite' },
    { label: 'Postgres', description: 'a server' },
  ],
};
const FEATURES = {
  ...choice('Which features?', 'Features', { Auth: 'log in', 'Logs, metrics': 'look' }),
  multiSelect: true,
};
const LAYOUT = {
  ...DATABASE,
  question: 'Which layout?',
  header: 'Layout',
  options: DATABASE.options.slice().reverse(),
};
const asks = (id: string, ...questions: object[]) => [{ tool: 'AskUserQuestion', input: { questions }, id }];
const [one, two] = [{ question_id: 'question-1' }, { question_id: 'question-2' }];

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: questions`, () => {
  it('shows the question with its options and previews, and tells the model the label', async () => {
    testBed.record('question-one');
    testBed.model.play([asks('toolu_one', DATABASE), [{ text: 'SQLite it is.' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({ kind: 'question', mode: 'deferred', tool_call_id: 'toolu_one' });
    const { questions } = ask.request as UserQuestionRequest;
    expect(questions).toMatchObject([
      {
        header: 'Database',
        question: 'Which database?',
        multi_select: false,
        required: true,
        allow_other: true,
        options: [{ label: 'SQLite', description: 'one file', preview: 'db.sqlite' }, { label: 'Postgres' }],
      },
    ]);
    await testBed.bed.answer(ask, { ...one, selected_option_ids: ['option-2'] });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_one')).toEqual({
      text: 'Your questions have been answered: "Which database?"="Postgres". You can now continue with these answers in mind.',
      isError: false,
    });
    expect((await testBed.bed.api.asks.get(ask.ask_id)).delivery.state).toBe('delivered');
  });

  it('tells the model the preview that was chosen, and a text beside or instead of an option', async () => {
    testBed.record('question-preview');
    testBed.model.play([asks('toolu_preview', DATABASE), asks('toolu_other', DATABASE), [{ text: 'Fine.' }]]);
    const run = await testBed.start();
    const chosen = { ...one, selected_option_ids: ['option-1'], freeform_answer: 'version 3' };
    await testBed.bed.answer(await testBed.ask(run), chosen);
    await testBed.bed.answer(await testBed.ask(run), { ...one, freeform_answer: 'neither, use DuckDB' });
    await testBed.over(run);
    expect(testBed.result('toolu_preview')?.text).toContain(
      '"Which database?"="SQLite" selected preview:\ndb.sqlite notes: version 3',
    );
    expect(testBed.result('toolu_other')?.text).toContain('"Which database?"="neither, use DuckDB"');
  });

  it('takes several questions at once, several options, and says what was skipped', async () => {
    testBed.record('questions-several');
    testBed.model.play([asks('toolu_several', DATABASE, FEATURES, LAYOUT), [{ text: 'Fine.' }]]);
    const run = await testBed.start();
    const ask = await testBed.ask(run);
    expect((ask.request as UserQuestionRequest).questions.map((q) => q.required)).toEqual([false, false, false]);
    const features = { ...two, selected_option_ids: ['option-1', 'option-2'], freeform_answer: 'and a map' };
    await testBed.bed.answer(ask, { ...one, selected_option_ids: ['option-1'] }, features);
    await testBed.over(run);
    const { text } = testBed.result('toolu_several') ?? { text: '' };
    expect(text).toContain('"Which database?"="SQLite"');
    expect(text).toContain('"Which features?"="Auth, "Logs, metrics", and a map"');
    expect(text).toContain('"Which layout?"="No answer: the person skipped this question."');
  });

  it('is told the answer to a question that is called as no entry of an object can be', async () => {
    testBed.model.play([asks('toolu_proto', { ...DATABASE, question: '__proto__' }), [{ text: 'Fine.' }]]);
    const run = await testBed.start();
    await testBed.bed.answer(await testBed.ask(run), { ...one, selected_option_ids: ['option-1'] });
    await testBed.over(run);
    expect(testBed.result('toolu_proto')?.text).toContain('"__proto__ "="SQLite"');
  });

  it('is told that the person declined, and why', async () => {
    testBed.record('question-declined');
    testBed.model.play([asks('toolu_declined', DATABASE), [{ text: 'Then I choose.' }]]);
    const run = await testBed.start();
    await testBed.bed.decline(await testBed.ask(run), 'you know better');
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    const { text, isError } = testBed.result('toolu_declined') ?? { text: '' };
    expect(isError).toBe(true);
    expect(text).toContain('The person declined to answer: you know better');
  });

  it('asks in line where a message has other calls too', async () => {
    testBed.record('question-beside-a-call');
    testBed.model.play([
      [
        ...asks('toolu_beside', DATABASE),
        { tool: 'Bash', input: { command: 'touch beside', description: 'd' }, id: 'toolu_call' },
      ],
      [{ text: 'Fine.' }],
    ]);
    const run = await testBed.start({ patience_ms: 0 });
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({ kind: 'question', mode: 'blocking' });
    await testBed.bed.answer(ask, { ...one, selected_option_ids: ['option-1'] });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    await testBed.over(run);
    expect(testBed.result('toolu_beside')?.text).toContain('"Which database?"="SQLite"');
    expect(testBed.files(run)).toEqual(['beside']);
  });

  it('tells the model what is wrong with a question that nobody can be asked', async () => {
    const twice = [
      { label: 'Yes', description: 'a' },
      { label: 'yes', description: 'b' },
    ];
    testBed.model.play([asks('toolu_wrong', { ...DATABASE, options: twice }), [{ text: 'Never mind.' }]]);
    const run = await testBed.start();
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_wrong')?.text).toContain('labels must differ by more than case');
  });
});

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: plans`, () => {
  const plan = (id: string) => [
    { text: 'My plan:\n1. paint it' },
    { tool: 'ExitPlanMode', input: { plan: '1. paint it' }, id },
  ];

  it('shows the plan, and works when it is allowed', async () => {
    const write = (folder: string) => [
      { tool: 'Write', input: { file_path: join(folder, 'painted'), content: 'blue' }, id: 'toolu_paint' },
    ];
    let folder = '';
    testBed.record('plan-allowed');
    testBed.model.play([plan('toolu_plan'), () => write(folder), [{ text: 'Painted.' }]]);
    const run = await testBed.start({ permission_mode: 'plan' });
    folder = run.folder;
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({ mode: 'deferred', request: { tool_name: 'ExitPlanMode', reason: '1. paint it' } });
    await testBed.bed.decide(ask, { behavior: 'allow' });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_plan')?.text).toContain('approved exiting plan mode');
    expect(testBed.files(run)).toEqual(['painted']);
  });

  it('goes on planning when the plan is denied, and knows why', async () => {
    testBed.model.play([plan('toolu_no_plan'), [{ text: 'Back to planning.' }]]);
    const run = await testBed.start({ permission_mode: 'plan' });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'deny', reason: 'paint it green' });
    await testBed.over(run);
    expect(testBed.result('toolu_no_plan')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_no_plan')?.text).toContain('paint it green');
  });
});
