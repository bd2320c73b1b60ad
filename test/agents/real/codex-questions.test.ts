// What the real Codex, its model and its MCP servers ask a person to tell them: what was answered is what the model and
// the server were told; what was not answered is said to be so.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../../../src/core/views.ts';
import { codex, codexVersion } from './binaries.ts';
import { DATABASE, NAME, requestsInput } from './codex-calls.ts';
import { CodexTestBed, readIfThere } from './codex-test-bed.ts';

let c: CodexTestBed;
beforeAll(async () => {
  if (!codex) return;
  const demo = join(import.meta.dirname, 'mcp-demo.mjs');
  c = await CodexTestBed.open(
    (root) => `[mcp_servers.demo]
command = "${process.execPath}"
args = ["${demo}"]
supports_parallel_tool_calls = true
env = { DEMO_LOG = "${join(root, 'demo.log')}" }`,
  );
});
afterAll(async () => {
  if (!codex) return;
  expect(c.model.others).toEqual([]);
  await c.close();
});

const questionsOf = (ask: AskView) => (ask.request as UserQuestionRequest).questions;
const DONE = [{ text: 'Done.' }];
const ASKED = requestsInput(DATABASE, NAME);

describe.skipIf(!codex)(`Codex ${codexVersion} asks for user input in plan mode`, () => {
  const plan = { mode: 'plan' };

  it('and the model has the answers: an option, and words of the person', async () => {
    const run = await c.start('input-answered', [[ASKED], DONE], plan);
    const ask = await c.asked(run);
    expect(questionsOf(ask)).toMatchObject([
      {
        id: 'db',
        header: 'Database',
        options: [{ label: 'Postgres (Recommended)', recommended: true }, { description: 'Small' }],
      },
      { id: 'name', allow_other: true },
    ]);
    await c.bed.answer(
      ask,
      { question_id: 'db', selected_option_ids: ['option-2'], freeform_answer: 'for now' },
      { question_id: 'name', freeform_answer: 'Gamma' },
    );
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(JSON.parse(c.model.resultOf('input-answered', 'call_Q') ?? '{}')).toEqual({
      answers: {
        db: { answers: ['SQLite', 'user_note: for now'] },
        name: { answers: ['None of the above', 'user_note: Gamma'] },
      },
    });
  });

  it('and hears that it was declined, and why', async () => {
    const run = await c.start('input-declined', [[ASKED], DONE], plan);
    await c.bed.decline(await c.asked(run), 'decide yourself');
    await c.over(run);
    expect(JSON.parse(c.model.resultOf('input-declined', 'call_Q') ?? '{}')).toEqual({ answers: {} });
    expect(c.model.heard('input-declined').at(-1)).toMatch(/^The person declined to answer: decide yourself\./);
  });

  it('and stops when the question is cancelled', async () => {
    const run = await c.start('input-cancelled', [[ASKED], DONE], plan);
    const ask = await c.asked(run);
    await c.bed.api.questions.cancel(run.run_id, ask.ask_id, { justification: 'never mind' });
    expect(await c.over(run)).toMatchObject({ status: 'cancelled' });
    await c.gone(run);
    expect(c.model.told('input-cancelled')).toHaveLength(1);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} asks with the tool it was given`, () => {
  const call = (input: Record<string, unknown>) => ({ call: 'ask_user', id: 'call_T', input });
  const QUESTIONS = {
    questions: [
      { question: 'Ship it?', header: 'Release', options: [{ label: 'Yes' }, { label: 'No', description: 'wait' }] },
      {
        question: 'Which parts?',
        multi_select: true,
        options: [{ label: 'web' }, { label: 'api' }, { label: 'docs' }],
      },
      { question: 'Any words for the notes?' },
    ],
  };

  it('in any mode: one choice, several, and free text', async () => {
    const run = await c.start('tool-answered', [[call(QUESTIONS)], DONE]);
    const ask = await c.asked(run);
    await c.bed.answer(
      ask,
      { question_id: 'question-1', selected_option_ids: ['option-1'] },
      { question_id: 'question-2', selected_option_ids: ['option-1', 'option-3'] },
      { question_id: 'question-3', freeform_answer: 'carefully' },
    );
    await c.over(run);
    expect(c.model.resultOf('tool-answered', 'call_T')).toBe(
      'Ship it?\n→ Yes\nWhich parts?\n→ web; docs\nAny words for the notes?\n→ carefully',
    );
    expect(c.model.told('tool-answered')[0]?.tools?.map(({ name }) => name)).toContain('ask_user');
  });

  it('declined', async () => {
    const run = await c.start('tool-declined', [[call(QUESTIONS)], DONE]);
    await c.bed.decline(await c.asked(run), 'ask mate');
    await c.over(run);
    expect(c.model.resultOf('tool-declined', 'call_T')).toMatch(/^The person declined to answer: ask mate\./);
  });

  it('with nonsense, which the model is told without troubling a person', async () => {
    const run = await c.start('tool-nonsense', [[call({ question: 'What?' })], DONE]);
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(c.model.resultOf('tool-nonsense', 'call_T')).toContain('The arguments were not understood');
    expect((await c.bed.api.asks.list({ run_id: run.run_id })).items).toEqual([]);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} asks without waiting`, () => {
  const later = {
    call: 'request_user_input_async',
    namespace: 'functions',
    id: 'call_L',
    input: { questions: [{ title: 'Which colour?', options: ['Red', 'Blue'] }] },
  };

  it('and is told the answer in its next turn', async () => {
    const run = await c.start('later-answered', [[later], [{ text: 'I have asked.' }], [{ text: 'Blue it is.' }]], {
      model: 'gpt-6-sol',
    });
    const ask = await c.asked(run);
    expect(questionsOf(ask)).toMatchObject([
      { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] },
    ]);
    await c.bed.until(async () => (c.model.told('later-answered').length === 2 ? true : undefined));
    await c.bed.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] });
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect(c.model.heard('later-answered').at(-1)).toBe('Which colour?\n→ Blue');
  });
});

