// The work folder of `holdpoint run`: named wherever an action is shown or decided, never changed in an existing session,
// and resolved where the command is typed.
// Covers: src/cli/commands/run.ts, src/cli/run-session.ts
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPty } from '../../support/pty.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

const SAY = JSON.stringify({ script: [{ do: 'say', text: 'hello' }] });
const MAKE = { do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'make' } };
const BELOW = { do: 'subagent', id: 'below', script: [MAKE] };

describe('the folder of an approval', PATIENT, () => {
  it('is named in lists, in show, in its run and thread, and when it is decided', async () => {
    const work = await bed.work('somewhere', { work_folder: '/w/shop' });
    const ask = await work.approval('make');
    const shown = async (...args: string[]) => (await bed.run(args)).stdout;
    expect(await shown('approvals', 'list')).toMatch(/Bash: rm -rf build {2}in \/w\/shop$/m);
    expect(await shown('inbox')).toMatch(/Bash: rm -rf build {2}in \/w\/shop$/m);
    for (const args of [
      ['approvals', 'show', ask.ask_id],
      ['runs', 'show', work.runId],
      ['threads', 'show', 'somewhere'],
    ])
      expect(await shown(...args)).toMatch(/Allow Bash\?\n +in \/w\/shop\n/);
    expect(await shown('approvals', 'allow', ask.ask_id)).toMatch(/^allowed Bash: rm -rf build {2}in \/w\/shop$/m);
  });

  it.skipIf(!hasPty)(
    'is named above the prompt of `run --interactive`, here of a sub-agent (needs python3)',
    async () => {
      const args = ['run', 'mock', '--work-folder', 'sub/..', '--input-json', JSON.stringify({ script: [BELOW] })];
      const cwd = realpathSync(bed.server.data);
      const person = bed.terminal([...args, '--interactive'], { cwd, columns: 200 });
      await person.shows(new RegExp(`Allow Bash\\?\\n +in ${cwd}\\n`));
      await person.end();
      const { items } = await bed.client.sessions.list({ status: 'active' });
      expect(items.find(({ agent }) => agent === 'mock')?.work_folder).toBe(cwd);
    },
  );

  it('is named on the card of a run that is followed', async () => {
    const script = JSON.stringify({ script: [MAKE] });
    await bed.client.sessions.create({ agent: 'mock', session_id: 'placed', work_folder: '/w/shop' });
    const args = ['run', 'mock', '--session-id', 'placed', '--input-json', script];
    const waited = await bed.run([...args, '--wait']);
    expect(waited.stdout).toMatch(/! Allow Bash\?\n {2}in \/w\/shop\n/);
    expect(waited.stderr).toContain('session placed works in /w/shop');
  });
});

describe('an existing session', PATIENT, () => {
  it.each([
    ['--work-folder', '/w/other', 'works in /w/shop, not in /w/other'],
    ['--title', 'Other', 'is titled "Shop", not "Other"'],
    ['--label', 'gpu', 'needs the labels here, not gpu'],
  ])('is not used with another %s, and nothing is started', async (flag, value, why) => {
    const made = { agent: 'mock', session_id: 'shop', work_folder: '/w/shop', title: 'Shop', labels: ['here'] };
    await bed.client.sessions.create(made);
    const args = ['run', 'mock', '--session-id', 'shop', '--input-json', SAY, '--detach'];
    expect(await bed.run([...args, flag, value])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(`session shop ${why}; nothing was started`),
    });
    expect((await bed.client.runs.list({ session_id: 'shop' })).items).toEqual([]);
  });

  it('is used when the flags match it', async () => {
    const id = ['--session-id', 'same', '--work-folder', '/w/shop/', '--title', 'Shop', '--label', 'b', '--label', 'a'];
    const args = ['run', 'mock', '--input-json', SAY, '--detach', ...id];
    expect(await bed.run(args)).toMatchObject({ code: 0 });
    expect(await bed.run(args)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('session same') });
    expect((await bed.client.runs.list({ session_id: 'same' })).items).toHaveLength(2);
    expect((await bed.client.sessions.get('same')).work_folder).toBe('/w/shop');
  });
});

describe('a command line that is refused', PATIENT, () => {
  it.each([
    [['x', '--set', 'permission_mode'], '--set takes name=value'],
    [['x', '--set', 'text=y'], '"text" is given twice, by the prompt and by --set'],
    [['x', '--input-json', '{"text":"y"}'], '"text" is given twice, by the prompt and by --input-json'],
    [['x', '--command', 'a', '--set', 'command=b'], '"command" is given twice, by --command and by --set'],
    [['x', '--set', 'a=1', '--set', 'a=2'], '"a" is given twice, by --set and by --set'],
    [['--set', 'text=x', '--input-json', '{"text":"y"}'], '"text" is given twice, by --set and by --input-json'],
    [['x', '--work-folder', ''], '--work-folder takes a folder'],
  ])('leaves no session behind: %j', async (args, why) => {
    const ended = await bed.run(['run', 'mock', '--session-id', 'refused', ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
    await expect(bed.client.sessions.get('refused')).rejects.toMatchObject({ status: 404 });
  });
});

it('resolves a relative work folder where the command is typed', PATIENT, async () => {
  const made = await bed.run(['sessions', 'create', '--work-folder', 'here/../there', '--json']);
  const { work_folder } = JSON.parse(made.stdout);
  expect(work_folder).toMatch(/^\/.*\/there$/);
  expect(work_folder).toBe(join(work_folder));
});
