// A hook process whose server stays away while a person is asked: its agent is told at once, and the ask is left to what ends
// those of killed processes. How it asks otherwise is shown by the tests of the agents that do.
import { afterAll, expect, it } from 'vitest';
import type { HookProcessContext } from '../../../src/agents/agent.ts';
import { approveInHook } from '../../../src/agents/kit/hook-approval.ts';
import { createClient } from '../../../src/client/client.ts';
import { HoldpointUnreachable } from '../../../src/client/http.ts';
import { Waits } from '../../../src/client/waits.ts';
import { endEverything, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

afterAll(() => endEverything());

it('rejects at once when the server is away, and leaves its record', async () => {
  const server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
  const client = createClient({ url: server.url, token: server.token });
  const waits = new Waits(client.http);
  const away = new AbortController();
  let records = 0;
  const record = () => {
    records++;
    return async () => void records--;
  };
  const context = { client, waits, signal: away.signal, record } as unknown as HookProcessContext;
  const conversation = { agent: 'toy', sessionPrefix: 'toy-own-', id: 'one', folder: '/srv' };
  const spec = { id: 'call_1', tool_name: 'Bash', input: { command: 'ls' } };
  const outcome = approveInHook(context, { conversation, spec, givenUp: 'given up' });
  outcome.catch(() => {});
  await new TestBed(server.url, server.token).pending('toy-own-one', 1);
  await server.end('SIGKILL');
  away.abort(new HoldpointUnreachable(server.url, new Error('it has not replied')));
  await expect(outcome).rejects.toThrow('it has not replied');
  expect(records).toBe(1);
  waits.close();
});
