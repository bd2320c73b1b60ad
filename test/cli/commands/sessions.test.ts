// `holdpoint sessions` as a process against a real server.
// Covers: src/cli/text/agent-text.ts
import { describe, expect, it } from 'vitest';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

describe('sessions', PATIENT, () => {
  it('creates, finds, lists, shows, interrupts and ends a session', async () => {
    const create = ['sessions', 'create', '--session-id', 'nightly', '--title', 'Nightly build'];
    const projects = ['--project', 'web', 'api'];
    const made = await bed.run([...create, ...projects, '--json']);
    expect(JSON.parse(made.stdout)).toMatchObject({
      session_id: 'nightly',
      agent: 'external',
      project_ids: ['web', 'api'],
    });
    expect((await bed.run([...create, ...projects])).code).toBe(0);
    expect((await bed.run(['sessions', 'create', '--session-id', 'nightly', '--agent', 'mock'])).code).toBe(4);
    const listed = await bed.run(['sessions', 'list']);
    expect(listed.stdout).toMatch(/^nightly +idle +external +\S+ +Nightly build$/m);
    const run = await bed.client.runs.start('nightly', { input: { text: 'build' } });
    const shown = await bed.run(['sessions', 'show', 'night']);
    expect(shown.stdout).toContain(`running   ${run.run_id}`);
    const stopped = await bed.run(['sessions', 'interrupt', 'nightly', '--idempotency-key', 'stop', '--json']);
    expect(stopped.code).toBe(0);
    expect((await bed.client.runs.get(run.run_id)).status).toBe('interrupted');
    const ended = await bed.run(['sessions', 'end', 'nightly', '--reason', 'done', '--idempotency-key', 'end']);
    expect(ended).toMatchObject({ code: 0, stdout: 'nightly is ended\n' });
    expect((await bed.run(['sessions', 'list'])).stdout).not.toContain('nightly');
    expect((await bed.run(['sessions', 'list', '--all', '--json'])).stdout).toContain('"nightly"');
  });

  it('ends an attached session, and notes that its agent keeps running at its terminal', async () => {
    const made = { session_id: 'own', agent: 'external', agent_id: 'claude', labels: ['attached'] };
    await bed.client.sessions.create(made);
    expect((await bed.run(['sessions', 'list'])).stdout).toMatch(/^own +idle +claude /m);
    const started = await bed.run(['run', 'external', 'and now?', '--session-id', 'own', '--detach']);
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining('Type it there.') });
    const { run_id } = await bed.client.runs.start('own', { input: {}, source: 'claude' });
    const cancelled = await bed.run(['runs', 'cancel', run_id]);
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringContaining('this does not stop claude') });
    const ended = await bed.run(['sessions', 'end', 'own']);
    expect(ended).toMatchObject({ code: 0, stdout: 'own is ended\n' });
    expect(ended.stderr).toContain('claude keeps running and asks only at its own terminal from now on');
  });

  it.each([
    ['show', 3],
    ['end', 3],
    ['interrupt', 3],
  ])('%s reports an unknown session', async (command, code) => {
    expect((await bed.run(['sessions', command, 'nowhere'])).code).toBe(code);
  });
});
