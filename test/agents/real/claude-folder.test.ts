// What the work folder of a hosted Claude Code brings along: settings with hooks, sub-agents of another mode, MCP servers.
// They hold where the folder is trusted, and do nothing in a run that does not trust it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { touch } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

function withSettings(): string {
  const folder = testBed.folder();
  const write = (path: string, content: string | object) =>
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  mkdirSync(join(folder, '.claude', 'agents'), { recursive: true });
  write('.claude/agents/free.md', '---\nname: free\ndescription: free\npermissionMode: acceptEdits\n---\nDo it.\n');
  const touches = (file: string) => [{ hooks: [{ type: 'command', command: `touch ${file}` }] }];
  write('.claude/settings.json', { hooks: { SessionStart: touches('hook'), UserPromptSubmit: touches('hook') } });
  write('.mcp.json', { mcpServers: { eager: { command: '/bin/sh', args: ['-c', 'touch server; cat'] } } });
  write('CLAUDE.md', 'Always paint the gate.');
  return folder;
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: what its folder brings along`, () => {
  it.each([
    [true, ['.claude', '.mcp.json', 'CLAUDE.md', 'agent', 'hook', 'server']],
    [false, ['.claude', '.mcp.json', 'CLAUDE.md']],
  ])('trusted: %s', async (trust_folder, files) => {
    const folder = withSettings();
    const [main, sub] = [`MAIN-${trust_folder}`, `SUB-${trust_folder}`];
    const asked = { description: 'x', prompt: sub, subagent_type: 'free', run_in_background: false };
    testBed.model.play([[{ tool: 'Agent', input: asked, id: `toolu_${main}` }], [{ text: 'ok' }]], main);
    testBed.model.play([[touch('agent', `toolu_${sub}`)], [{ text: 'ok' }]], sub);
    const run = await testBed.start({ text: main, trust_folder }, { work_folder: folder });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    expect(testBed.files({ folder })).toEqual(files);
    expect(testBed.model.told.at(-1)?.includes('paint the gate')).toBe(trust_folder);
  });

  it('is not trusted by a message that goes on with a run that did not', async () => {
    const folder = withSettings();
    testBed.model.play([[{ text: 'What next?' }], [{ text: 'Done.' }]]);
    const run = await testBed.start({ trust_folder: false, permission_mode: 'plan' }, { work_folder: folder });
    await testBed.over(run);
    const next = await testBed.bed.api.sessions.say(run.session_id, { text: 'go on' });
    expect(await testBed.over(next)).toMatchObject({ status: 'completed' });
    expect(testBed.files({ folder })).toEqual(['.claude', '.mcp.json', 'CLAUDE.md']);
  });

  it('may have a hook that refuses the prompt: the run fails with its reason', async () => {
    const folder = testBed.folder();
    mkdirSync(join(folder, '.claude'));
    const refuses = [{ hooks: [{ type: 'command', command: 'echo not on fridays >&2; exit 2' }] }];
    writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: refuses } }));
    const run = await testBed.start({ text: '/etc/hosts is wrong' }, { work_folder: folder });
    expect(await testBed.over(run)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not on fridays'),
    });
  });

  it('says that it would find no skills there', async () => {
    const run = await testBed.start({ trust_folder: false, skills: ['review-notes'] });
    expect(await testBed.over(run)).toMatchObject({ status: 'failed', error: expect.stringContaining('trust_folder') });
  });
});
