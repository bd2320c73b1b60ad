// `holdpoint sessions`, `runs`, `run`, `events` and `tokens`, as processes against a real server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/core/views.ts';
import { closeTestBeds, openTestBed, PATIENT, type TestBed } from '../test-bed.ts';

let bed: TestBed;
beforeAll(async () => {
  bed = await openTestBed();
});
afterAll(closeTestBeds);

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

describe('sessions', PATIENT, () => {
  it('are created, found again, listed, shown, interrupted and ended', async () => {
    const made = await bed.run([
      'sessions',
      'create',
      '--session-id',
      'nightly',
      '--title',
      'Nightly build',
      '--project',
      'web',
      'api',
      '--json',
    ]);
    expect(JSON.parse(made.stdout)).toMatchObject({
      session_id: 'nightly',
      agent: 'external',
      project_ids: ['web', 'api'],
    });
    expect(
      (
        await bed.run([
          'sessions',
          'create',
          '--session-id',
          'nightly',
          '--title',
          'Nightly build',
          '--project',
          'web',
          'api',
        ])
      ).code,
    ).toBe(0);
    expect((await bed.run(['sessions', 'create', '--session-id', 'nightly', '--agent', 'mock'])).code).toBe(4);
    const listed = await bed.run(['sessions', 'list']);
    expect(listed.stdout).toMatch(/^nightly +idle +external +\S+ +Nightly build$/m);
    const run = await bed.client.runs.start('nightly', { input: { text: 'build' } });
    const shown = await bed.run(['sessions', 'show', 'night']);
    expect(shown.stdout).toContain(`at work   ${run.run_id}`);
    const stopped = await bed.run(['sessions', 'interrupt', 'nightly', '--idempotency-key', 'stop', '--json']);
    expect(stopped.code).toBe(0);
    expect((await bed.client.runs.get(run.run_id)).status).toBe('interrupted');
    const ended = await bed.run(['sessions', 'end', 'nightly', '--reason', 'done', '--idempotency-key', 'end']);
    expect(ended).toMatchObject({ code: 0, stdout: 'nightly is ended\n' });
    expect((await bed.run(['sessions', 'list'])).stdout).not.toContain('nightly');
    expect((await bed.run(['sessions', 'list', '--all', '--json'])).stdout).toContain('"nightly"');
  });

  it('ends one that a person holds at the terminal of their agent, and says that the agent goes on there', async () => {
    const made = { session_id: 'own', agent: 'external', agent_id: 'claude', labels: ['attached'] };
    await bed.client.sessions.create(made);
    const started = await bed.run(['run', 'external', 'and now?', '--session-id', 'own', '--detach']);
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining('Type it there.') });
    const { run_id } = await bed.client.runs.start('own', { input: {}, source: 'claude' });
    const cancelled = await bed.run(['runs', 'cancel', run_id]);
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringContaining('claude is not stopped by this') });
    const ended = await bed.run(['sessions', 'end', 'own']);
    expect(ended).toMatchObject({ code: 0, stdout: 'own is ended\n' });
    expect(ended.stderr).toContain('if claude goes on, it asks at its terminal only');
  });

  it.each([
    ['show', 3],
    ['end', 3],
    ['interrupt', 3],
  ])('%s says that there is none', async (command, code) => {
    expect((await bed.run(['sessions', command, 'nowhere'])).code).toBe(code);
  });
});

