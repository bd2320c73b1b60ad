// Published skills in the workspaces of runs that ask for them: laid before the command runs, with scripts and binary files,
// and removed afterwards so that every byte is as before.
// Covers: src/client/skill-files.ts
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GUIDE, skillZip } from '../../support/skill-zips.ts';
import { ExecTestBed, exitOf } from '../exec/test-bed.ts';

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open();
  const bytes = skillZip('review-notes', GUIDE, { 'review-notes/data.bin': new Uint8Array([0, 255, 128, 10]) });
  const file = new Blob([new Uint8Array(bytes)]);
  await d.bed.api.skills.upload({ file, fileName: 'review-notes.zip' });
  await d.bed.api.skills.upload({ file, fileName: 'review-notes.zip', namespace: 'team' });
});
afterAll(() => d.close());

const shell = (script: string, more: object = {}) => ({ command: ['/bin/sh', '-c', script], ...more });

it('lays skills where the runtime looks for them, and removes them afterwards', async () => {
  const folder = d.workspace({ 'README.md': 'A gate.' });
  const script =
    'cat .agora/skills/review-notes/SKILL.md; .agora/skills/review-notes/scripts/count.sh; od -An -tu1 .agora/skills/review-notes/data.bin';
  const run = await d.over(await d.start(folder, shell(script, { skills: ['review-notes'] })));
  expect(run.status).toBe('completed');
  const { stdout } = exitOf(run) as { stdout: string };
  expect(stdout).toContain('description: "How to write review notes."\nversion: "1.2"\n---\n\n# Review notes\n');
  expect(stdout).toMatch(/\n3\n\s*0 255 128 {2}10/);
  expect(readdirSync(folder)).toEqual(['README.md']);
});

it('tells the program in AGENTS.md and in its environment where the skills are', async () => {
  const skills = ['team/review-notes'];
  const script = 'grep SKILL.md AGENTS.md; ls "$AGORA_SKILLS_PATH"';
  const run = await d.over(await d.start(d.workspace(), shell(script, { skills })));
  expect(exitOf(run)?.stdout).toBe('- `.agora/skills/review-notes/SKILL.md`\nreview-notes\n');
  const none = await d.over(await d.start(d.workspace(), shell('grep -c SKILL.md AGENTS.md; env | grep AGORA_SKILLS')));
  expect(exitOf(none)?.stdout).toBe('0\n');
});

it('lays skills for Claude Code in its own folder by namespace, beside the skills of the owner', async () => {
  const folder = d.workspace();
  mkdirSync(join(folder, '.claude/skills/mine'), { recursive: true });
  writeFileSync(join(folder, '.claude/skills/mine/SKILL.md'), 'mine');
  const more = { runtime: 'claude-code', skills: ['team/review-notes'] };
  const run = await d.over(await d.start(folder, shell('ls .claude/skills', more)));
  expect(exitOf(run)?.stdout.trim().split('\n')).toEqual(['agora-needs-input', 'mine', 'review-notes']);
  expect(readdirSync(join(folder, '.claude/skills'))).toEqual(['mine']);
});

it('keeps what the program changed in a skill, and removes the rest', async () => {
  const folder = d.workspace();
  const script = 'echo more >> .agora/skills/review-notes/SKILL.md';
  await d.over(await d.start(folder, shell(script, { skills: ['review-notes'] })));
  expect(readdirSync(join(folder, '.agora/skills/review-notes'))).toEqual(['SKILL.md']);
});

it('lays the files of one run at a time, and the other reports which run it waits for', async () => {
  const folder = d.workspace();
  const own = { skills: ['review-notes'] };
  const first = await d.start(folder, shell('until [ -e go ]; do sleep 0.05; done; rm go', own));
  await d.bed.until(async () => (existsSync(join(folder, '.agora/skills')) ? true : undefined));
  const second = await d.start(folder, shell('ls .agora/skills', own));
  const text = await d.bed.until(async () => {
    const { outputs } = await d.bed.api.runs.get(second.run_id);
    return outputs.find((output) => output.type === 'status')?.text;
  });
  expect(text).toBe(`Waits until ${first.run_id} has left this folder.`);
  writeFileSync(join(folder, 'go'), '');
  expect((await d.over(first)).status).toBe('completed');
  expect(exitOf(await d.over(second))?.stdout.trim()).toBe('review-notes');
  expect(readdirSync(folder)).toEqual([]);
});

it('fails the run before it starts when a skill is unknown', async () => {
  const folder = d.workspace();
  const run = await d.over(await d.start(folder, shell('touch began', { skills: ['nobody/none'] })));
  expect(run).toMatchObject({ status: 'failed', outcome: 'fetch-failed' });
  expect(run.error).toContain('There is no skill "none" in namespace "nobody"');
  expect(existsSync(join(folder, 'began'))).toBe(false);
});

it('gives a command a skill identity with which it publishes', async () => {
  const folder = d.workspace();
  const run = await d.over(await d.start(folder, shell('printf %s "$WEGENT_SKILL_IDENTITY_TOKEN"')));
  expect(exitOf(run)?.stdout).toMatch(/^hps_/);
});
