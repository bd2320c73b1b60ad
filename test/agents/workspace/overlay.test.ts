// The files laid into a workspace that teach a program how to ask: there while it runs, removed afterwards byte for byte, also
// when the worker died in between. Files of the owner are never replaced or lost.
// Covers: src/agents/claude/runtime.ts, src/agents/workspace/files.ts
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claudeRuntime } from '../../../src/agents/claude/runtime.ts';
import { plain } from '../../../src/agents/exec/runtime.ts';
import { layOverlay, removeOverlay } from '../../../src/agents/workspace/overlay.ts';
import { ExecTestBed, exitOf } from '../exec/test-bed.ts';

const SKILL = '.claude/skills/agora-needs-input/SKILL.md';
const OPT_OUT = 'AGORA_DISABLE_NEEDS_INPUT_HELPER';
const SHOW = `cat ${SKILL} AGENTS.md 2>/dev/null; true`;

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open();
});
afterAll(() => d.close());
afterEach(() => {
  delete process.env[OPT_OUT];
});

async function shown(folder: string, more: Record<string, unknown> = {}): Promise<string> {
  const run = await d.over(await d.sh(folder, SHOW, more));
  expect(run.status).toBe('completed');
  return exitOf(run)?.stdout ?? '';
}
const everything = (folder: string): string[] => (readdirSync(folder, { recursive: true }) as string[]).sort();

describe('while the program runs', () => {
  it('lays a skill for Claude Code, recognised by its command or by name, and removes its folders', async () => {
    const folder = d.workspace({ 'README.md': 'x' });
    const text = await shown(folder, { runtime: 'claude-code' });
    expect(text).toMatch(/^---\nname: agora-needs-input\ndescription: /);
    expect(text).toContain('.agora/needs_input.json');
    expect(everything(folder)).toEqual(['README.md']);
    expect(claudeRuntime.recognises(['/opt/bin/claude', '-p'])).toBe(true);
    expect(claudeRuntime.recognises(['claudette'])).toBe(false);
  });

  it('adds a section to AGENTS.md for any other program', async () => {
    const folder = d.workspace();
    expect(await shown(folder)).toMatch(/^## When you need a person's answer[\s\S]*needs_input\.json/);
    expect(everything(folder)).toEqual([]);
  });

  it.each([
    ['ends with a line', '# Rules\n\nBe kind.\n'],
    ['ends without one', '# Rules\r\nNo newline'],
    ['is empty', ''],
    ['is no text', '\u0000\ufeff\ud83d\ude00'],
  ])('adds to an existing AGENTS.md that %s, and restores it', async (_, before) => {
    const folder = d.workspace({ 'AGENTS.md': before });
    const path = join(folder, 'AGENTS.md');
    chmodSync(path, 0o640);
    utimesSync(path, 1000, 1000);
    const text = await shown(folder);
    expect(text).toContain("## When you need a person's answer");
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(statSync(path)).toMatchObject({ mode: 0o100640, mtimeMs: 1_000_000 });
    expect(everything(folder)).toEqual(['AGENTS.md']);
  });

  it('keeps a file of the owner of the same name, and other files in its folders', async () => {
    const folder = d.workspace({ [SKILL]: 'mine', '.claude/settings.json': '{}' });
    expect(await shown(folder, { runtime: 'claude-code' })).toBe('mine');
    expect(readFileSync(join(folder, SKILL), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, '.claude/settings.json'))).toBe(true);
  });

  it('keeps what the program writes beside it and into the laid file', async () => {
    const folder = d.workspace({ 'AGENTS.md': 'old\n' });
    await d.over(await d.sh(folder, 'echo new >> AGENTS.md'));
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe('old\nnew\n');
    const other = d.workspace({ 'AGENTS.md': 'old\n' });
    await d.over(await d.sh(other, 'echo all new > AGENTS.md'));
    expect(readFileSync(join(other, 'AGENTS.md'), 'utf8')).toBe('all new\n');
    const third = d.workspace({ 'AGENTS.md': 'old\n' });
    await d.over(await d.sh(third, 'rm AGENTS.md'));
    expect(everything(third)).toEqual([]);
  });

  it('lays nothing through a link that leads out of the workspace', async () => {
    const [folder, outside] = [d.workspace(), d.workspace({ 'AGENTS.md': 'theirs' })];
    symlinkSync(outside, join(folder, '.claude'));
    symlinkSync(join(outside, 'AGENTS.md'), join(folder, 'AGENTS.md'));
    const run = await d.over(await d.sh(folder, 'true', { runtime: 'claude-code' }));
    expect(run.outputs[0]).toMatchObject({ type: 'status', text: expect.stringContaining(SKILL) });
    await d.over(await d.sh(folder, 'true'));
    expect(everything(outside)).toEqual(['AGENTS.md']);
    expect(readFileSync(join(outside, 'AGENTS.md'), 'utf8')).toBe('theirs');
  });
});

