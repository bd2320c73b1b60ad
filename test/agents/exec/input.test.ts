// The input of a dispatch that carries an answer: how the answer and the partial state reach the program, and where they
// must not appear.
// Covers: src/core/partial-state.ts, src/gateway/dispatch-events.ts, src/agents/kit/needs-input-text.ts
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSpec } from '../../../src/agents/exec/input.ts';
import type { RunView } from '../../../src/core/views.ts';
import { asks, ExecTestBed, exitOf } from './test-bed.ts';

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open();
});
afterAll(() => d.close());

/** Asks with this payload the first time, and shows its input the second. */
const onceThenShow = (payload: object, show = 'cat "$AGORA_INPUT_FILE"') =>
  `case $AGORA_INPUT_JSON in *'"answer"'*) ${show};; *) ${asks(payload)};; esac`;
const inputOf = (run: RunView) => JSON.parse(exitOf(run)?.stdout ?? 'null');
const options = (...selected_option_ids: string[]) => ({ question_id: 'question-1', selected_option_ids });

describe('the answer', () => {
  const COLOURS = { question: 'Which?', options: ['Red', 'Blue'], context: 'For the sign.', partial_state: [1, null] };

  it('is the label of the chosen option of a question that shows its context', async () => {
    const folder = d.workspace();
    const run = await d.sh(folder, onceThenShow(COLOURS), { data: { task: 'paint' } });
    const ask = await d.question(run);
    expect(ask).toMatchObject({
      mode: 'restart',
      request: { context: 'For the sign.', questions: [{ question: 'Which?' }] },
    });
    const next = await d.bed.answer(ask, options('option-2'));
    expect(next).toMatchObject({ kind: 'dispatch', resumes_run_id: run.run_id });
    expect(inputOf(await d.over(next))).toEqual({ task: 'paint', answer: 'Blue', partial_state: [1, null] });
    expect(await d.over(run)).toMatchObject({ status: 'completed', outcome: 'needs_input' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is the free text, or both where an option and a text were given', async () => {
    const run = await d.sh(d.workspace(), onceThenShow(COLOURS));
    const next = await d.answer(await d.question(run), 'Green, "really"\n');
    expect(inputOf(await d.over(next)).answer).toBe('Green, "really"\n');
    const other = await d.sh(d.workspace(), onceThenShow(COLOURS));
    const both = { ...options('option-1'), freeform_answer: 'a dark one' };
    expect(inputOf(await d.over(await d.bed.answer(await d.question(other), both))).answer).toBe('Red (a dark one)');
  });

  it('is absent when the question was declined, which the program is told', async () => {
    const run = await d.sh(d.workspace(), onceThenShow({ question: 'Which?' }));
    const next = await d.bed.decline(await d.question(run), 'ask the owner');
    expect(inputOf(await d.over(next))).toEqual({ answer: null, declined: true, justification: 'ask the owner' });
  });

  it('is never given when the question was cancelled: nothing is started again', async () => {
    const run = await d.sh(d.workspace(), onceThenShow({ question: 'Which?' }));
    const ask = await d.question(run);
    await d.bed.api.questions.cancel(run.run_id, ask.ask_id);
    expect((await d.runsOf(run.session_id)).map((r) => r.status)).toEqual(['cancelled']);
    const types = (await d.bed.events(run.session_id)).map((e) => e.type).filter((t) => t.startsWith('dispatch.'));
    expect(types).toEqual(['dispatch.accepted', 'dispatch.started', 'dispatch.needs_input', 'dispatch.cancelled']);
  });

  it('reaches a prompt template, whose empty sections are left out', async () => {
    const prompt_template =
      'Paint {{what}}.{{#answer}} They said {{answer}}; {{partial_state.n}}; {{partial_state}}.{{/answer}}';
    const script = onceThenShow({ question: 'Which?', partial_state: { n: 7 } }, 'cat; printf "|%s" "$0"');
    const command = ['sh', '-c', script, 'and {{prompt}}'];
    const run = await d.start(d.workspace(), { command, data: { what: 'it' }, prompt_template });
    const next = await d.answer(await d.question(run), '{{what}}');
    expect(exitOf(await d.over(next))?.stdout).toBe('|and Paint it. They said {{what}}; 7; {"n":7}.');
    const piped = await d.start(d.workspace(), { command: ['cat'], data: { what: 'it' }, prompt_template });
    expect(exitOf(await d.over(piped))?.stdout).toBe('Paint it.');
  });
});

it('links each of three dispatches to the one before and gives the last one all three answers', async () => {
  const script = `node=$1; "$node" - <<'END'
    const { readFileSync, writeFileSync } = require('node:fs');
    const { answer, partial_state } = JSON.parse(readFileSync(process.env.AGORA_INPUT_FILE, 'utf8'));
    const answers = [...(partial_state?.answers ?? []), ...(answer === undefined ? [] : [answer])];
    if (answers.length === 3) console.log(answers.join());
    else writeFileSync(process.env.AGORA_NEEDS_INPUT_PATH, JSON.stringify({ question: 'Question ' + answers.length, partial_state: { answers } }));
END`;
  let run = await d.start(d.workspace(), { command: ['sh', '-c', script, 'sh', process.execPath] });
  for (const answer of ['one', 'two', 'three']) run = await d.answer(await d.question(run), answer);
  expect(exitOf(await d.over(run))?.stdout).toBe('one,two,three\n');
  const runs = await d.runsOf(run.session_id);
  expect(runs.map((r) => r.resumes_run_id)).toEqual([undefined, ...runs.slice(0, 3).map((r) => r.run_id)]);
  expect(runs.map((r) => r.outcome)).toEqual(['needs_input', 'needs_input', 'needs_input', undefined]);
});

describe('partial_state', () => {
  const state = 'x'.repeat(1024 * 1024 - 2);

  it('arrives whole with 1 MiB in the file that the environment names', async () => {
    const show = `printf '%s' "$AGORA_INPUT_JSON"; wc -c < "$AGORA_INPUT_FILE"`;
    const payload = { question: 'Which?', partial_state: state };
    const folder = d.workspace({ 'payload.json': JSON.stringify(payload) });
    const script = `case $AGORA_INPUT_JSON in *'"answer"'*) ${show};; *) cp payload.json "$AGORA_NEEDS_INPUT_PATH";; esac`;
    const run = await d.sh(folder, script);
    const next = await d.over(await d.answer(await d.question(run), 'go'));
    const whole = JSON.stringify({ answer: 'go', partial_state: state }).length;
    expect(exitOf(next)?.stdout).toBe(`{"answer":"go","input_file":"${folder}/.agora/input.json"}${whole}\n`);
    const seen = [
      await d.server.get('/v1/asks?limit=500'),
      await d.server.get(`/v1/runs?session_id=${run.session_id}`),
      await d.server.get(`/v1/sessions/${run.session_id}/events?limit=500`),
      await d.server.get(`/v1/sessions/${run.session_id}/questions`),
    ];
    for (const reply of seen) expect(reply.text).not.toContain('xxxxxxxx');
  });

  it('is refused by the API when it is larger, in another mode, or with a body over the limit', async () => {
    const { session_id } = await d.bed.api.sessions.create({ agent: 'external' });
    const { run_id } = await d.bed.api.runs.start(session_id, { input: {} });
    const raise = (more: object) =>
      d.server.post(`/v1/runs/${run_id}/asks`, {
        kind: 'question',
        tool_call_id: 'c',
        mode: 'restart',
        questions: [{ question: 'Which?' }],
        ...more,
      });
    expect(await raise({ partial_state: `${state}x` })).toMatchObject({ status: 400, body: { code: 'invalid_ask' } });
    expect(await raise({ partial_state: 1, mode: 'form' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_ask' },
    });
    const long = { id: 'q', question: 'Which?', placeholder: 'x'.repeat(1024 * 1024) };
    expect(await raise({ questions: [long] })).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect(await raise({ partial_state: state })).toMatchObject({ status: 201 });
    expect(await raise({ partial_state: state })).toMatchObject({ status: 200 });
    expect(await raise({ partial_state: 'other' })).toMatchObject({
      status: 409,
      body: { code: 'ask_identity_conflict' },
    });
  });

  it('fails the dispatch with the reason when the server refuses it', async () => {
    const deep = `${'['.repeat(80)}${']'.repeat(80)}`;
    const script = `printf '{"question":"q","partial_state":${deep}}' > "$AGORA_NEEDS_INPUT_PATH"`;
    const run = await d.over(await d.sh(d.workspace(), script));
    expect(run).toMatchObject({
      status: 'failed',
      outcome: 'worker-failed',
      error: expect.stringMatching(/refused: .*64 levels/),
    });
  });
});

it('keeps the texts of question, answer and error out of the events of a dispatch', async () => {
  const run = await d.sh(
    d.workspace(),
    onceThenShow({ question: 'SECRET?', options: ['SECRET'] }, 'echo SECRET >&2; exit 5'),
  );
  await d.over(await d.answer(await d.question(run), 'SECRET'));
  const events = (await d.bed.events(run.session_id)).filter((e) => e.type.startsWith('dispatch.'));
  expect(events.map((e) => [e.type, e.data])).toEqual([
    ['dispatch.accepted', {}],
    ['dispatch.started', {}],
    ['dispatch.needs_input', {}],
    ['dispatch.accepted', { resumes: run.run_id }],
    ['dispatch.started', {}],
    ['dispatch.failed', { reason: 'provider-failed', exit_code: 5 }],
  ]);
});

it('takes the name of the needs-input helper among its skills, which every dispatch has', () => {
  expect(readSpec({ command: ['true'], skills: ['agora-needs-input', 'notes'] }).skills).toEqual(['notes']);
});
