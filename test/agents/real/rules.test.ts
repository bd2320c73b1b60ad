// Rules of a session compiled into the settings of the real agents: what a rule allows or rejects as a whole is decided by
// the agent without an ask, and what depends on the call is asked and decided by the server's rules, never by a person.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claude, claudeVersion, codex, codexVersion, opencode, opencodeVersion } from './binaries.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';
import { CodexTestBed } from './codex-test-bed.ts';
import { OpencodeTestBed } from './opencode-test-bed.ts';

const DONE = [{ text: 'Done.' }];

describe.skipIf(!claude)(`Claude Code ${claudeVersion} under rules`, () => {
  const testBed = new ClaudeTestBed();
  beforeAll(() => testBed.open());
  afterAll(() => testBed.close());

  it('writes unasked where a rule allows that, searches nothing where one rejects it, and has commands decided', async () => {
    const folder = testBed.folder();
    testBed.model.play([
      [{ tool: 'Write', input: { file_path: join(folder, 'new.txt'), content: 'new' }, id: 'toolu_write' }],
      [{ tool: 'Glob', input: { pattern: '*' }, id: 'toolu_glob' }],
      [{ tool: 'Bash', input: { command: 'ls', description: 'd' }, id: 'toolu_ls' }],
      [{ tool: 'Bash', input: { command: 'touch made', description: 'd' }, id: 'toolu_touch' }],
      DONE,
    ]);
    const rules = [
      { tool: 'Write', action: 'allow' },
      { tool: 'Glob', action: 'reject' },
      { tool: 'Bash', matches: { command: 'ls *' }, action: 'reject', message: 'No listings.' },
      { tool: 'Bash', matches: { command: 'touch *' }, action: 'allow' },
    ];
    const run = await testBed.start({ text: 'work' }, { work_folder: folder, rules });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(testBed.result('toolu_glob')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_ls')).toMatchObject({ isError: true, text: expect.stringContaining('No listings.') });
    expect(existsSync(join(folder, 'made'))).toBe(true);
    const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id });
    expect(
      items.map(({ request, answer }) => [(request as { tool_name: string }).tool_name, answer?.answered_by]),
    ).toEqual([
      ['Bash', 'rule:session'],
      ['Bash', 'rule:session'],
    ]);
  });
});

describe.skipIf(!opencode)(`OpenCode ${opencodeVersion} under rules`, () => {
  const testBed = new OpencodeTestBed();
  beforeAll(() => testBed.open());
  afterAll(() => testBed.close());

  it('edits unasked where a rule allows that, and has commands decided by rules', async () => {
    const folder = testBed.folder();
    testBed.model.play(
      [
        [{ tool: 'write', input: { filePath: join(folder, 'new.txt'), content: 'new' }, id: 'call_1' }],
        [{ tool: 'bash', input: { command: 'touch made', description: 'd' }, id: 'call_2' }],
        [{ tool: 'bash', input: { command: 'touch never; rm new.txt', description: 'd' }, id: 'call_3' }],
        DONE,
      ],
      'ruled',
    );
    const rules = [
      { tool: 'Edit', action: 'allow' as const },
      { tool: 'Bash', matches: { command: 'rm *' }, action: 'reject' as const, message: 'Delete nothing.' },
      { tool: 'Bash', matches: { command: 'touch *' }, action: 'allow' as const },
    ];
    const { session_id } = await testBed.bed.api.sessions.create({ agent: 'opencode', work_folder: folder, rules });
    const run = await testBed.bed.api.runs.start(session_id, { input: { text: 'Do this: ruled' } });
    expect(await testBed.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(existsSync(join(folder, 'made'))).toBe(true);
    expect(existsSync(join(folder, 'never'))).toBe(false);
    expect(testBed.told('ruled')).toContain('Delete nothing.');
    const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id });
    expect(items.map(({ answer }) => [answer?.behavior, answer?.answered_by])).toEqual([
      ['allow', 'rule:session'],
      ['deny', 'rule:session'],
    ]);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion} under rules`, () => {
  let testBed: CodexTestBed;
  beforeAll(async () => {
    testBed = await CodexTestBed.open(() => '');
  });
  afterAll(() => testBed.close());

  it('has commands and changes of files decided by rules, although it was started with --full-auto', async () => {
    const folder = testBed.folder();
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+one\n*** End Patch\n';
    testBed.model.play('ruled', [
      [{ call: 'exec_command', id: 'call_1', input: { cmd: 'touch made' } }],
      [{ call: 'exec_command', id: 'call_2', input: { cmd: 'touch never' } }],
      [{ patch, id: 'call_3' }],
      DONE,
    ]);
    const rules = [
      { tool: 'Bash', matches: { command: 'touch never' }, action: 'reject' as const, message: 'Not that.' },
      { tool: 'Bash', matches: { command: 'touch *' }, action: 'allow' as const },
      { tool: 'apply_patch', action: 'reject' as const },
    ];
    const { session_id } = await testBed.bed.api.sessions.create({ agent: 'codex', work_folder: folder, rules });
    const input = { text: 'Do this: ruled', full_auto: true, model: 'gpt-5.5' };
    const run = await testBed.bed.api.runs.start(session_id, { input });
    expect(await testBed.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect(existsSync(join(folder, 'made'))).toBe(true);
    expect(existsSync(join(folder, 'never'))).toBe(false);
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
    const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id });
    expect(items.map(({ answer }) => answer?.answered_by)).not.toContain('operator');
    expect(items.every(({ status }) => status === 'answered')).toBe(true);
  });
});
