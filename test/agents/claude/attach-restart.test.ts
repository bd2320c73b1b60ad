// A server that was killed while an attached Claude Code waited, and is started again while it calls: asks that were left
// open end, asks that are raised meanwhile stay.
// Covers: src/agents/claude/attach.ts, src/server/routes/hooks.ts, src/boot/hook-servers.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

afterAll(endEverything);

const SESSION = '0f9d0c1e-1111-4222-8333-444455556666';

function ask({ url, token }: Pick<Holdpoint, 'url' | 'token'>, agent_id: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = { tool_name: 'Bash', tool_input: { command: 'touch x' }, agent_id };
  const body = JSON.stringify({ session_id: SESSION, cwd: '/', hook_event_name: 'PermissionRequest', ...call });
  return fetch(`${url}/v1/hooks/claude`, { method: 'POST', headers, body });
}

it('ends the asks that a killed server left open and keeps those raised while it starts', {
  timeout: 120_000,
}, async () => {
  const before = await startHoldpoint({ via: 'main' });
  const lost = ask(before, 'left').catch(() => 'gone');
  const [left] = await new TestBed(before.url, before.token).pending(`claude.${SESSION}`);
  await before.end('SIGKILL');
  expect(await lost).toBe('gone');

  const env = { HOLDPOINT_PORT: new URL(before.url).port };
  const again = spawnHoldpoint({ via: 'main', data: before.data, env });
  const early = (async () => {
    for (;;) {
      const reply = await ask(before, 'early').catch(() => undefined);
      if (reply) return reply.json();
      await sleep(2);
    }
  })();
  await again.ready;
  const bed = new TestBed(before.url, before.token);
  const client = createClient({ url: before.url, token: before.token });
  const asked = await bed.until(async () =>
    (await client.asks.list({ status: 'pending' })).items.find(({ request }) => request.lineage?.[0] === 'early'),
  );
  const where = 'Holdpoint was restarted, and Claude Code goes on asking at its terminal';
  const ended = async () => (await client.asks.get(left?.ask_id ?? '')).answer;
  await expect.poll(ended, { timeout: 60_000 }).toMatchObject({ reason: 'withdrawn', justification: where });
  expect(await client.runs.get(asked.run_id)).toMatchObject({ status: 'waiting_for_approval' });
  expect((await client.asks.list({ delivery: 'due' })).items).toEqual([]);
  if (left)
    await expect(bed.decide(left, { behavior: 'allow' })).rejects.toMatchObject({
      status: 409,
      detail: `It was withdrawn by its agent (${where}).`,
    });
  if (asked) await bed.decide(asked, { behavior: 'deny', reason: 'not now' });
  expect(await early).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
});
