// `holdpoint runs` as a process against a real server.
import { describe, expect, it } from 'vitest';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

describe('runs', PATIENT, () => {
  it('lists runs, shows one with its asks, and cancels it', async () => {
    const work = await bed.work('running');
    await bed.client.runs.output(work.runId, { text: 'looking around' });
    const ask = await work.approval('make');
    const listed = await bed.run(['runs', 'list']);
    expect(listed.stdout).toMatch(new RegExp(`^${work.runId} +waiting for approval +\\S+ +running +ship it$`, 'm'));
    const shown = await bed.run(['runs', 'show', '--session-id', 'running']);
    expect(shown.stdout).toContain('looking around');
    expect(shown.stdout).toContain('$ rm -rf build');
    expect(shown.stdout).toContain(`approvals allow ${ask.ask_id}`);
    const json = await bed.run(['runs', 'show', work.runId.slice(-8), '--json']);
    expect(JSON.parse(json.stdout).run_id).toBe(work.runId);
    const cancelled = await bed.run([
      'runs',
      'cancel',
      '--session-id',
      'running',
      '--reason',
      'mistake',
      '--idempotency-key',
      'c',
    ]);
    expect(cancelled).toMatchObject({ code: 0, stdout: `${work.runId} is cancelled\n  mistake\n` });
    expect((await bed.run(['runs', 'list'])).stdout).not.toContain(work.runId);
    expect((await bed.run(['runs', 'list', '--status', 'cancelled', '--json'])).stdout).toContain(work.runId);
  });

  it('finds a run by its id or its session', async () => {
    expect(await bed.run(['runs', 'show'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--session-id'),
    });
    expect((await bed.run(['runs', 'show', 'run_nothing'])).code).toBe(3);
    expect((await bed.run(['runs', 'list', '--status', 'sleeping'])).code).toBe(2);
  });
});
