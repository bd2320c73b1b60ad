// The static permission modes of the real Claude Code, selected for a run: what is asked and what is not.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { ClaudeRig } from './claude-rig.ts';

let rig: ClaudeRig;
beforeAll(async () => {
  rig = await ClaudeRig.open();
  // Without a person at the keyboard Claude Code skips permissions for root only where it is told that it may.
  process.env.IS_SANDBOX = '1';
});
afterAll(() => rig.close());
afterEach(() => expect(rig.model.others).toEqual([]));

let made = 0;
/** It writes a file, then makes another by a command. */
async function work(input: Record<string, unknown>, session = {}) {
  made += 1;
  const id = `toolu_mode_${made}`;
  const folder = rig.folder();
  rig.model.play([
    [{ tool: 'Write', input: { file_path: join(folder, 'written'), content: 'w' }, id: `${id}_w` }],
    [{ tool: 'Bash', input: { command: 'touch touched', description: 'd' }, id: `${id}_b` }],
    [{ text: 'Done.' }],
  ]);
  const run = await rig.start(input, { ...session, work_folder: folder });
  return { ...run, folder };
}

async function asked(run: Awaited<ReturnType<typeof work>>): Promise<string[]> {
  const tools: string[] = [];
  for (;;) {
    const now = await rig.stage.until(async () => {
      const { finished_at_ms, error } = await rig.stage.api.runs.get(run.run_id);
      if (finished_at_ms !== undefined) return { error };
      const [ask] = (await rig.stage.api.asks.list({ run_id: run.run_id, status: 'pending' })).items;
      return ask && { ask };
    });
    if (!('ask' in now) || !now.ask) return now.error === undefined ? tools : [...tools, now.error];
    tools.push((now.ask.request as { tool_name: string }).tool_name);
    await rig.stage.decide(now.ask, { behavior: 'allow' });
  }
}

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: permission modes`, () => {
  it.each([
    ['default', ['Write', 'Bash']],
    ['acceptEdits', []],
    ['bypassPermissions', []],
  ])('%s asks for %j', async (permission_mode, expected) => {
    const run = await work({ permission_mode });
    expect(await asked(run)).toEqual(expected);
    expect(rig.files(run)).toEqual(['touched', 'written']);
  });

  it('dontAsk asks nobody, and does not do it', async () => {
    const run = await work({ permission_mode: 'dontAsk' });
    expect(await asked(run)).toEqual([]);
    expect(rig.files(run)).toEqual([]);
  });

  it('an autonomous session lets everything pass, on the record', async () => {
    const run = await work({}, { permissions: 'autonomous' });
    expect(await asked(run)).toEqual([]);
    expect(rig.files(run)).toEqual(['touched', 'written']);
    const { items } = await rig.stage.api.asks.list({ run_id: run.run_id });
    expect(items.map((ask) => ask.answer?.answered_by)).toEqual(['policy:autonomous', 'policy:autonomous']);
  });

  it('refuses a mode that it does not know, before anything is started', async () => {
    const told = rig.model.told.length;
    const run = await work({ permission_mode: 'yolo' });
    expect((await asked(run))[0]).toMatch(/permission_mode.*bypassPermissions|bypassPermissions.*permission_mode/s);
    expect(rig.model.told).toHaveLength(told);
  });

  it('says what is missing where there is no folder, or no Claude Code', async () => {
    const { session_id } = await rig.stage.api.sessions.create({ agent: 'claude' });
    const nowhere = await rig.stage.api.runs.start(session_id, { input: { text: 'go' } });
    expect(await rig.over(nowhere)).toMatchObject({ status: 'failed', error: expect.stringContaining('work_folder') });
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    const without = await rig.start();
    expect(await rig.over(without)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not installed'),
    });
    process.env.PATH = PATH;
  });
});
