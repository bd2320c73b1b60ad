// `holdpoint ask` and `holdpoint approve` in scripts: what is printed, the exit code of every end, and what a repeated command
// joins. Nothing but an answer or an allow exits with 0.
// Covers: src/cli/shell-ask.ts, src/cli/commands/approve.ts, src/cli/mcp-session-record.ts
import { afterEach, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { temporaryFolder } from '../../support/process.ts';
import { command, type Ended, PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();
afterEach(() => bed.clear());
const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

/** Commands of one folder with one state folder, as of one person. */
function person() {
  const env = bed.env({ HOLDPOINT_DATA: temporaryFolder() });
  const folder = temporaryFolder();
  const typed =
    (line: string) =>
    (...args: string[]) =>
      command(['-c', `cd "$1"; shift; ${line}`, 'sh', folder, process.execPath, main, ...args], env, '', '/bin/bash');
  return Object.assign(typed('exec "$@"'), {
    intoClosedPipe: typed('set -o pipefail; "$@" | true'),
    intoFullDisk: typed('"$@" > /dev/full'),
  });
}
const DEPLOY = ['ask', 'Deploy?', '--option', 'staging', '--option', 'production'];

async function pending(count = 1): Promise<AskView[]> {
  for (;;) {
    const { items } = await bed.client.asks.list({ status: 'pending', limit: 500 });
    if (items.length >= count) return items;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const answer = ({ ask_id, run_id }: AskView, option: string) =>
  bed.client.questions.answerRun(run_id, {
    resolution: { request_id: ask_id, answers: [{ question_id: 'question-1', selected_option_ids: [option] }] },
  });
const decide = ({ ask_id, run_id }: AskView, decision: object) =>
  bed.client.approvals.decideRun(run_id, {
    resolutions: [{ request_id: ask_id, behavior: 'allow', ...decision }],
  });
const result = ({ code, stdout }: Ended) => [code, stdout];

describe('holdpoint ask', PATIENT, () => {
  it('prints the answer, is delivered, and leaves no session behind', async () => {
    const asked = person()(...DEPLOY);
    const [ask] = await pending();
    if (ask) await answer(ask, 'option-1');
    expect(result(await asked.ended)).toEqual([0, 'staging\n']);
    expect(await bed.client.asks.get(ask?.ask_id ?? '')).toMatchObject({ delivery: { state: 'delivered' } });
    expect(await bed.client.sessions.get(ask?.session_id ?? '')).toMatchObject({ status: 'ended' });
  });

  it('keeps its exit code where the end has no value for a field, and refuses a misspelt field before it asks', async () => {
    const say = person();
    const fields = ['--fields', 'status,answer,justification'];
    const expired = await say(...DEPLOY, '--expires-after-ms', '1', ...fields).ended;
    expect(result(expired)).toEqual([5, '{"status":"expired"}\n']);
    const misspelt = await say('approve', '--tool', 'deploy', '--wait-ms', '0', '--fields', 'status,alowed').ended;
    expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('no field \\"alowed\\"') });
    expect((await bed.client.asks.list({ status: 'pending' })).items).toEqual([]);
  });

  it('has an exit code for declined, expired, away and cancelled, and prints nothing then', async () => {
    const say = person();
    const declined = say('ask', 'Why?');
    const [ask] = await pending();
    const resolution = { request_id: ask?.ask_id ?? '', declined: true as const, justification: 'no idea' };
    await bed.client.questions.answerRun(ask?.run_id ?? '', { resolution });
    expect(await declined.ended).toMatchObject({ code: 11, stdout: '', stderr: expect.stringContaining('no idea') });
    expect(result(await say('ask', 'When?', '--expires-after-ms', '1').ended)).toEqual([5, '']);
    const away = await say('ask', 'Who?', '--wait-ms', '0', '--json').ended;
    expect([away.code, away.stdout]).toEqual([12, '']);
    const cancelled = say('ask', 'Who?');
    const [other] = await pending();
    await bed.client.questions.cancel(other?.run_id ?? '', other?.ask_id ?? '');
    expect(result(await cancelled.ended)).toEqual([9, '']);
  });

  it('joins the request of an interrupted command, and gets its answer once', async () => {
    const say = person();
    const first = say(...DEPLOY);
    const [ask] = await pending();
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 8, stdout: '', stderr: expect.stringContaining('stays open') });
    if (ask) await answer(ask, 'option-2');
    expect(result(await say(...DEPLOY).ended)).toEqual([0, 'production\n']);
    expect(result(await say(...DEPLOY, '--wait-ms', '0').ended)).toEqual([12, '']);
    expect((await pending()).map((one) => one.ask_id)).not.toContain(ask?.ask_id);
  });

  it('asks separately while the first command waits, in other words, and from another folder', async () => {
    const say = person();
    const first = say(...DEPLOY);
    await pending();
    const away = ['--wait-ms', '0'];
    for (const repeat of [
      say(...DEPLOY, ...away),
      say(...DEPLOY, '--multi-select', ...away),
      person()(...DEPLOY, ...away),
    ])
      expect((await repeat.ended).code).toBe(12);
    expect(await pending(4)).toHaveLength(4);
    first.child.kill('SIGKILL');
    await first.ended;
  });

  it('returns the same answer again to a script that names its request', async () => {
    const say = person();
    const asked = say(...DEPLOY, '--id', 'release-7', '--json', '--fields', 'answer,answered_by');
    const [ask] = await pending();
    if (ask) await answer(ask, 'option-1');
    expect(JSON.parse((await asked.ended).stdout)).toEqual({ answer: 'staging', answered_by: 'operator' });
    expect(result(await say(...DEPLOY, '--id', 'release-7').ended)).toEqual([0, 'staging\n']);
  });
});