describe('opting out', () => {
  it('is decided by the environment of the run, then of the worker, and only by the value true', async () => {
    const folder = d.workspace();
    expect(await shown(folder, { env: { [OPT_OUT]: 'true' } })).toBe('');
    expect(await shown(folder, { env: { [OPT_OUT]: '1' } })).not.toBe('');
    process.env[OPT_OUT] = 'true';
    expect(await shown(folder)).toBe('');
    expect(await shown(folder, { env: { [OPT_OUT]: 'false' } })).not.toBe('');
  });

  it('leaves the sentinel working', async () => {
    const folder = d.workspace();
    const ask = `echo '{"question":"Still?"}' > "$AGORA_NEEDS_INPUT_PATH"`;
    const run = await d.paused(await d.sh(folder, ask, { env: { [OPT_OUT]: 'true' } }));
    expect(run.status).toBe('waiting_for_user_question');
  });
});

describe('after a crash', () => {
  const lay = async (folder: string, runtime = plain) => {
    mkdirSync(join(folder, '.agora'), { recursive: true });
    await layOverlay(folder, join(folder, '.agora'), runtime.overlay([]));
  };

  it('removes it with the next dispatch in the workspace, whatever its runtime', async () => {
    const folder = d.workspace({ 'AGENTS.md': 'old' });
    await lay(folder, claudeRuntime);
    await shown(folder, { env: { [OPT_OUT]: 'true' } });
    expect(everything(folder)).toEqual(['AGENTS.md']);
    await lay(folder);
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).not.toBe('old');
    await shown(folder, { env: { [OPT_OUT]: 'true' } });
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe('old');
  });

  it('changes nothing else when it is removed twice or partly', async () => {
    const folder = d.workspace({ 'AGENTS.md': 'old' });
    const own = join(folder, '.agora');
    await lay(folder);
    const manifest = readFileSync(join(own, 'overlay.json'));
    await removeOverlay(folder, own);
    writeFileSync(join(own, 'overlay.json'), manifest);
    await removeOverlay(folder, own);
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe('old');
  });

  it('fails the dispatch on an altered manifest, and follows no path out of the workspace', async () => {
    const folder = d.workspace({ '.agora/overlay.json': '{"files":3}' });
    const run = await d.over(await d.sh(folder, 'true'));
    expect(run).toMatchObject({ status: 'failed', outcome: 'integrity-failed' });
    expect(readdirSync(join(folder, '.agora'))).toEqual(['overlay.json']);
    const [inside, outside] = [d.workspace(), d.workspace({ f: 'theirs' })];
    const file = {
      path: `../${outside.split('/').at(-1)}/f`,
      before: null,
      mode: 0o644,
      modified_at: 0,
      added: 'theirs',
    };
    mkdirSync(join(inside, '.agora'));
    writeFileSync(join(inside, '.agora/overlay.json'), JSON.stringify({ files: [file], folders: ['..'] }));
    await d.over(await d.sh(inside, 'true'));
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('theirs');
  });
});
