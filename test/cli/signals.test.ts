// Signals, as a terminal and the launcher send them: a command that can be left handles them from its first step on, and
// takes one Ctrl-C that is delivered twice for one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeProxies, openProxy } from './proxy.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from './test-bed.ts';

let bed: TestBed;
let silentUrl: string;
let requests = 0;
beforeAll(async () => {
  bed = await openTestBed();
  silentUrl = await openProxy(() => {
    requests += 1;
  });
});
afterAll(async () => {
  closeProxies();
  await closeTestBeds();
});

const script = (...steps: object[]) => JSON.stringify({ script: steps });
const ASK = script({ do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'make' } });
const SLEEP = script({ do: 'sleep', ms: 60_000 });

describe('a signal while the command connects', PATIENT, () => {
  it.each([
    ['run', 'mock', 'x'],
    ['run', 'mock', 'x', '--wait'],
    ['questions', 'answer', 'ask_1', '--interactive'],
    ['approvals', 'allow', 'ask_1', '--wait'],
    ['approvals', 'deny-all'],
    ['threads', 'follow', 'x'],
    ['events', '--follow'],
    ['inbox'],
    ['mcp'],
    ['demo', '--auto'],
  ])('ends it as left, with nothing done: %s %s', async (...args) => {
    const before = requests;
    const running = bed.start(args, { env: { HOLDPOINT_URL: silentUrl } });
    await expect.poll(() => requests, PATIENT).toBeGreaterThan(before);
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({
      code: 8,
      stdout: '',
      stderr: expect.stringMatching(/^holdpoint: .+\n$/),
    });
  });

  it('ends a worker as drained', async () => {
    const before = requests;
    const running = bed.start(['worker', '--url', silentUrl]);
    await expect.poll(() => requests, PATIENT).toBeGreaterThan(before);
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('a Ctrl-C that is delivered again and again', PATIENT, () => {
  const hasOutput = ({ stdout, stderr }: ReturnType<TestBed['start']>) => stdout() !== '' || stderr() !== '';
  const hasRun = async () => (await bed.client.runs.list({ session_id: 'twice' })).items.length > 0;

  it.each([
    ['run', ['run', 'mock', 'x', '--input-json', ASK], hasOutput, 8, 'continues'],
    [
      'run --wait',
      ['run', 'mock', 'x', '--input-json', SLEEP, '--session-id', 'twice', '--wait'],
      hasRun,
      8,
      'continues',
    ],
    ['events --follow', ['events', '--follow', '--after', '0'], hasOutput, 0, ''],
    ['demo', ['demo', '--auto', '--pause-ms', '60000'], hasOutput, 8, 'nothing more was answered'],
  ] as const)('ends %s once, with its own exit code and message', async (_, args, isReady, code, message) => {
    const running = bed.start([...args]);
    await expect.poll(() => isReady(running), PATIENT).toBe(true);
    running.child.kill('SIGINT');
    const again = setInterval(() => running.child.kill('SIGINT'), 2);
    expect(await running.ended).toMatchObject({ code, stderr: expect.stringContaining(message) });
    clearInterval(again);
  });
});
