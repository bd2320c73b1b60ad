// The desk of a run that was stopped: an allow that arrives all the same is not passed on.
import { expect, it } from 'vitest';
import { createStanding } from '../../src/agents/carried-answers.ts';
import { createDesk } from '../../src/agents/codex-desk.ts';
import { createUnderWay } from '../../src/agents/codex-under-way.ts';
import { createPeer } from '../../src/agents/wire/jsonrpc.ts';
import type { ApprovalOutcome } from '../../src/client/outcome.ts';

const params = { threadId: 'thread', turnId: 'turn', itemId: 'call', command: 'touch a.txt', cwd: '/project' };
const request = { id: 0, method: 'item/commandExecution/requestApproval', params };

it.each([
  [false, [{ jsonrpc: '2.0', id: 0, result: { decision: 'accept' } }]],
  [true, []],
])('stopped meanwhile: %s', async (isStopped, expected) => {
  const said: unknown[] = [];
  const peer = createPeer({ send: (line) => said.push(JSON.parse(line)), onRequest() {}, onNotification() {} });
  const over = new AbortController();
  const desk = createDesk({
    context: {
      session: { work_folder: '/project' },
      async approve({ input }: { input: Record<string, unknown> }) {
        if (isStopped) over.abort();
        return {
          status: 'answered',
          allowed: true,
          input,
          suggestion_ids: [],
          ask_id: 'ask',
        } as unknown as ApprovalOutcome;
      },
    } as unknown as Parameters<typeof createDesk>[0]['context'],
    peer,
    standing: createStanding(),
    underWay: createUnderWay(peer),
    lineageOf: async () => [],
    over: over.signal,
  });
  await desk.take(request);
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual(expected);
});