describe('an output that nobody reads', PATIENT, () => {
  it.each(['intoClosedPipe', 'intoFullDisk'] as const)('is no answer: %s', async (output) => {
    const say = person();
    const asked = say[output](...DEPLOY);
    const [ask] = await pending();
    if (ask) await answer(ask, 'option-1');
    expect((await asked.ended).code).toBe(1);
    expect(result(await say(...DEPLOY).ended)).toEqual([0, 'staging\n']);
  });

  it.each(['intoClosedPipe', 'intoFullDisk'] as const)('does not turn a denial into an allow: %s', async (output) => {
    const denied = person()[output]('approve', '--tool', 'deploy', '--json');
    await decide((await pending())[0] as AskView, { behavior: 'deny', reason: 'no' });
    const { code, stderr } = await denied.ended;
    expect(code).not.toBe(0);
    if (output === 'intoFullDisk') expect(stderr).toMatch(/^holdpoint: the output could not be written \(ENOSPC/);
  });
});

describe('holdpoint approve', PATIENT, () => {
  const APPROVE = ['approve', '--tool', 'deploy', '--input-json', '{"target":"production"}'];

  it('exits with 0 for an allow alone, and cannot be edited unless the script reads what was allowed', async () => {
    const say = person();
    const allowed = say(...APPROVE);
    const [ask] = await pending();
    await expect(decide(ask as AskView, { updated_input: { target: 'staging' } })).rejects.toThrow();
    await decide(ask as AskView, {});
    expect(result(await allowed.ended)).toEqual([0, '']);
    const edited = say(...APPROVE, '--editable');
    await decide((await pending())[0] as AskView, { updated_input: { target: 'staging' } });
    expect(await edited.ended).toMatchObject({ code: 0, stdout: '{"target":"staging"}\n' });
    const denied = say(...APPROVE);
    await decide((await pending())[0] as AskView, { behavior: 'deny', reason: 'not on Friday' });
    expect(await denied.ended).toMatchObject({
      code: 11,
      stdout: '',
      stderr: expect.stringContaining('not on Friday'),
    });
    expect((await say(...APPROVE, '--expires-after-ms', '1').ended).code).toBe(5);
  });

  it('refuses wrong input before anything is asked, and a server that is not there', async () => {
    const say = person();
    expect((await say('approve', '--tool', 'deploy', '--input-json', '[]').ended).code).toBe(2);
    expect((await say('approve').ended).code).toBe(2);
    expect((await say(...APPROVE, '--url', 'http://127.0.0.1:9').ended).code).toBe(7);
    expect((await bed.client.asks.list({ status: 'pending' })).items).toEqual([]);
  });
});
