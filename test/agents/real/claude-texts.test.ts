// What a person wrote, at the real Claude Code: words reach its model as they were typed, also where they begin with a
// slash. Only the name of one of its own commands is taken for that, as at its terminal, and the run says so.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude, claudeVersion } from './binaries.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const toldSince = (count: number): string[] => testBed.model.told.slice(count);
const statusOf = ({ outputs }: { outputs: { type?: string | undefined; text?: string | undefined }[] }) =>
  outputs.flatMap(({ type, text }) => (type === 'status' ? [text] : []));

describe.skipIf(!claude)(`Claude Code ${claudeVersion}: texts that begin with a slash`, () => {
  it('are words, or commands of its own: each reaches whom it is for, and nothing is done in silence', async () => {
    testBed.model.play([[{ text: 'Done.' }]]);
    const folder = testBed.folder();
    mkdirSync(join(folder, '.claude', 'commands'), { recursive: true });
    writeFileSync(join(folder, '.claude', 'commands', 'greet.md'), 'Say good day to $ARGUMENTS.');
    const { session_id } = await testBed.bed.api.sessions.create({ agent: 'claude', work_folder: folder });
    const say = async (text: string) => {
      const before = testBed.model.told.length;
      const run = await testBed.over(await testBed.bed.api.runs.start(session_id, { input: { text } }));
      expect(run).toMatchObject({ status: 'completed' });
      return { told: toldSince(before), status: statusOf(run), run };
    };
    for (const text of ['/etc/hosts is wrong, fix it', '/nothing of that name', ' /config is broken, fix it\n']) {
      const { told, status } = await say(text);
      expect(told).toHaveLength(1);
      expect(testBed.lastTold()).toContain(JSON.stringify(text));
      expect(status).toEqual([]);
    }
    await say('/greet the gate');
    expect(testBed.lastTold()).toContain('Say good day to the gate.');
    const command = await say('/config is broken, fix it');
    expect(command.told).toEqual([]);
    expect(command.status).toEqual([expect.stringContaining('/config')]);
    expect((await say('/clear')).status).toEqual([expect.stringContaining('/clear')]);
    const { told } = await say('and now?');
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('/etc/hosts');
    expect((await say('and then?')).told[0]).toContain('and now?');
  });
});
