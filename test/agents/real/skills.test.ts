// Published skills for hosted agents: the real Claude Code and Codex find what their run names among their skills, and the
// workspace is as it was whenever none of their processes is there.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUIDE, skillZip } from '../../support/skill-zips.ts';
import type { TestBed } from '../../support/test-bed.ts';
import { claude, claudeVersion, codex, codexVersion } from './binaries.ts';
import { choice } from './claude-calls.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';
import { CodexTestBed } from './codex-test-bed.ts';

const publish = ({ api }: TestBed) =>
  api.skills.upload({
    file: new Blob([new Uint8Array(skillZip('review-notes', GUIDE))]),
    fileName: 'review-notes.zip',
  });

/** A workspace whose owner has a skill too. */
function inhabit(folder: string, place: string): string {
  mkdirSync(join(folder, place, 'mine'), { recursive: true });
  writeFileSync(join(folder, place, 'mine', 'SKILL.md'), '---\nname: mine\ndescription: of the owner\n---\nMine.\n');
  return folder;
}
/** Everything in a workspace, with its contents. */
const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, readIfFile(path)]);
function readIfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: skills`, () => {
  let testBed: ClaudeTestBed;
  beforeAll(async () => {
    testBed = await ClaudeTestBed.open();
    await publish(testBed.bed);
  });
  afterAll(() => testBed.close());

  const question = choice('Go on?', 'On', { Yes: 'y', No: 'n' });

  it('finds the skill before and after it was held; meanwhile and afterwards the folder is as it was', async () => {
    const folder = inhabit(testBed.folder(), '.claude/skills');
    const before = contents(folder);
    testBed.model.play([
      [{ tool: 'Skill', input: { skill: 'review-notes' }, id: 'toolu_skill' }],
      [{ tool: 'AskUserQuestion', input: { questions: [question] }, id: 'toolu_skill_q' }],
      [
        {
          tool: 'Bash',
          input: { command: '.claude/skills/review-notes/scripts/count.sh', description: 'd' },
          id: 'toolu_count',
        },
      ],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ skills: ['review-notes'], patience_ms: 0 }, { work_folder: folder });
    const ask = await testBed.ask(run);
    await testBed.bed.until(async () => (await testBed.bed.events(run.session_id, 'run.released'))[0]);
    expect(testBed.model.told[0]).toContain('review-notes');
    expect(testBed.model.told[0]).toContain('of the owner');
    expect(testBed.model.told[1]).toContain('# Review notes');
    expect(contents(folder)).toEqual(before);
    await testBed.bed.answer(ask, { question_id: 'question-1', selected_option_ids: ['option-1'] });
    await testBed.bed.decide(await testBed.ask(run), { behavior: 'allow' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.result('toolu_count')).toEqual({ text: '3', isError: false });
    expect(contents(folder)).toEqual(before);
  });

  it('is allowed nothing by a published skill; what one of the folder would allow is said with its approval', async () => {
    const opens =
      'allowed-tools: Bash, Write\nhooks:\n  PreToolUse:\n    - matcher: "*"\n      hooks: [{ type: command, command: touch hooked }]';
    const guide = `---\nname: opener\ndescription: how to open\n${opens}\n---\n\n# Opener\n!\`touch ran\`\n`;
    const plugin = {
      name: 'opener',
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch plugged' }] }] },
    };
    const file = skillZip('opener', guide, {
      'opener/.claude-plugin/plugin.json': Buffer.from(JSON.stringify(plugin)),
    });
    await testBed.bed.api.skills.upload({ file: new Blob([new Uint8Array(file)]), fileName: 'opener.zip' });
    const folder = testBed.folder();
    mkdirSync(join(folder, '.claude/skills/mine'), { recursive: true });
    writeFileSync(
      join(folder, '.claude/skills/mine/SKILL.md'),
      `---\nname: mine\ndescription: x\n${opens}\n---\nMine.\n`,
    );
    testBed.model.play([
      [{ tool: 'Skill', input: { skill: 'opener' }, id: 'toolu_opener' }],
      [{ tool: 'Bash', input: { command: 'touch opened', description: 'd' }, id: 'toolu_opened' }],
      [{ tool: 'Skill', input: { skill: 'mine' }, id: 'toolu_mine' }],
      [{ text: 'Done.' }],
    ]);
    const run = await testBed.start({ skills: ['opener'] }, { work_folder: folder });
    for (const [id, reason] of [
      ['toolu_opened', 'd'],
      ['toolu_mine', expect.stringContaining('nobody is asked for those again')],
    ]) {
      const ask = await testBed.ask(run);
      expect(ask).toMatchObject({ tool_call_id: id, request: { reason } });
      await testBed.bed.decide(ask, { behavior: 'deny' });
    }
    const { outputs } = await testBed.over(run);
    expect(readdirSync(folder)).toEqual(['.claude']);
    expect(testBed.model.told.at(-1)?.includes('- opener: how to open')).toBe(true);
    const said = outputs.find(({ type }) => type === 'status')?.text;
    for (const what of ['allowed-tools', 'hooks', '.claude-plugin/plugin.json']) expect(said).toContain(what);
  });

  it('leaves nothing behind when it is killed, and begins nothing without a skill that is missing', async () => {
    const folder = testBed.folder();
    testBed.model.play([[{ tool: 'Bash', input: { command: 'touch x', description: 'd' }, id: 'toolu_skill_k' }]]);
    const run = await testBed.start({ skills: ['review-notes'] }, { work_folder: folder });
    await testBed.ask(run);
    expect(readdirSync(folder).sort()).toEqual(['.agora', '.claude']);
    testBed.kill(run);
    await testBed.bed.until(async () => (await testBed.bed.events(run.session_id, 'run.released'))[0]);
    expect(readdirSync(folder)).toEqual([]);
    await testBed.bed.api.runs.cancel(run.run_id);
    const told = testBed.model.told.length;
    const failed = await testBed.over(await testBed.start({ skills: ['nobody/none'] }));
    expect(failed).toMatchObject({ status: 'failed', outcome: 'fetch-failed' });
    expect(failed.error).toContain('There is no skill "none" in namespace "nobody"');
    expect(testBed.model.told).toHaveLength(told);
  });
});

describe.skipIf(!codex)(`Codex ${codexVersion}: skills`, () => {
  let c: CodexTestBed;
  beforeAll(async () => {
    c = await CodexTestBed.open();
    await publish(c.bed);
  });
  afterAll(() => c.close());

  it('finds the skill, and afterwards the folder is as it was', async () => {
    const folder = inhabit(c.folder(), '.agents/skills');
    const before = contents(folder);
    const count = {
      call: 'exec_command',
      id: 'call_count',
      input: { cmd: '.agents/skills/review-notes/scripts/count.sh' },
    };
    const run = await c.start('with-skills', [[count], [{ text: 'Done.' }]], { skills: ['review-notes'] }, folder);
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    const [first] = c.model.told('with-skills');
    for (const description of ['How to write review notes.', 'of the owner'])
      expect(JSON.stringify(first?.input)).toContain(description);
    expect(c.model.resultOf('with-skills', 'call_count')).toMatch(/Output:\n3/);
    expect(contents(folder)).toEqual(before);
  });
});
