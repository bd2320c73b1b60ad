// `holdpoint demo` as a process without a terminal: it plays its session on a temporary or a given server, ends with what
// the agent received, and leaves nothing behind.
// Covers: src/agents/mock/demo-script.ts
// Covers: src/cli/demo-session.ts, src/cli/prompt/answerer.ts
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { endEverything, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../../support/process.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(endEverything);

const demo = (env: Record<string, string> = {}) =>
  spawnHoldpoint({ command: ['demo'], args: ['--pause-ms', '5'], env: { NO_COLOR: '1', ...env } });

const RECEIVED = [
  'What the agent received',
  '  date-library ← date-fns (operator, cli; delivered)',
  '  rewrite-snapshots ← deny: do not rewrite every snapshot, correct the one test (operator, cli; delivered)',
  '  edit-test ← allow (operator, cli; delivered)',
  '  version-bump ← patch (operator, cli; delivered)',
];

describe('demo without a terminal', () => {
  it('plays the session on a temporary server and ends by itself', async () => {
    const temporary = temporaryFolder();
    const started = demo({ TMPDIR: temporary });
    expect(await started.exited).toEqual({ code: 0, signal: null });
    const lines = started.stdout().trimEnd().split('\n');
    expect(lines.slice(-5)).toEqual(RECEIVED);
    expect(lines.filter((line) => line.startsWith('Done.'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('? '))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('! '))).toHaveLength(2);
    expect(started.stdout()).toMatch(/curl -H "Authorization: Bearer \$\(cat .*operator\.token\)"/);
    expect(started.stdout()).toContain('· release: Patch');
    expect(started.stderr()).toBe('');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('uses the server that HOLDPOINT_URL names, and does not print its token', async () => {
    const server = await startHoldpoint();
    const started = demo({ HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token });
    expect(await started.exited).toEqual({ code: 0, signal: null });
    expect(started.stdout().trimEnd().split('\n').slice(-5)).toEqual(RECEIVED);
    expect(started.stdout()).not.toContain(server.token);
    const { items } = await createClient({ url: server.url, token: server.token }).asks.list();
    expect(items.map((a) => [a.tool_call_id, a.status, a.delivery.state])).toEqual([
      ['date-library', 'answered', 'delivered'],
      ['rewrite-snapshots', 'answered', 'delivered'],
      ['edit-test', 'answered', 'delivered'],
      ['version-bump', 'answered', 'delivered'],
    ]);
  });

  it('ends on SIGINT without another answer', async () => {
    const server = await startHoldpoint();
    const started = spawnHoldpoint({
      command: ['demo'],
      args: ['--pause-ms', '600000'],
      env: { HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token },
      via: 'main',
    });
    const client = createClient({ url: server.url, token: server.token });
    await expect
      .poll(async () => (await client.asks.list({ status: 'pending' })).items.length, { timeout: 100_000 })
      .toBe(1);
    expect(await started.end('SIGINT')).toEqual({ code: 8, signal: null });
    expect((await client.asks.list()).items.map((a) => a.status)).toEqual(['pending']);
  });

  it('reports a server that cannot be reached', async () => {
    const started = demo({ HOLDPOINT_URL: 'http://127.0.0.1:9', HOLDPOINT_TOKEN: 'x' });
    expect((await started.exited).code).toBe(7);
    expect(started.stderr()).toContain('http://127.0.0.1:9');
  });
});
