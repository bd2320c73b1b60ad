// The settings of a run are checked when it is submitted, at the server, with the same rules that its worker has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { endEverything, startHoldpoint } from '../../support/process.ts';

let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  client = createClient(await startHoldpoint({ via: 'main', args: ['--no-worker'] }));
});
afterAll(endEverything);

describe.each([
  [
    'claude',
    { permission_mode: 'whatever' },
    'The input of this run of claude is not well formed: permission_mode must be "default" or "acceptEdits" or "bypassPermissions" or "plan" or "dontAsk".',
  ],
  ['claude', { permision_mode: 'plan' }, '"permision_mode" is not a setting of this agent'],
  ['claude', { permission_mode: 'plan', permissionMode: 'plan' }, 'Name the permission mode once'],
  ['codex', { sandbox: 'whatever' }, 'sandbox'],
  ['opencode', { permissions: 'whatever' }, 'permissions'],
  ['acp', { mode: 3 }, 'mode'],
])('a run of %s with %j', (agent, settings, named) => {
  it('is refused when it is submitted, with what is wrong, and nothing is queued', async () => {
    const { session_id } = await client.sessions.create({ agent });
    const start = client.runs.start(session_id, { input: { text: 'go', ...settings } });
    await expect(start).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: expect.stringContaining(named),
    });
    expect((await client.runs.list({ session_id })).items).toEqual([]);
  });
});

it.each([
  ['claude', { permissionMode: 'plan', skills: ['notes'] }],
  ['codex', { sandboxMode: 'read-only' }],
  ['an agent that is not of this server', { anything: 1 }],
])('takes a run of %s with %j', async (agent, settings) => {
  const { session_id } = await client.sessions.create({ agent: agent.replaceAll(' ', '-') });
  const run = await client.runs.start(session_id, { input: { text: 'go', ...settings } });
  expect(run.status).toBe('queued');
});
