// `holdpoint run` as a process against a real server: following, waiting, detaching, and what is refused.
// Covers: src/cli/follow-run.ts, src/cli/run-input.ts, src/cli/run-session.ts, src/cli/worker-availability.ts
// Covers: src/cli/text/run-text.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/core/views.ts';
import { temporaryFolder } from '../../support/process.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

const SAY = JSON.stringify({
  script: [
    { do: 'say', text: 'hello' },
    { do: 'complete', text: 'bye' },
  ],
});
const ASK = JSON.stringify({
  script: [
    { do: 'approve', id: 'go', tool_name: 'Bash', input: { command: 'make' } },
    { do: 'say', text: 'on it' },
  ],
});

describe('run', PATIENT, () => {
  it('follows an agent to its end', async () => {
    const ended = await bed.run(['run', 'mock', 'say', 'something', '--input-json', SAY]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^hello\n(?:bye\n)?run_\w+ is completed\n$/);
  });

  it('shows what the agent asks and how to answer, and continues after the answer', async () => {
    const running = bed.start(['run', 'mock', 'make it', '--session-id', 'made', '--input-json', ASK]);
    await expect.poll(() => running.stdout(), { timeout: 60_000 }).toContain('approvals allow ask_');
    const askId = /approvals allow (ask_\w+)/.exec(running.stdout())?.[1] ?? '';
    expect((await bed.run(['approvals', 'allow', askId])).code).toBe(0);
    const ended = await running.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(
      /! Allow Bash\?\n[\s\S]*\$ make\n[\s\S]*✓ allowed by operator \(cli\)\n[\s\S]*on it\nrun_\w+ is completed/,
    );
  });

  it('says after a failed run that another version of the agent was tested', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho "1.0.0 (Claude Code)"\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const failed = await bed.run(['run', 'claude', 'x'], { env });
    expect(failed.code).toBe(9);
    expect(failed.stderr).toMatch(/claude 1\.0\.0 is installed here; [\d.]+ is tested\. To install that: npm install/);
  });

  it('exits with the result of the run, also with --wait', async () => {
    const fail = JSON.stringify({ script: [{ do: 'fail', error: 'no disk' }] });
    const failed = await bed.run(['run', 'mock', 'x', '--input-json', fail]);
    expect(failed).toMatchObject({
      code: 9,
      stdout: expect.stringMatching(/^the run failed: no disk\nrun_\w+ failed\n$/),
    });
    const waited = await bed.run(['run', 'mock', 'x', '--input-json', fail, '--wait', '--json']);
    expect(waited.code).toBe(9);
    expect(JSON.parse(waited.stdout)).toMatchObject({ status: 'failed', error: 'no disk' });
    const asks = await bed.run(['run', 'mock', 'x', '--input-json', ASK, '--wait', '--json']);
    expect(asks.code).toBe(0);
    expect(JSON.parse(asks.stdout).status).toBe('waiting_for_approval');
  });

  it('prints one event on each line with --json', async () => {
    const { stdout } = await bed.run(['run', 'mock', 'x', '--input-json', SAY, '--json']);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as EventView).type);
    expect(types).toEqual(expect.arrayContaining(['accepted', 'output', 'completed']));
  });

  it('starts one run under one key, and returns at once with --detach', async () => {
    const args = ['run', 'mock', 'x', '--input-json', SAY, '--detach', '--json', '--idempotency-key', 'one-run'];
    const first = JSON.parse((await bed.run(args)).stdout);
    const again = JSON.parse((await bed.run(args)).stdout);
    expect(again.run_id).toBe(first.run_id);
    expect((await bed.client.runs.list({ session_id: first.session_id })).items).toHaveLength(1);
  });

  it('uses the session with exactly the given id, never one that starts with it', async () => {
    await bed.client.sessions.create({ agent: 'mock', session_id: 'build-release' });
    await bed.client.sessions.create({ agent: 'mock', session_id: 'k1' });
    for (const id of ['build', 'release', 'k1', 'k2']) {
      const ended = await bed.run(['run', 'mock', 'x', '--input-json', SAY, '--session-id', id, '--detach', '--json']);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toMatchObject({ session_id: id });
    }
    expect((await bed.run(['run', 'mock', 'x', '--session-id', '', '--detach'])).code).toBe(2);
  });

  it('leaves on Ctrl-C, and the run continues', async () => {
    const running = bed.start(['run', 'mock', 'x', '--input-json', ASK, '--session-id', 'left']);
    await expect.poll(() => running.stdout(), { timeout: 60_000 }).toContain('approvals allow');
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringContaining('continues') });
    expect((await bed.client.sessions.get('left')).status).toBe('waiting_for_approval');
  });

  it('starts nothing for an agent that no worker offers, unless it is to be queued', async () => {
    const says = /no connected worker offers the agent mok\. Offered: .*\bmock\b/;
    const before = (await bed.client.sessions.list({ limit: 500 })).items.length;
    for (const way of [[], ['--wait']]) {
      const ended = await bed.run(['run', 'mok', 'x', ...way]);
      expect(ended).toMatchObject({ code: 3, stderr: expect.stringMatching(says) });
    }
    expect((await bed.client.sessions.list({ limit: 500 })).items).toHaveLength(before);
    const queued = await bed.run(['run', 'mok', 'x', '--detach']);
    expect(queued).toMatchObject({ code: 0, stderr: expect.stringMatching(/offers the agent mok\..*waits for one/) });
    await bed.clear();
  });

  it('warns at once about a label that no worker has, and waits for one', async () => {
    const args = ['mock', '--label', 'gpu'];
    const says = /no connected worker that offers mock has the label gpu\. .*: none\./;
    for (const way of [[], ['--wait']]) {
      const running = bed.start(['run', ...args, '--input-json', SAY, ...way]);
      await expect.poll(() => running.stderr(), PATIENT).toMatch(says);
      running.child.kill('SIGINT');
      expect((await running.ended).code).toBe(8);
    }
    const detached = await bed.run(['run', ...args, '--input-json', SAY, '--detach']);
    expect(detached).toMatchObject({ code: 0, stderr: expect.stringMatching(says) });
    await bed.clear();
  });

  it.each([
    ['--interactive', '--wait'],
    ['--interactive', '--detach'],
    ['--interactive', '--json'],
    ['--wait', '--detach'],
  ])('starts nothing with %s and %s, which contradict each other', async (...flags) => {
    const ended = await bed.run(['run', 'mock', 'x', '--session-id', 'contradicted', '--input-json', SAY, ...flags]);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('exclude each other') });
    await expect(bed.client.sessions.get('contradicted')).rejects.toMatchObject({ status: 404 });
  });

  it('prints nothing of earlier runs of its session; the same key again follows the same run', async () => {
    const say = (text: string) => JSON.stringify({ script: [{ do: 'say', text }] });
    const run = (text: string) =>
      bed.run(['run', 'mock', '--session-id', 'used', '--idempotency-key', text, '--input-json', say(text)]);
    expect((await run('first words')).stdout).toMatch(/^first words\nrun_\w+ is completed\n$/);
    expect((await run('second words')).stdout).toMatch(/^second words\nrun_\w+ is completed\n$/);
    expect((await run('second words')).stdout).toMatch(/^second words\nrun_\w+ is completed\n$/);
  });

  it('refuses an empty prompt, and a session of another agent', async () => {
    expect((await bed.run(['run', 'mock'])).code).toBe(2);
    await bed.client.sessions.create({ agent: 'external', session_id: 'taken' });
    expect((await bed.run(['run', 'mock', 'x', '--session-id', 'taken'])).code).toBe(4);
  });
});