describe.skipIf(!codex)(`an MCP server behind Codex ${codexVersion}`, () => {
  const tool = (name: string, input = {}) => ({ call: name, namespace: 'mcp__demo', id: `call_${name}`, input });

  it('asks for a form, again where a value does not fit, and gets what was filled in', async () => {
    const run = await c.start('form-answered', [[tool('deploy')], DONE]);
    const ask = await c.asked(run);
    expect(ask.request).toMatchObject({ context: 'demo: Deploy where?' });
    expect(questionsOf(ask).map(({ id, required }) => [id, required])).toEqual([
      ['count', true],
      ['dry', false],
      ['note', false],
      ['region', true],
    ]);
    const region = { question_id: 'region', selected_option_ids: ['option-2'] };
    await c.bed.answer(ask, region, { question_id: 'count', freeform_answer: 'many' });
    const again = await c.asked(run);
    expect((again.request as UserQuestionRequest).context).toContain('“Machines” needs a whole number from 1 to 9.');
    await c.bed.answer(
      again,
      region,
      { question_id: 'count', freeform_answer: '3' },
      { question_id: 'dry', selected_option_ids: ['option-1'] },
    );
    await c.over(run);
    const told = c.model.resultOf('form-answered', 'call_deploy')?.replaceAll('\\', '');
    expect(told).toContain('"content":{"region":"us","count":3,"dry":true}');
  });

  it('hears that the form was declined', async () => {
    const run = await c.start('form-declined', [[tool('deploy')], DONE]);
    await c.bed.decline(await c.asked(run), 'not now');
    await c.over(run);
    expect(c.model.resultOf('form-declined', 'call_deploy')).toContain('decline');
  });

  it('asks to open a page', async () => {
    const run = await c.start('page-visited', [[tool('visit')], DONE]);
    const ask = await c.asked(run);
    expect((ask.request as ApprovalRequest).input).toEqual({
      message: 'Sign in there',
      url: 'https://example.com/sign-in',
    });
    await c.bed.decide(ask, { behavior: 'allow' });
    await c.over(run);
    expect(c.model.resultOf('page-visited', 'call_visit')).toContain('accept');
  });

  const log = () => (readIfThere(c.root, 'demo.log') ?? '').trim().split('\n');

  it('has a tool that must be allowed: once, or for the session, which allows no other tool', async () => {
    const config = readIfThere(c.root, 'home', 'config.toml');
    const calls = [tool('plain', { x: 'one' }), tool('plain', { x: 'two' }), tool('plain', { x: 'three' })];
    const run = await c.start('tool-allowed', [...calls.map((call) => [call]), [tool('other', { x: 'one' })], DONE]);
    const ask = await c.asked(run);
    expect(ask.request).toMatchObject({
      tool_name: 'mcp__demo__plain',
      input: { x: 'one' },
      suggestions: [{ id: 'session' }, { id: 'always' }],
    });
    expect(ask.tool_call_id).toMatch(/^call_plain@/);
    expect(log()).toEqual(['']);
    await c.bed.decide(ask, { behavior: 'allow' });
    const second = await c.asked(run);
    expect(log()).toEqual(['plain {"x":"one"}']);
    await c.bed.decide(second, { behavior: 'allow', suggestion_ids: ['session'] });
    const another = await c.asked(run);
    expect(another.request).toMatchObject({ tool_name: 'mcp__demo__other', input: { x: 'one' } });
    await c.bed.decide(another, { behavior: 'deny' });
    await c.over(run);
    expect(log()).toEqual(['plain {"x":"one"}', 'plain {"x":"two"}', 'plain {"x":"three"}']);
    // A session is over some day: nothing of it is in the settings, and another one is asked anew.
    expect(readIfThere(c.root, 'home', 'config.toml')).toBe(config);
  });

  it('and the model hears why it was not', async () => {
    const run = await c.start('tool-denied', [[tool('plain', { x: 'four' })], DONE]);
    await c.bed.decide(await c.asked(run), { behavior: 'deny', reason: 'ask mate first' });
    await c.over(run);
    expect(log().join()).not.toContain('four');
    expect(c.model.resultOf('tool-denied', 'call_plain')).toContain('user rejected MCP tool call');
    expect(c.model.heard('tool-denied').at(-1)).toBe('The person said no: ask mate first');
  });

  it('is called several times at once: each call is shown as what it is, and gets its own answer', async () => {
    const at = (id: string, name: string, x: string) => ({ ...tool(name, { x }), id });
    const calls = [
      at('call_1', 'plain', 'a'),
      at('call_2', 'other', 'a'),
      at('call_3', 'plain', 'b'),
      at('call_4', 'plain', 'b'),
    ];
    const run = await c.start('tool-parallel', [calls, DONE]);
    const asks = await c.asks(run, 4);
    const shown = asks.map(({ tool_call_id, request }) => {
      const { tool_name, input } = request as ApprovalRequest;
      return [/^call_\d/.exec(tool_call_id)?.[0], tool_name, input.x];
    });
    expect(shown).toContainEqual(['call_1', 'mcp__demo__plain', 'a']);
    expect(shown).toContainEqual(['call_2', 'mcp__demo__other', 'a']);
    expect(shown.filter(([, name, x]) => name === 'mcp__demo__plain' && x === 'b')).toHaveLength(2);
    const before = log().length;
    for (const ask of asks) {
      const isWanted = ask.tool_call_id.startsWith('call_1@');
      await c.bed.decide(ask, { behavior: isWanted ? 'allow' : 'deny' });
    }
    await c.over(run);
    expect(log().slice(before)).toEqual(['plain {"x":"a"}']);
    expect(c.model.resultOf('tool-parallel', 'call_1')).toContain('plain did');
    for (const id of ['call_2', 'call_3', 'call_4'])
      expect(c.model.resultOf('tool-parallel', id)).toContain('user rejected MCP tool call');
  });

  it('may be trusted with one tool for ever, and is asked about the others', async () => {
    const first = await c.start('tool-always', [[tool('other', { x: 'first' })], DONE]);
    await c.bed.decide(await c.asked(first), { behavior: 'allow', suggestion_ids: ['always'] });
    await c.over(first);
    const next = await c.start('tool-trusted', [
      [tool('other', { x: 'second' })],
      [tool('plain', { x: 'fifth' })],
      DONE,
    ]);
    const ask = await c.asked(next);
    expect(ask.request).toMatchObject({ tool_name: 'mcp__demo__plain' });
    await c.bed.decide(ask, { behavior: 'deny' });
    await c.over(next);
    expect(log().slice(-2)).toEqual(['other {"x":"first"}', 'other {"x":"second"}']);
  });
});
