// The real Claude Code as a dispatch: told by the overlay how to ask, it writes the sentinel with its Write tool, exits,
// and is started again with the answer. What the model was told is asserted, in both dispatches.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecTestBed, exitOf } from '../exec/test-bed.ts';
import { claude, claudeVersion } from './binaries.ts';
import { Model } from './model.ts';

let d: ExecTestBed;
let model: Model;
beforeAll(async () => {
  d = await ExecTestBed.open();
  model = await Model.start();
});
afterAll(async () => {
  await d.close();
  model.close();
});

function environment(home: string): Record<string, string> {
  mkdirSync(join(home, '.claude'), { recursive: true });
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-fake-000',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}
const TASK = 'Paint the sign at the gate.';
const commandOf = (...more: string[]) => [
  claude ?? 'claude',
  '-p',
  ...more,
  '--output-format',
  'json',
  '--permission-mode',
  'acceptEdits',
];
const resultOf = (stdout: string | undefined): string => JSON.parse(stdout ?? '{}').result;

describe.skipIf(!claude)(`Claude Code ${claudeVersion}`, () => {
  it('asks with its Write tool and finishes with the answer', { timeout: 120_000 }, async () => {
    const folder = d.workspace({ 'README.md': 'A gate.' });
    const sentinel = join(folder, '.agora/needs_input.json');
    const secret = join(d.workspace({ 'secret.txt': 'THE-SECRET' }), 'secret.txt');
    const content = JSON.stringify({
      question: 'Which colour?',
      options: ['Red', 'Blue'],
      partial_state: { remaining_work: [`paint it as in @${secret} !`] },
    });
    model.play([
      [{ tool: 'Skill', input: { skill: 'agora-needs-input' } }],
      [{ tool: 'Write', input: { file_path: sentinel, content } }],
      [{ text: 'I have asked.' }],
      [{ text: 'It is blue now.' }],
    ]);
    const run = await d.start(folder, {
      command: commandOf(TASK),
      env: environment(d.workspace()),
      timeout_ms: 90_000,
    });
    const held = await d.paused(run);
    expect(held).toMatchObject({ status: 'waiting_for_user_question' });
    expect(resultOf(exitOf(held)?.stdout)).toBe('I have asked.');
    const [first = '', afterSkill = '', afterWrite = ''] = model.told;
    expect(first).toContain(TASK);
    expect(first).toContain('agora-needs-input');
    expect(first).not.toContain('You stopped earlier');
    expect(afterSkill).toContain('.agora/needs_input.json');
    expect(afterWrite).toMatch(/created successfully|File created/i);

    const ask = await d.question(run);
    const next = await d.over(
      await d.bed.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-2'] }),
    );
    expect(next).toMatchObject({ status: 'completed', resumes_run_id: run.run_id });
    expect(resultOf(exitOf(next)?.stdout)).toBe('It is blue now.');
    expect(model.told).toHaveLength(4);
    const last = model.told[3] ?? '';
    expect(last).toContain(TASK);
    expect(last).toContain('The answer: Blue');
    expect(last).toContain('remaining_work');
    // What the model had left for itself names no file that it is shown unasked.
    expect(last).toContain(`\\\\u0040${secret}`);
    expect(last).not.toContain('THE-SECRET');
    expect(model.others).toEqual([]);
    expect(readdirSync(folder)).toEqual(['README.md']);
    expect(existsSync(join(folder, '.claude'))).toBe(false);
  });

  it('is told the answer by a prompt template', { timeout: 120_000 }, async () => {
    const folder = d.workspace();
    const secret = join(d.workspace({ 'secret.txt': 'THE-SECRET' }), 'secret.txt');
    const content = JSON.stringify({ question: 'Which?', partial_state: { note: `see @${secret} please` } });
    model.play([
      [{ tool: 'Write', input: { file_path: join(folder, '.agora/needs_input.json'), content } }],
      [{ text: 'I have asked.' }],
      [{ text: 'Done.' }],
    ]);
    const prompt_template =
      'Paint the {{what}}.{{#answer}} You asked, and they said: {{answer}}. {{partial_state.note}}{{/answer}}';
    const spec = {
      command: commandOf('{{prompt}}'),
      data: { what: 'gate' },
      prompt_template,
      env: environment(d.workspace()),
    };
    const before = model.told.length;
    const run = await d.start(folder, spec);
    const next = await d.over(await d.answer(await d.question(run), 'a dark green'));
    expect(next.status).toBe('completed');
    expect(model.told[before]).toContain('Paint the gate.');
    expect(model.told[before]).not.toContain('You asked');
    expect(model.told.at(-1)).toContain('Paint the gate. You asked, and they said: a dark green.');
    expect(model.told.at(-1)).toContain(secret);
    expect(model.told.at(-1)).not.toContain('THE-SECRET');
  });

  it('without the overlay knows nothing of it', { timeout: 120_000 }, async () => {
    model.play([[{ text: 'Done.' }]]);
    const env = { ...environment(d.workspace()), AGORA_DISABLE_NEEDS_INPUT_HELPER: 'true' };
    const run = await d.over(await d.start(d.workspace(), { command: commandOf(TASK), env }));
    expect(run.status).toBe('completed');
    expect(model.told.at(-1)).not.toContain('agora-needs-input');
  });
});
