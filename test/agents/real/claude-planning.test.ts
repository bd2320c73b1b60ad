// The real Claude Code while it plans by itself: nothing that was allowed for work lets a call through then, whoever makes
// it and in whichever run; the plan that is shown is the one that was written, wherever it stands.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { claude, claudeVersion } from './binaries.ts';
import { touch } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

function folderWith(files: Record<string, string>): string {
  const folder = testBed.folder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const enters = (id: string) => [{ tool: 'EnterPlanMode', input: {}, id }];
const exits = (id: string) => [{ tool: 'ExitPlanMode', input: {}, id }];
const writes = (file_path: string, id: string) => [{ tool: 'Write', input: { file_path, content: 'w' }, id }];

/** Decides about each ask as `how` says, until the run is over: what was asked, in order. */
async function asked(run: RunView, how: (ask: AskView) => object): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const ask = await testBed.bed.until(async () => {
      const { finished_at_ms, error } = await testBed.bed.api.runs.get(run.run_id);
      if (finished_at_ms !== undefined) return error ?? 'over';
      return (await testBed.bed.api.asks.list({ run_id: run.run_id, status: 'pending' })).items[0];
    });
    if (typeof ask === 'string') return ask === 'over' ? ids : [...ids, ask];
    ids.push(ask.kind === 'question' ? 'a question' : ask.tool_call_id.replace(/^toolu_[^_]*_/, ''));
    if (ask.kind === 'question') await testBed.bed.decline(ask, 'not now');
    else await testBed.bed.decide(ask, how(ask) as never);
  }
}
const TAKEN = { behavior: 'allow', suggestion_ids: ['session-0'] };
const NOT_NOW = { behavior: 'deny', reason: 'not while you plan' };
const takenThenNothing = ({ tool_call_id }: AskView) => (tool_call_id.endsWith('_x') ? TAKEN : NOT_NOW);

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: planning`, () => {
  it('goes on in the next run, without the rules of earlier ones, until a plan is allowed', async () => {
    const folder = folderWith({ notes: 'as it was' });
    const next = async (session_id: string, text: string) =>
      testBed.bed.api.runs.start(session_id, { input: { text } });
    testBed.model.play([
      [touch('x', 'toolu_run_x')],
      [{ text: 'Done.' }],
      [touch('x a', 'toolu_run_a')],
      enters('toolu_run_enter'),
      [{ tool: 'Read', input: { file_path: join(folder, 'notes') }, id: 'toolu_run_read' }],
      [touch('x b', 'toolu_run_b')],
      [{ text: 'Shall I look at more?' }],
      [touch('x c', 'toolu_run_c')],
      writes(join(folder, 'written'), 'toolu_run_write'),
      [{ text: 'I would make d.' }, ...exits('toolu_run_exit')],
      [touch('x d', 'toolu_run_d')],
      [{ text: 'Done.' }],
    ]);
    const first = await testBed.start({}, { work_folder: folder });
    expect(await asked(first, takenThenNothing)).toEqual(['x']);
    const second = await next(first.session_id, 'plan it');
    expect(await asked(second, takenThenNothing)).toEqual([]);
    expect(testBed.result('toolu_run_b')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_run_read')).toMatchObject({ isError: false });
    const third = await next(first.session_id, 'yes');
    const plan = await testBed.ask(third);
    expect(plan).toMatchObject({
      tool_call_id: 'toolu_run_exit',
      request: { reason: 'There is no plan with this. What it said last:\n\nI would make d.' },
    });
    expect(testBed.result('toolu_run_c')).toMatchObject({ isError: true });
    expect(testBed.result('toolu_run_write')?.text).toContain('in plan mode');
    expect(await asked(third, () => ({ behavior: 'allow' }))).toEqual(['exit', 'd']);
    expect(testBed.files({ folder })).toEqual(['a', 'd', 'notes', 'x']);
  });

  it('holds for a sub-agent that plans in a session that does not', async () => {
    const agent = '---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou are SUB-PLANNER.\n';
    const folder = folderWith({ '.claude/agents/planner.md': agent });
    const input = { description: 'plan', prompt: 'go on', subagent_type: 'planner', run_in_background: false };
    testBed.model.play(
      [[touch('x', 'toolu_sub_x')], [{ tool: 'Agent', input, id: 'toolu_sub_agent' }], [{ text: 'Done.' }]],
      'MAIN-PLANS',
    );
    testBed.model.play(
      [[touch('x sub', 'toolu_sub_touch')], writes(join(folder, 'w'), 'toolu_sub_write'), [{ text: 'Sub done.' }]],
      'SUB-PLANNER',
    );
    const run = await testBed.start({ text: 'MAIN-PLANS' }, { work_folder: folder });
    expect(await asked(run, takenThenNothing)).toEqual(['x', 'touch']);
    expect(testBed.result('toolu_sub_write')?.text).toContain('Tell the agent that called you');
    expect(testBed.files({ folder })).toEqual(['.claude', 'x']);
  });

  it('does not have what a command or a skill of the folder allows; our own tools are not asked about', async () => {
    const allowed = 'allowed-tools: Bash(touch:*)';
    const folder = folderWith({
      '.claude/commands/tidy.md': `---\n${allowed}\n---\nTidy up.\n`,
      '.claude/skills/opener/SKILL.md': `---\nname: opener\ndescription: opens\n${allowed}\n---\nOpen it.\n`,
    });
    const questions = [{ question: 'Which?', options: [{ label: 'One' }, { label: 'Two' }] }];
    testBed.model.play([
      [touch('before', 'toolu_own_before')],
      enters('toolu_own_enter'),
      [{ tool: 'mcp__holdpoint__ask_user', input: { questions }, id: 'toolu_own_question' }],
      [touch('planned', 'toolu_own_planned')],
      [{ text: 'Done.' }],
    ]);
    const typed = await testBed.start({ text: '/tidy', ask_tools: true }, { work_folder: folder });
    expect(await asked(typed, () => NOT_NOW)).toEqual(['a question', 'planned']);
    testBed.model.play([
      [{ tool: 'Skill', input: { skill: 'opener' }, id: 'toolu_own_skill' }],
      enters('toolu_own_enter2'),
      [touch('planned', 'toolu_own_planned2')],
      [{ text: 'Done.' }],
    ]);
    const used = await testBed.start({}, { work_folder: folder });
    const onlySkill = ({ tool_call_id }: AskView) => (tool_call_id.endsWith('skill') ? { behavior: 'allow' } : NOT_NOW);
    expect(await asked(used, onlySkill)).toEqual(['skill', 'planned2']);
    expect(testBed.files({ folder })).toEqual(['.claude', 'before']);
  });

  it('holds for a sub-agent with a mode of its own that works on while the session plans, whatever it calls its file', async () => {
    const agent = '---\nname: free\ndescription: edits\npermissionMode: acceptEdits\n---\nYou are SUB-FREE.\n';
    const folder = folderWith({ '.claude/agents/free.md': agent });
    const input = { description: 'edit', prompt: 'go on', subagent_type: 'free', run_in_background: true };
    const planning = Promise.withResolvers<void>();
    const tried = Promise.withResolvers<void>();
    testBed.model.play(
      [
        [{ tool: 'Agent', input, id: 'toolu_free_agent' }],
        enters('toolu_free_enter'),
        async () => {
          planning.resolve();
          await tried.promise;
          return [{ text: 'Done.' }];
        },
      ],
      'MAIN-ENTERS',
    );
    testBed.model.play(
      [
        async () => {
          await planning.promise;
          return writes(join(folder, 'docs', 'plans', 'x.md'), 'toolu_free_write');
        },
        () => {
          tried.resolve();
          return [{ text: 'Sub done.' }];
        },
      ],
      'SUB-FREE',
    );
    const run = await testBed.start({ text: 'MAIN-ENTERS' }, { work_folder: folder });
    expect(await asked(run, () => NOT_NOW)).toEqual([]);
    expect(testBed.result('toolu_free_write')?.text).toContain('Tell the agent that called you');
    expect(testBed.files({ folder })).toEqual(['.claude']);
  });

  it('writes its plan wherever its settings want that, and shows it as it stands at last; no other file is a plan', async () => {
    const folder = folderWith({
      '.claude/settings.json': JSON.stringify({ plansDirectory: './designs' }),
      '.claude/skills/opener/SKILL.md': `---\nname: opener\ndescription: opens\nallowed-tools: Edit, Write\n---\nOpen it.\n`,
    });
    let file = '';
    testBed.model.play([
      [{ tool: 'Skill', input: { skill: 'opener' }, id: 'toolu_dir_skill' }],
      enters('toolu_dir_enter'),
      writes(join(folder, 'docs', 'plans', 'x.md'), 'toolu_dir_other'),
      (told) => {
        file = /\/[^"\\ ]*\/designs\/[^"\\ ]+\.md/.exec(told)?.[0] ?? 'the plan has no file';
        return [{ tool: 'Write', input: { file_path: file, content: 'Make nice things.' }, id: 'toolu_dir_plan' }];
      },
      () => {
        const input = { file_path: file, old_string: 'nice things', new_string: 'all of it $&' };
        return [{ tool: 'Edit', input, id: 'toolu_dir_edit' }];
      },
      exits('toolu_dir_exit'),
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({}, { work_folder: folder });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    const plan = await testBed.ask(run);
    expect(plan).toMatchObject({ tool_call_id: 'toolu_dir_exit', request: { reason: 'Make all of it $&.' } });
    expect(testBed.result('toolu_dir_other')?.text).toContain('in plan mode');
    await testBed.bed.decide(plan, { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_dir_exit')?.text).toContain('Make all of it $&.');
    expect(testBed.files({ folder })).toEqual(['.claude', 'designs']);
  });

  it('shows a long plan whole, and has the model shorten one that nobody could be shown', async () => {
    const steps = Array.from({ length: 3000 }, (_, i) => `${i + 1}. Make thing ${i + 1}.`).join('\n');
    const planFile = (told: string) => /\/[^"\\ ]*\/plans\/[^"\\ ]+\.md/.exec(told)?.[0] ?? 'the plan has no file';
    testBed.model.play([
      [{ tool: 'ExitPlanMode', input: { plan: steps }, id: 'toolu_long_call' }],
      (told) => [{ tool: 'Write', input: { file_path: planFile(told), content: steps }, id: 'toolu_long_write' }],
      exits('toolu_long_exit'),
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ permission_mode: 'plan' });
    const plan = await testBed.ask(run);
    expect(testBed.result('toolu_long_call')).toMatchObject({
      isError: true,
      text: expect.stringMatching(new RegExp(`${steps.length} characters.* 20000 .*plan file`)),
    });
    expect(plan).toMatchObject({ tool_call_id: 'toolu_long_exit', request: { input: { plan: steps } } });
    expect(plan.request).toMatchObject({ reason: expect.stringContaining('whole in the input') });
    await testBed.bed.decide(plan, { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    // Claude Code itself shows its model the beginning of what is long.
    expect(testBed.result('toolu_long_exit')?.text).toContain('1. Make thing 1.\n2. Make thing 2.');
    expect((await testBed.bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
  });

  it('holds for what a skill brings along that a rule of an earlier run lets through', async () => {
    const folder = folderWith({
      '.claude/skills/opener/SKILL.md':
        '---\nname: opener\ndescription: opens\nallowed-tools: Bash(touch:*)\n---\nOpen it.\n',
    });
    const skill = (id: string) => [{ tool: 'Skill', input: { skill: 'opener' }, id }];
    testBed.model.play([
      skill('toolu_rule_x'),
      [{ text: 'Done.' }],
      skill('toolu_rule_skill'),
      enters('toolu_rule_enter'),
      [touch('planned', 'toolu_rule_planned')],
      [{ text: 'Done.' }],
    ]);
    const first = await testBed.start({}, { work_folder: folder });
    expect(await asked(first, takenThenNothing)).toEqual(['x']);
    const second = await testBed.bed.api.runs.start(first.session_id, { input: { text: 'again' } });
    expect(await asked(second, () => NOT_NOW)).toEqual(['planned']);
    expect(testBed.result('toolu_rule_skill')).toMatchObject({ isError: false });
    expect(testBed.result('toolu_rule_planned')?.text).toContain('not while you plan');
    expect(testBed.files({ folder })).toEqual(['.claude']);
  });
});
