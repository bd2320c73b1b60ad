// The answerers of a fault round must decide every ask that stays open, or a round waits for its own harness.
import { afterAll, expect, it } from 'vitest';
import type { ApprovalResolution } from '../../src/core/answer.ts';
import type { AskView } from '../../src/core/views.ts';
import { type Sent, send } from '../support/http.ts';
import { endEverything } from '../support/process.ts';
import type { Random } from '../support/seeded-random.ts';
import { runAnswerer } from './answerer.ts';
import { noKnowledge } from './knowledge.ts';
import { Phoenix } from './phoenix.ts';

afterAll(endEverything);

/** Whatever is likely happens: it decides all approvals of a run in one batch and allows them. */
const likely: Random = {
  int: (low) => low,
  chance: (probability) => probability > 0.5,
  pick: (items) => items[0] as never,
  fork: () => likely,
};

it('decides the rest of a batch again that was refused because one ask of it had ended', async () => {
  const server = await Phoenix.rise();
  await server.call({ path: '/v1/sessions', body: { session_id: 's', agent: 'external' } });
  const run = await server.call<{ run_id: string }>({ path: '/v1/sessions/s/runs', body: { input: { text: 'work' } } });
  const approvals = `/v1/runs/${run.body.run_id}/approvals`;
  for (const tool_call_id of ['a', 'b'])
    await server.call({
      path: `/v1/runs/${run.body.run_id}/asks`,
      body: { kind: 'approval', tool_call_id, tool_name: 'Bash', input: { command: 'make' } },
    });
  const knowledge = noKnowledge();
  /** Somebody else is quicker with the first approval of the first batch. */
  const call = async <T>(sent: Sent) => {
    const batch = (sent.body as { resolutions?: ApprovalResolution[] } | undefined)?.resolutions;
    if (batch && knowledge.attempts.length === 1) {
      const body = { resolutions: [{ request_id: batch[0]?.request_id, behavior: 'deny' }] };
      await send(await server.url(), { path: approvals, token: server.token, body });
    }
    return server.call<T>(sent);
  };
  let stopping = false;
  const answerer = runAnswerer({
    name: 'answerer',
    random: likely,
    server: { ...server, call, url: () => server.url() },
    knowledge,
    stopping: () => stopping,
  });
  const pending = () => server.read<AskView[]>('/v1/asks?status=pending');
  await expect.poll(pending).toEqual([]);
  stopping = true;
  await answerer;
  expect(knowledge.attempts.map(({ result, decisions }) => [result, decisions.length])).toEqual([
    ['refused', 2],
    ['acknowledged', 1],
  ]);
  expect(knowledge.faults).toEqual([]);
});
