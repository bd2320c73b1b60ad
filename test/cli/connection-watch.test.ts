// A connection that is lost while a run is followed or waited for.
import { afterAll, describe, expect, it } from 'vitest';
import { startHoldpoint } from '../support/process.ts';
import { closeTestBeds, openTestBed, PATIENT } from './test-bed.ts';

afterAll(closeTestBeds);

describe('a connection that is lost while a run is followed', PATIENT, () => {
  const script = [{ do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'make' } }];
  const args = ['run', 'mock', '--input-json', JSON.stringify({ script })];
  const GIVEN_UP = /connection lost; trying again\nholdpoint: .* did not come back; .*\n .*runs show run_\w+\n$/;
  const watch = async (...more: string[]) => {
    const own = await openTestBed();
    const running = own.start([...args, ...more]);
    await expect.poll(running.stdout, PATIENT).toContain('approvals allow ask_');
    return { own, running };
  };

  it('is reported once, and once more when it is back', async () => {
    const { own, running } = await watch();
    const { url, data } = own.server;
    await own.server.end('SIGKILL');
    await expect.poll(running.stderr, PATIENT).toContain('holdpoint: connection lost; trying again\n');
    await startHoldpoint({ data, args: ['--port', new URL(url).port] });
    await expect.poll(running.stderr, PATIENT).toContain('holdpoint: connected again\n');
    const askId = /approvals allow (ask_\w+)/.exec(running.stdout())?.[1] ?? '';
    expect((await own.run(['approvals', 'allow', askId])).code).toBe(0);
    const { code, stderr } = await running.ended;
    expect([code, stderr.match(/lost/g)?.length, stderr.match(/again\n/g)?.length]).toEqual([0, 1, 2]);
  });

  it('ends the following when the retries end', async () => {
    const { own, running } = await watch('--retry-for-ms', '1500');
    await own.server.end('SIGKILL');
    const { code, stderr } = await running.ended;
    expect(code).toBe(7);
    expect(stderr).toMatch(GIVEN_UP);
  });

  it('ends the waiting when the retries end', async () => {
    const own = await openTestBed();
    const input = JSON.stringify({ script: [{ do: 'sleep', ms: 600_000 }] });
    const waiting = own.start(['run', 'mock', '--input-json', input, '--wait', '--retry-for-ms', '1500']);
    const running = async () => (await own.client.runs.list({ status: 'running' })).items.length;
    await expect.poll(running, PATIENT).toBe(1);
    await own.server.end('SIGKILL');
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(7);
    // The latter if it had not begun to wait yet.
    expect(stderr).toMatch(new RegExp(`${GIVEN_UP.source}|Cannot reach Holdpoint`));
  });
});
