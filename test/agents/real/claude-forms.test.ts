// Forms from the real Claude Code in a hosted run: the hook passes the call on to our MCP door, the turn ends deferred
// without a word to the model, and the answer is the result of that very call in the next run. Other tools of the same
// server go Claude Code's own way.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const FORM = 'mcp__holdpoint__interactive_form_question';
const QUESTIONS = {
  questions: [{ id: 'colour', question: 'Which colour?', options: [{ label: 'Red', value: 'r' }, 'Blue'] }],
};
const start = (input = {}) => testBed.start({ ask_tools: true, ...input });
const form = (id: string, input: Record<string, unknown> = QUESTIONS) => [{ tool: FORM, input, id }];

const send = (ask: AskView, more: { status: 'answered' | 'cancelled'; answers?: object; message?: string }) =>
  testBed.bed.api.sessions.say(ask.session_id, {
    interactive_form_answer: { type: 'interactive_form_question', tool_use_id: ask.tool_call_id, ...more } as never,
  });
const carriedOn = (run: RunView) => testBed.bed.carriedOn(run);

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: forms`, () => {
  it('displays the form, ends the turn, and gets the answer as the result of its call', async () => {
    testBed.record('form-answered');
    const before = testBed.model.told.length;
    testBed.model.play([form('toolu_form'), [{ text: 'Blue it is.' }]]);
    const run = await start({ permission_mode: 'acceptEdits' });
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({ mode: 'form', tool_call_id: 'toolu_form' });
    await testBed.released(run);
    const held = await testBed.bed.api.runs.get(run.run_id);
    expect(held.status).toBe('waiting_for_user_question');
    expect(held.outputs.filter((o) => o.type === 'tool_result').map((o) => o.data)).toMatchObject([
      { type: 'tool_done', tool_use_id: 'toolu_form', ask_id: ask.ask_id },
    ]);
    // The model was told nothing meanwhile, and words are no answer.
    expect(testBed.model.told).toHaveLength(before + 1);
    await expect(testBed.bed.api.sessions.say(run.session_id, { text: 'blue' })).rejects.toMatchObject({
      code: 'pending_interactive_form',
    });
    await send(ask, { status: 'answered', answers: { colour: 'Blue' } });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    const next = await carriedOn(run);
    expect(next).toMatchObject({ status: 'completed', resumes_run_id: run.run_id });
    expect(next.outputs.at(-1)?.text).toBe('Blue it is.');
    const { text, isError } = testBed.result('toolu_form') ?? { text: '{}' };
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toMatchObject({
      tool_use_id: 'toolu_form',
      status: 'answered',
      answers: { colour: 'Blue' },
    });
    expect(testBed.model.told).toHaveLength(before + 2);
    expect(testBed.model.told.join()).not.toContain('__deferred_user_input__');
  });

  it('is told that the person cancelled, and why; then it may display another', async () => {
    // One question by itself is a form too: our door judges what was given, as it is.
    const [alone = {}] = QUESTIONS.questions;
    testBed.model.play([form('toolu_first'), form('toolu_second', alone), [{ text: 'Thanks.' }]]);
    const run = await start();
    await send(await testBed.ask(run), { status: 'cancelled', message: 'ask something better' });
    await testBed.over(run);
    const second = await testBed.ask(run);
    expect(second.tool_call_id).toBe('toolu_second');
    expect(testBed.result('toolu_first')?.text).toContain('cancelled');
    expect(testBed.result('toolu_first')?.text).toContain('ask something better');
    await send(second, { status: 'answered', answers: { colour: 'r' } });
    const last = await testBed.bed.until(async () => {
      const { items } = await testBed.bed.api.runs.list({ session_id: run.session_id });
      return items.length === 3 && items.every((r) => r.finished_at_ms !== undefined) ? items.at(-1) : undefined;
    });
    expect(last).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_second')?.text).toContain('"r"');
  });

  it('is told how to correct a form that cannot be displayed', async () => {
    testBed.record('form-refused');
    testBed.model.play([form('toolu_bad', { questions: [] }), [{ text: 'Never mind.' }]]);
    const run = await start();
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_bad')).toMatchObject({ isError: true, text: expect.stringContaining('questions') });
    expect((await testBed.bed.api.asks.list({ session_id: run.session_id })).items).toEqual([]);
  });

  it('displays no form beside other calls, where holding would lose them', async () => {
    const look = { tool: 'Bash', input: { command: 'pwd', description: 'd' }, id: 'toolu_look' };
    testBed.model.play([[...form('toolu_beside_form'), look], [{ text: 'One at a time.' }]]);
    const run = await start();
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_beside_form')?.text).toContain('call no other tool beside it');
    expect(testBed.result('toolu_look')).toMatchObject({ isError: false });
  });

  it('displays no form for a sub-agent, nor while one works in the background: both would be lost', async () => {
    const sub = (prompt: string, run_in_background: boolean) => ({
      tool: 'Agent',
      input: { description: 'help', prompt, subagent_type: 'general-purpose', run_in_background },
      id: `toolu_${prompt}`,
    });
    const touch = { tool: 'Bash', input: { command: 'touch x', description: 'd' }, id: 'toolu_form_touch' };
    testBed.model.play(
      [
        [sub('FORM-SUB', false)],
        [sub('FORM-BACK', true)],
        form('toolu_form_early'),
        [{ text: 'I wait.' }],
        form('toolu_form_late'),
        [{ text: 'Thanks.' }],
      ],
      'FORM-MAIN',
    );
    testBed.model.play([form('toolu_form_sub'), [{ text: 'Ask about the colour.' }]], 'FORM-SUB');
    testBed.model.play([[touch], [{ text: 'Made.' }]], 'FORM-BACK');
    const run = await start({ text: 'FORM-MAIN' });
    const ask = await testBed.ask(run);
    expect(ask.tool_call_id).toBe('toolu_form_touch');
    await testBed.bed.until(async () => testBed.result('toolu_form_early'));
    await testBed.bed.decide(ask, { behavior: 'allow' });
    const late = await testBed.ask(run);
    expect(late).toMatchObject({ mode: 'form', tool_call_id: 'toolu_form_late' });
    expect(testBed.result('toolu_form_sub')?.text).toContain('Tell the agent that called you');
    expect(testBed.result('toolu_form_early')?.text).toContain('still going on in the background');
    expect(testBed.files(run)).toEqual(['x']);
    await send(late, { status: 'answered', answers: { colour: 'Blue' } });
    expect(await carriedOn(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_form_late')?.text).toContain('Blue');
  });

  it.each([
    ['demo', false],
    ['holdpoint', false],
    ['holdpoint__more', true],
  ])(
    'takes a form of the server %s to our door, calls no tool there unasked (ask_tools: %s)',
    async (server, ask_tools) => {
      const log = join(testBed.root, `${server}.log`);
      const foreign = `toolu_foreign_${server}`;
      const other = `toolu_plain_${server}`;
      const demo = {
        command: process.execPath,
        args: [join(import.meta.dirname, 'mcp-demo.mjs')],
        env: { DEMO_LOG: log },
      };
      const settings = join(testBed.root, 'home', '.claude', '.claude.json');
      const before = existsSync(settings) ? readFileSync(settings, 'utf8') : '{}';
      writeFileSync(settings, JSON.stringify({ ...JSON.parse(before), mcpServers: { [server]: demo } }));
      testBed.model.play([
        [{ tool: `mcp__${server}__own_interactive_form_question`, input: QUESTIONS, id: foreign }],
        [{ tool: `mcp__${server}__plain`, input: { x: 'y' }, id: other }],
        [{ text: 'Blue.' }],
      ]);
      const run = await testBed.start({ ask_tools });
      const form = await testBed.ask(run);
      expect(form).toMatchObject({ mode: 'form', tool_call_id: foreign });
      await send(form, { status: 'answered', answers: { colour: 'Blue' } });
      const plain = await testBed.bed.until(async () => {
        const [ask] = await testBed.bed.pending(run.session_id);
        return ask?.kind === 'approval' ? ask : undefined;
      });
      expect(plain.request).toMatchObject({ tool_name: `mcp__${server}__plain`, input: { x: 'y' } });
      await testBed.bed.decide(plain, { behavior: 'allow' });
      expect(await carriedOn(run)).toMatchObject({ status: 'completed' });
      expect(testBed.result(foreign)?.text).toMatch(/has its answer: .*"colour":\s*"Blue"/s);
      expect(readFileSync(log, 'utf8')).toBe('plain {"x":"y"}\n');
      expect(testBed.result(other)).toMatchObject({ isError: false });
      writeFileSync(settings, before);
    },
  );

  it('lets every other tool of the server go its own way', async () => {
    testBed.model.play([[{ tool: 'mcp__holdpoint__ask_user', input: QUESTIONS, id: 'toolu_own' }], [{ text: 'Red.' }]]);
    const run = await start();
    const ask = await testBed.ask(run);
    expect(ask).toMatchObject({ kind: 'question', mode: 'blocking', tool_call_id: 'toolu_own' });
    expect(testBed.processes(run).length).toBeGreaterThan(0);
    await testBed.bed.answer(ask, { question_id: 'colour', selected_option_ids: ['option-1'] });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_own')?.text).toContain('"values":["r"]');
    // It would ask at the screen of Claude Code too: that is here, where it has asked already.
    expect((await testBed.bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
  });
});
