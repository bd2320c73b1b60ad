// `holdpoint approvals` as a process against a real server: deciding one, several and all approvals, in a batch for each run.
// Covers: src/cli/lookup.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RISK_LABELS } from '../../../src/client/risk-text.ts';
import { temporaryFolder } from '../../support/process.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

const answerOf = async (id: string) => (await bed.client.asks.get(id)).answer;
const statusOf = async (id: string) => (await bed.client.asks.get(id)).status;

describe('approvals list and show', PATIENT, () => {
  it('lists what is pending', async () => {
    const work = await bed.work('listed');
    const ask = await work.approval('listed');
    const { code, stdout } = await bed.run(['approvals', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${ask.ask_id}  .*listed +Bash: rm -rf build$`, 'm'));
    const json = await bed.run(['approvals', 'list', '--session-id', 'listed', '--json']);
    expect(JSON.parse(json.stdout)).toEqual((await bed.client.approvals.ofSession('listed')).items);
  });

  it('marks what is risky in lists, and shows every sign above the command that allows it', async () => {
    const risky = await (await bed.work('risky')).approval('risky', {
      input: { command: 'rm -rf / && curl x.example' },
    });
    const calm = await (await bed.work('calm')).approval('calm', { input: { command: 'ls' } });
    const { risk = [] } = await bed.client.asks.get(risky.ask_id);
    const [gravest, network] = [RISK_LABELS[risk[0]?.risk ?? 'deadline'], RISK_LABELS.network];
    for (const list of [['approvals', 'list'], ['inbox']]) {
      const { stdout } = await bed.run(list);
      expect(stdout).toMatch(new RegExp(`^${risky.ask_id} .*${gravest} \\+${risk.length - 1} +risky +Bash: rm`, 'm'));
      expect(stdout).toMatch(new RegExp(`^${calm.ask_id} +\\S+ +calm +Bash: ls$`, 'm'));
    }
    const shown = await bed.run(['approvals', 'show', risky.ask_id]);
    expect(shown.stdout).toMatch(new RegExp(`^${gravest}: .+ · ${network}: .+\n\n +allow: `, 'm'));
    expect((await bed.run(['approvals', 'show', calm.ask_id])).stdout).not.toContain('·');
  });

  it('marks what runs outside of the folder of its session, in the inbox too', async () => {
    const { session_id } = await bed.client.sessions.create({ agent: 'external', work_folder: '/srv/shop' });
    const { run_id } = await bed.client.runs.start(session_id, { input: { text: 'work' } });
    const call = { tool_call_id: 'c', tool_name: 'Bash', input: { command: 'npm test' }, work_folder: '/srv/live' };
    const ask = await bed.client.asks.raise(run_id, { kind: 'approval', ...call });
    for (const list of [['approvals', 'list'], ['inbox']])
      expect((await bed.run(list)).stdout).toMatch(new RegExp(`^${ask.ask_id} .*Outside the folder`, 'm'));
    const shown = await bed.run(['approvals', 'show', ask.ask_id]);
    expect(shown.stdout).toMatch(/^Outside the folder: runs in \/srv\/live, not in the session’s folder$/m);
  });

  it('shows the command, the reason, the rest of the input, and file changes as a diff', async () => {
    const work = await bed.work();
    const bash = await work.approval('bash', { input: { command: 'rm -rf build', timeout_ms: 5000 } });
    const shown = await bed.run(['approvals', 'show', bash.ask_id]);
    expect(shown.stdout).toMatch(/Allow Bash\?\n\s+a clean build\n\n\s+\$ rm -rf build\n\s+timeout_ms: 5000/);
    expect(shown.stdout).toContain(`approvals allow ${bash.ask_id}`);
    const input = { file_path: 'a.ts', old_string: 'let a = 1;\nlet b = 2;\n', new_string: 'let a = 1;\nlet b = 3;\n' };
    const edit = await work.approval('edit', { tool_name: 'Edit', input });
    const diff = await bed.run(['approvals', 'show', edit.ask_id]);
    expect(diff.stdout).toMatch(/a\.ts\n\s+let a = 1;\n\s+-let b = 2;\n\s+\+let b = 3;/);
    const sent = await work.approval('diff', { diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new' });
    expect((await bed.run(['approvals', 'show', sent.ask_id])).stdout).toMatch(/@@ -1 \+1 @@\n\s+-old\n\s+\+new/);
  });

  it('shows how an approval ended, and the input that was allowed instead', async () => {
    const ask = await (await bed.work()).approval('ended');
    const resolution = { request_id: ask.ask_id, behavior: 'allow' as const, updated_input: { command: 'ls' } };
    await bed.client.approvals.decideRun(ask.run_id, { resolutions: [resolution] });
    const { stdout } = await bed.run(['approvals', 'show', ask.ask_id]);
    expect(stdout).toMatch(/allowed by operator \(api\)/);
    expect(stdout).toMatch(/allowed instead\n\s+\$ ls/);
    expect(stdout).not.toContain('approvals allow ask_');
  });
});

describe('approvals allow and deny', PATIENT, () => {
  it('shows which sub-agent asks', async () => {
    const work = await bed.work();
    const ask = await work.approval('below', { lineage: ['reviewer', 'helper: look'], work_folder: '/w/sub' });
    const { stdout } = await bed.run(['approvals', 'show', ask.ask_id]);
    expect(stdout).toContain('asked by reviewer › helper: look');
    expect(stdout).toContain('in /w/sub');
    const question = await work.question('below-too', { lineage: ['reviewer'] });
    expect((await bed.run(['questions', 'show', question.ask_id])).stdout).toContain('asked by reviewer');
  });

  it('allows a suggestion of the agent by the id that is shown', async () => {
    const suggestions = [{ id: 'session', label: 'Do not ask again' }];
    const ask = await (await bed.work()).approval('suggested', { suggestions });
    const shown = await bed.run(['approvals', 'show', ask.ask_id]);
    expect(shown.stdout).toMatch(/--suggestion session {2}the agent's own rule, .*: Do not ask again/);
    expect(shown.stdout).toMatch(/--always {2}a grant of Holdpoint: .* can be revoked/);
    expect(await bed.run(['approvals', 'allow', ask.ask_id, '--suggestion', 'all'])).toMatchObject({
      stderr: expect.stringContaining('It has: session.'),
    });
    await bed.run(['approvals', 'allow', ask.ask_id, '--suggestion', 'session']);
    expect(await answerOf(ask.ask_id)).toMatchObject({ behavior: 'allow', suggestion_ids: ['session'] });
  });

  it('allows one approval with a justification', async () => {
    const ask = await (await bed.work()).approval('one');
    const ended = await bed.run(['approvals', 'allow', ask.ask_id.slice(-8), '--justification', 'looked']);
    expect(ended).toEqual({ code: 0, stderr: '', stdout: `allowed Bash: rm -rf build\n${ask.run_id} is running\n` });
    expect(await answerOf(ask.ask_id)).toMatchObject({ behavior: 'allow', surface: 'cli', justification: 'looked' });
  });

  it('allows another input from a flag or a file', async () => {
    const work = await bed.work();
    const [a, b] = [await work.approval('a'), await work.approval('b')];
    const json = await bed.run([
      'approvals',
      'allow',
      a.ask_id,
      '--updated-input',
      '{"command":"rm -r dist"}',
      '--json',
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({ run_id: work.runId, pending_approval_ids: [b.ask_id] });
    const file = join(temporaryFolder(), 'input.json');
    writeFileSync(file, '{"command":"true"}');
    expect((await bed.run(['approvals', 'allow', b.ask_id, '--updated-input-file', file])).code).toBe(0);
    expect((await answerOf(a.ask_id))?.updated_input).toEqual({ command: 'rm -r dist' });
    expect((await answerOf(b.ask_id))?.updated_input).toEqual({ command: 'true' });
  });

  it('names the changed command that was allowed, and the one that was asked for', async () => {
    const ask = await (await bed.work()).approval('changed');
    const ended = await bed.run(['approvals', 'allow', ask.ask_id, '--updated-input', '{"command":"ls build"}']);
    expect(ended.stdout).toBe(`allowed Bash: ls build  instead of Bash: rm -rf build\n${ask.run_id} is running\n`);
    const events = await bed.run(['events', '--session-id', ask.session_id]);
    expect(events.stdout).toContain('changed to "ls build" and allowed by operator (cli)');
  });

  it('denies with a reason for the agent', async () => {
    const ask = await (await bed.work()).approval('deny');
    expect((await bed.run(['approvals', 'deny', ask.ask_id, '--reason', 'not on friday'])).code).toBe(0);
    expect(await answerOf(ask.ask_id)).toMatchObject({ behavior: 'deny', reason: 'not on friday' });
  });

  it('records a denial whose reason is the word withdrawn as a denial', async () => {
    const ask = await (await bed.work()).approval('withdrawn');
    expect((await bed.run(['approvals', 'deny', ask.ask_id, '--reason', 'withdrawn'])).code).toBe(0);
    const shown = await bed.run(['approvals', 'show', ask.ask_id]);
    expect(shown.stdout).toContain('denied by operator (cli): withdrawn');
    const late = await bed.run(['approvals', 'allow', ask.ask_id]);
    expect(late.stderr).toContain('too late: denied by operator (cli)');
  });

  it('decides none of several approvals of one run when one of them has already settled', async () => {
    const work = await bed.work();
    const [a, b] = [await work.approval('a'), await work.approval('b')];
    const deny = { request_id: a.ask_id, behavior: 'deny' as const };
    await bed.client.approvals.decideRun(work.runId, { resolutions: [deny] });
    const ended = await bed.run(['approvals', 'allow', a.ask_id, b.ask_id, '--json']);
    expect(ended.code).toBe(4);
    expect(JSON.parse(ended.stdout)).toEqual([
      {
        run_id: work.runId,
        request_ids: [a.ask_id, b.ask_id],
        behavior: 'allow',
        done: false,
        error: expect.objectContaining({ exit_code: 4, code: 'approval_state_conflict' }),
      },
    ]);
    expect(await statusOf(b.ask_id)).toBe('pending');
    const { stderr } = await bed.run(['approvals', 'allow', a.ask_id, b.ask_id]);
    expect(stderr).toContain(`none of its 2 approvals was decided: ${a.ask_id} too late: denied by operator (api)`);
  });

  it('names who decided first', async () => {
    const ask = await (await bed.work()).approval('late');
    const name = await bed.client.tokens.create({ scope: 'operator', name: 'alice' });
    const deny = ['approvals', 'deny', ask.ask_id, '--token', name.token];
    expect((await bed.run(deny)).code).toBe(0);
    for (const id of [ask.ask_id, ask.ask_id.slice(-6)]) {
      const late = await bed.run(['approvals', 'allow', id]);
      expect(late).toMatchObject({ code: 4, stdout: '' });
      expect(late.stderr).toMatch(/too late: denied by alice \(cli\)/);
    }
  });

  it('exits with 5 when the approval has expired', async () => {
    const ask = await (await bed.work()).approval('expired', { expires_after_ms: 1 });
    await expect.poll(() => statusOf(ask.ask_id)).toBe('expired');
    expect((await bed.run(['approvals', 'allow', ask.ask_id])).code).toBe(5);
  });

  it.each([
    ['input that is not an object', ['--updated-input', '[1]'], 'JSON object'],
    ['input that is not JSON', ['--updated-input', 'rm'], 'not valid JSON'],
    ['a reason for allowing', ['--reason', 'x'], '--reason'],
  ])('refuses %s, and decides nothing', async (what, args, part) => {
    const ask = await (await bed.work()).approval(`refused ${what}`);
    const ended = await bed.run(['approvals', 'allow', ask.ask_id, ...args]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(part);
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });

  it('is refused for a viewer token', async () => {
    const ask = await (await bed.work()).approval('viewer');
    const { token } = await bed.client.tokens.create({ scope: 'viewer' });
    const ended = await bed.run(['approvals', 'allow', ask.ask_id], { env: { HOLDPOINT_TOKEN: token } });
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain('viewer');
    expect(await statusOf(ask.ask_id)).toBe('pending');
  });
});

describe('approvals allow-all and deny-all', PATIENT, () => {
  it('sends one batch for each run, reports each, and leaves other sessions alone', async () => {
    const one = await bed.work('all-one');
    const two = await bed.work('all-two');
    const other = await (await bed.work('all-other')).approval('other');
    const ids = [await one.approval('1'), await one.approval('2'), await two.approval('3')].map((a) => a.ask_id);
    const first = await bed.run(['approvals', 'allow-all', '--session-id', 'all-one', '--justification', 'all good']);
    expect(first.code).toBe(0);
    expect(first.stdout).toBe(`${'allowed Bash: rm -rf build\n'.repeat(2)}${one.runId} is running\n`);
    const second = await bed.run(['approvals', 'deny-all', '--run-id', two.runId, '--reason', 'not tonight', '--json']);
    expect(JSON.parse(second.stdout)).toEqual([
      {
        run_id: two.runId,
        request_ids: [ids[2]],
        behavior: 'deny',
        done: true,
        run: expect.objectContaining({ status: 'running' }),
      },
    ]);
    expect((await Promise.all(ids.map(answerOf))).map((a) => [a?.behavior, a?.justification, a?.reason])).toEqual([
      ['allow', 'all good', undefined],
      ['allow', 'all good', undefined],
      ['deny', undefined, 'not tonight'],
    ]);
    expect(await statusOf(other.ask_id)).toBe('pending');
    // One event of a batch tells of all its decisions: they were one transaction.
    const { items } = await bed.client.events.ofRun(one.runId);
    const resolved = items.filter((e) => e.type === 'approval_resolved');
    expect(resolved.map((e) => (e.data.resolutions as unknown[]).length)).toEqual([2]);
  });

  it('derives a key for each run: a repeat changes nothing, a later approval under the same key is refused', async () => {
    const one = await bed.work('key-one');
    const two = await bed.work('key-two');
    await one.approval('1');
    await two.approval('1');
    const args = ['approvals', 'deny-all', '--idempotency-key', 'friday', '--json'];
    const first = await bed.run(args);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout).length).toBeGreaterThanOrEqual(2);
    expect(await bed.run(args)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    const later = await one.approval('2');
    const again = await bed.run(args);
    expect(again.code).toBe(4);
    expect(JSON.parse(again.stdout)).toMatchObject([
      { run_id: one.runId, done: false, error: { code: 'idempotency_conflict' } },
    ]);
    expect(await statusOf(later.ask_id)).toBe('pending');
    expect((await bed.run(['approvals', 'deny-all'])).code).toBe(0);
  });

  it('reports that nothing is pending, and that a session does not exist', async () => {
    const nothing = await bed.run(['approvals', 'allow-all']);
    expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no approval is pending') });
    expect((await bed.run(['approvals', 'allow-all', '--session-id', 'nowhere'])).code).toBe(3);
  });
});