describe('runs', PATIENT, () => {
  it('are listed, shown with what they wait for, and cancelled', async () => {
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

  it('are named or found by their session', async () => {
    expect(await bed.run(['runs', 'show'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--session-id'),
    });
    expect((await bed.run(['runs', 'show', 'run_nothing'])).code).toBe(3);
    expect((await bed.run(['runs', 'list', '--status', 'sleeping'])).code).toBe(2);
  });
});

describe('run', PATIENT, () => {
  it('follows an agent to its end', async () => {
    const ended = await bed.run(['run', 'mock', 'say', 'something', '--input-json', SAY]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^hello\n(?:bye\n)?run_\w+ is completed\n$/);
  });

  it('shows what it asks and how to answer, and goes on when somebody does', async () => {
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

  it('says how it ended by its exit code, with --wait too', async () => {
    const fail = JSON.stringify({ script: [{ do: 'fail', error: 'no disk' }] });
    const failed = await bed.run(['run', 'mock', 'x', '--input-json', fail]);
    expect(failed).toMatchObject({
      code: 9,
      stdout: expect.stringMatching(/^the run failed: no disk\nrun_\w+ is failed\n$/),
    });
    const waited = await bed.run(['run', 'mock', 'x', '--input-json', fail, '--wait', '--json']);
    expect(waited.code).toBe(9);
    expect(JSON.parse(waited.stdout)).toMatchObject({ status: 'failed', error: 'no disk' });
    const asks = await bed.run(['run', 'mock', 'x', '--input-json', ASK, '--wait', '--json']);
    expect(asks.code).toBe(0);
    expect(JSON.parse(asks.stdout).status).toBe('waiting_for_approval');
  });

  it('with --json prints the events, one on each line', async () => {
    const { stdout } = await bed.run(['run', 'mock', 'x', '--input-json', SAY, '--json']);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as EventView).type);
    expect(types).toEqual(expect.arrayContaining(['accepted', 'output', 'completed']));
  });

  it('starts one run under one key, and leaves at once with --detach', async () => {
    const args = ['run', 'mock', 'x', '--input-json', SAY, '--detach', '--json', '--idempotency-key', 'one-run'];
    const first = JSON.parse((await bed.run(args)).stdout);
    const again = JSON.parse((await bed.run(args)).stdout);
    expect(again.run_id).toBe(first.run_id);
    expect((await bed.client.runs.list({ session_id: first.session_id })).items).toHaveLength(1);
  });

  it('runs in the session of that very id, however short, and in none whose id is longer', async () => {
    await bed.client.sessions.create({ agent: 'mock', session_id: 'build-release' });
    await bed.client.sessions.create({ agent: 'mock', session_id: 'k1' });
    for (const id of ['build', 'release', 'k1', 'k2']) {
      const ended = await bed.run(['run', 'mock', 'x', '--input-json', SAY, '--session-id', id, '--detach', '--json']);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toMatchObject({ session_id: id });
    }
    expect((await bed.run(['run', 'mock', 'x', '--session-id', '', '--detach'])).code).toBe(2);
  });

  it('leaves on Ctrl-C, and the run goes on', async () => {
    const running = bed.start(['run', 'mock', 'x', '--input-json', ASK, '--session-id', 'left']);
    await expect.poll(() => running.stdout(), { timeout: 60_000 }).toContain('approvals allow');
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringContaining('goes on') });
    expect((await bed.client.sessions.get('left')).status).toBe('waiting_for_approval');
  });

  it.each([
    [['run', 'mock', 'x', '--input-json', ASK], 8, 'goes on'],
    [
      ['run', 'mock', 'x', '--input-json', JSON.stringify({ script: [{ do: 'sleep', ms: 60_000 }] }), '--wait'],
      8,
      'goes on',
    ],
    [['events', '--follow', '--after', '0'], 0, ''],
    [['demo', '--auto', '--pause-ms', '60000'], 8, 'nothing more was answered'],
  ])('takes one Ctrl-C that comes twice for one: %j', async (args, code, says) => {
    const running = bed.start(args);
    const isReady = () => running.stdout() !== '' || running.stderr() !== '';
    if (args.includes('--wait'))
      await expect.poll(async () => (await bed.client.runs.list({ status: 'running' })).items.length, PATIENT).toBe(1);
    else await expect.poll(isReady, PATIENT).toBe(true);
    running.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 2));
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
    await bed.clear();
  });

  it.each([
    [
      'an agent that nobody offers',
      ['mok'],
      /no worker offers the agent mok now\. There is: .*\bmock\b.*waits until one comes/,
    ],
    [
      'a label that nobody has',
      ['mock', '--label', 'gpu'],
      /no worker that offers mock has the label gpu now\. .*: none\./,
    ],
  ])('tells at once of %s, and waits for it', async (_, args, says) => {
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

  it('says nothing of what its session did before; the same key again tells the same run', async () => {
    const say = (text: string) => JSON.stringify({ script: [{ do: 'say', text }] });
    const run = (text: string) =>
      bed.run(['run', 'mock', '--session-id', 'used', '--idempotency-key', text, '--input-json', say(text)]);
    expect((await run('first words')).stdout).toMatch(/^first words\nrun_\w+ is completed\n$/);
    expect((await run('second words')).stdout).toMatch(/^second words\nrun_\w+ is completed\n$/);
    expect((await run('second words')).stdout).toMatch(/^second words\nrun_\w+ is completed\n$/);
  });

  it('refuses nothing to do, and a session of another agent', async () => {
    expect((await bed.run(['run', 'mock'])).code).toBe(2);
    await bed.client.sessions.create({ agent: 'external', session_id: 'taken' });
    expect((await bed.run(['run', 'mock', 'x', '--session-id', 'taken'])).code).toBe(4);
  });
});

describe('events', PATIENT, () => {
  it('are shown page by page, of a session or run, from a place on', async () => {
    const work = await bed.work('logged');
    await bed.client.runs.output(work.runId, { text: 'first words' });
    const { items } = await bed.client.events.ofSession('logged');
    const text = await bed.run(['events', '--session-id', 'logged']);
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(items.length);
    expect(text.stdout).toMatch(/logged output first words$/m);
    const json = await bed.run(['events', '--run-id', work.runId, '--json', '--after', String(items[1]?.seq)]);
    const seqs = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as EventView).seq);
    expect(seqs).toEqual(
      items.filter((e) => e.run_id === work.runId && e.seq > (items[1]?.seq ?? 0)).map((e) => e.seq),
    );
    expect((await bed.run(['events', '--after', 'yesterday'])).code).toBe(2);
    expect((await bed.run(['events', '--session-id', 'nowhere'])).code).toBe(3);
  });

  it('are followed as they come, until Ctrl-C', async () => {
    const work = await bed.work('followed');
    const following = bed.start(['events', '--follow', '--session-id', 'followed']);
    await expect.poll(() => following.stdout(), { timeout: 60_000 }).toContain('accepted');
    await bed.client.runs.output(work.runId, { text: 'news' });
    await expect.poll(() => following.stdout(), { timeout: 60_000 }).toContain('news');
    following.child.kill('SIGINT');
    expect((await following.ended).code).toBe(0);
  });
});

