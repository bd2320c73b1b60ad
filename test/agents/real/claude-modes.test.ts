// The static permission modes of the real Claude Code, selected for a run: what is asked and what is
// not, what the model is told, and what is on disk afterwards.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { bash, touch } from './claude-calls.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';

let testBed: ClaudeTestBed;
beforeAll(async () => {
  testBed = await ClaudeTestBed.open();
  // Without a person at the keyboard Claude Code skips permissions for root only where it is told that it may.
  process.env.IS_SANDBOX = '1';
});
afterAll(() => testBed.close());
afterEach(() => expect(testBed.model.others).toEqual([]));

let made = 0;
/** It reads a file, changes it, writes another, makes one with a tool of the file system and one with any program. */
async function work(input: Record<string, unknown>, session = {}) {
  made += 1;
  const id = (what: string) => `toolu_mode_${made}_${what}`;
  const folder = testBed.folder();
  const notes = join(folder, 'notes');
  writeFileSync(notes, 'as it was');
  testBed.model.play([
    [{ tool: 'Read', input: { file_path: notes }, id: id('read') }],
    [{ tool: 'Edit', input: { file_path: notes, old_string: 'was', new_string: 'is' }, id: id('edit') }],
    [{ tool: 'Write', input: { file_path: join(folder, 'written'), content: 'w' }, id: id('write') }],
    [touch('touched', id('touch'))],
    [bash(`${process.execPath} -e "fs.writeFileSync('ran', '')"`, id('run'))],
    [{ text: 'Done.' }],
  ]);
  const run = await testBed.start(input, { ...session, work_folder: folder });
  return { ...run, folder, told: (what: string) => testBed.result(id(what)) };
}

type Work = Awaited<ReturnType<typeof work>>;

async function asked(run: Work): Promise<string[]> {
  const tools: string[] = [];
  for (;;) {
    const now = await testBed.bed.until(async () => {
      const { finished_at_ms, error } = await testBed.bed.api.runs.get(run.run_id);
      if (finished_at_ms !== undefined) return { error };
      const [ask] = (await testBed.bed.api.asks.list({ run_id: run.run_id, status: 'pending' })).items;
      return ask && { ask };
    });
    if (!('ask' in now) || !now.ask) return now.error === undefined ? tools : [...tools, now.error];
    tools.push(now.ask.tool_call_id.replace(/.*_/, ''));
    await testBed.bed.decide(now.ask, { behavior: 'allow' });
  }
}

/** What the model was told that it had done, and what is on disk. */
function done(run: Work) {
  const was = (what: string) => run.told(what)?.isError === false;
  return {
    told: ['read', 'edit', 'write', 'touch', 'run'].filter(was),
    files: testBed.files(run),
    notes: readFileSync(join(run.folder, 'notes'), 'utf8'),
  };
}
const ALL = ['read', 'edit', 'write', 'touch', 'run'];
const EVERYTHING = { told: ALL, files: ['notes', 'ran', 'touched', 'written'], notes: 'as it is' };
const NOTHING = { told: ['read'], files: ['notes'], notes: 'as it was' };

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: permission modes`, () => {
  it.each([
    ['default', ['edit', 'write', 'touch', 'run']],
    ['acceptEdits', ['run']],
    ['bypassPermissions', []],
  ])('%s asks for %j, and does what is allowed', async (permission_mode, expected) => {
    const run = await work({ permission_mode });
    expect(await asked(run)).toEqual(expected);
    expect(done(run)).toEqual(EVERYTHING);
    expect(run.told('read')?.text).toContain('as it was');
  });

  it('plan looks, and changes nothing: nobody is asked, and the model is told', async () => {
    const run = await work({ permission_mode: 'plan' });
    expect(await asked(run)).toEqual([]);
    expect(done(run)).toEqual(NOTHING);
    expect(run.told('read')?.text).toContain('as it was');
    for (const what of ['edit', 'write'])
      expect(run.told(what)).toMatchObject({ isError: true, text: expect.stringContaining('in plan mode') });
    // Without a model that it trusts, Claude Code itself judges no command harmless.
    for (const what of ['touch', 'run']) expect(run.told(what)).toMatchObject({ isError: true });
  });

  it('rules that were taken are out of force while the model plans by itself: it looks and writes its plan unasked, and no more', async () => {
    const planFile = (told: string) => /\/[^"\\ ]*\/plans\/[^"\\ ]+\.md/.exec(told)?.[0] ?? 'the plan has no file';
    testBed.model.play([
      [touch('x', 'toolu_rp_x')],
      [touch('x a', 'toolu_rp_a')],
      [{ tool: 'EnterPlanMode', input: {}, id: 'toolu_rp_enter' }],
      [touch('x b', 'toolu_rp_b')],
      [bash('ls', 'toolu_rp_ls')],
      (told) => [{ tool: 'Write', input: { file_path: planFile(told), content: 'Make c.' }, id: 'toolu_rp_plan' }],
      [{ tool: 'ExitPlanMode', input: {}, id: 'toolu_rp_exit' }],
      [touch('x c', 'toolu_rp_c')],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start();
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow', suggestion_ids: ['session-0'] });
    const plan = await testBed.ask(run);
    expect(plan).toMatchObject({ tool_call_id: 'toolu_rp_exit', request: { reason: 'Make c.' } });
    expect(testBed.files(run)).toEqual(['a', 'x']);
    await testBed.bed.decide(plan, { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    // As it says where no rule was taken: without a model that it trusts, it judges no command harmless that may change something.
    expect(testBed.result('toolu_rp_b')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_rp_ls')).toMatchObject({ isError: false, text: expect.stringMatching(/a\nx/) });
    expect(testBed.result('toolu_rp_plan')).toMatchObject({ isError: false });
    expect(testBed.files(run)).toEqual(['a', 'c', 'x']);
    expect((await testBed.bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(2);
  });

  it('dontAsk asks nobody, does not do it, and tells the model so', async () => {
    const run = await work({ permission_mode: 'dontAsk' });
    expect(await asked(run)).toEqual([]);
    expect(done(run)).toEqual(NOTHING);
    for (const what of ['edit', 'write', 'touch', 'run'])
      expect(run.told(what)).toMatchObject({ isError: true, text: expect.stringMatching(/permission|denied/i) });
  });

  it('an autonomous session lets everything pass, on the record', async () => {
    const run = await work({}, { permissions: 'autonomous' });
    expect(await asked(run)).toEqual([]);
    expect(done(run)).toEqual(EVERYTHING);
    const { items } = await testBed.bed.api.asks.list({ run_id: run.run_id });
    expect(items.map((ask) => ask.answer?.answered_by)).toEqual(Array(4).fill('policy:autonomous'));
  });

  it('refuses a mode that it does not know, before anything is started', async () => {
    const told = testBed.model.told.length;
    const run = await work({ permission_mode: 'yolo' });
    expect((await asked(run))[0]).toMatch(/permission_mode.*bypassPermissions|bypassPermissions.*permission_mode/s);
    expect(testBed.model.told).toHaveLength(told);
  });

  it('says what is missing where there is no folder, or no Claude Code', async () => {
    const { session_id } = await testBed.bed.api.sessions.create({ agent: 'claude' });
    const nowhere = await testBed.bed.api.runs.start(session_id, { input: { text: 'go' } });
    expect(await testBed.over(nowhere)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('work_folder'),
    });
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    const without = await testBed.start();
    expect(await testBed.over(without)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not installed'),
    });
    process.env.PATH = PATH;
  });
});