describe('tokens', PATIENT, () => {
  it('are made, shown once, listed and revoked by name', async () => {
    const made = await bed.run(['tokens', 'create', '--scope', 'viewer', '--name', 'dashboard']);
    expect(made.code).toBe(0);
    const secret = made.stdout.trimEnd();
    expect(secret).toMatch(/^hp_\S+$/);
    const asViewer = { env: { HOLDPOINT_TOKEN: secret } };
    expect((await bed.run(['sessions', 'list', '--json'], asViewer)).code).toBe(0);
    const listed = await bed.run(['tokens', 'list']);
    expect(listed.stdout).toMatch(/^tok_\w+ +viewer +always +dashboard$/m);
    expect(listed.stdout).not.toContain(secret);
    expect((await bed.run(['tokens', 'revoke', 'dashboard', '--idempotency-key', 'r'])).code).toBe(0);
    expect((await bed.run(['sessions', 'list', '--json'], asViewer)).code).toBe(6);
    expect((await bed.run(['tokens', 'list'])).stdout).not.toContain('dashboard');
    expect((await bed.run(['tokens', 'list', '--all', '--json'])).stdout).toContain('dashboard');
    expect((await bed.run(['tokens', 'revoke', 'dashboard'])).code).toBe(3);
  });

  it('are made once under one key', async () => {
    const args = ['tokens', 'create', '--scope', 'viewer', '--name', 'keyed', '--idempotency-key', 'k', '--json'];
    const first = JSON.parse((await bed.run(args)).stdout);
    const again = JSON.parse((await bed.run(args)).stdout);
    expect(again.token_id).toBe(first.token_id);
  });

  it('need a scope that exists', async () => {
    expect((await bed.run(['tokens', 'create'])).code).toBe(2);
    expect((await bed.run(['tokens', 'create', '--scope', 'king'])).code).toBe(2);
    expect((await bed.run(['tokens', 'create', '--scope', 'agent', '--session-id', 'nowhere'])).code).toBeGreaterThan(
      1,
    );
  });
});
