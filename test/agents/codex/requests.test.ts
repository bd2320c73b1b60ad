// Requests of Codex at the edges of a run: an allow that arrives after the run was stopped is not sent, an unused approval
// is reused once and only after the server knows, and an ask that ends without an answer declines.
// Covers: src/agents/codex/decisions.ts, src/agents/codex/rollouts.ts
import { expect, it } from 'vitest';
import { createActiveItems } from '../../../src/agents/codex/active-items.ts';
import { createRequests, type RequestParts } from '../../../src/agents/codex/requests.ts';
import { createRollouts } from '../../../src/agents/codex/rollouts.ts';
import { createSideQuestions } from '../../../src/agents/codex/side-questions.ts';
import { createUnusedApprovals } from '../../../src/agents/kit/unused-approvals.ts';
import { createPeer } from '../../../src/agents/wire/json-rpc.ts';

const params = { threadId: 'thread', turnId: 'turn', itemId: 'call', command: 'touch a.txt', cwd: '/project' };
const request = { id: 0, method: 'item/commandExecution/requestApproval', params };
type Asked = { input: Record<string, unknown> };

/** Requests of a Codex whose messages are recorded; `context` stands for the server's side. */
function testBed(context: object, parts: Partial<RequestParts> = {}) {
  const sent: { id?: unknown; method?: string; result?: unknown }[] = [];
  const peer = createPeer({ send: (line) => sent.push(JSON.parse(line)), onRequest() {}, onNotification() {} });
  const requests = createRequests({
    context: { session: { work_folder: '/project' }, ...context } as unknown as RequestParts['context'],
    peer,
    unusedApprovals: createUnusedApprovals(),
    activeItems: createActiveItems(peer),
    rollouts: createRollouts(),
    sideQuestions: createSideQuestions(peer),
    lineageOf: async () => [],
    ...parts,
  });
  return { requests, peer, sent };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

it.each([
  ['sends an allow', false, [{ jsonrpc: '2.0', id: 0, result: { decision: 'accept' } }]],
  ['does not send an allow after the run was stopped', true, []],
])('%s', async (_, isStopped, expected) => {
  const stop = new AbortController();
  const approve = async ({ input }: Asked) => {
    if (isStopped) stop.abort();
    return { status: 'answered', allowed: true, input, suggestion_ids: [], ask_id: 'ask' };
  };
  const { requests, sent } = testBed({ approve }, { signal: stop.signal });
  await requests.receive(request);
  await settled();
  expect(sent).toEqual(expected);
});

it.each([
  ['reuses an approval once the server has recorded that', true, ['Allowed as decided before (ask).'], 'accept'],
  ['asks again if the server refuses to record the reuse of an approval', false, ['asked'], 'decline'],
])('%s', async (_, isRecorded, expected, decision) => {
  const steps: string[] = [];
  const unusedApprovals = createUnusedApprovals();
  unusedApprovals.add({ tool_name: 'Bash', input: { command: 'touch a.txt', cwd: '/project' } }, 'ask');
  const context = {
    async acknowledge(askId: string) {
      expect(sent).toEqual([]);
      steps.push(`acknowledged ${askId}`);
      if (!isRecorded) throw new Error('the server is away');
    },
    output: async (text: string) => void steps.push(text),
    async approve({ input }: Asked) {
      steps.push('asked');
      const denied = { allowed: false, reason: 'approval denied' };
      return { status: 'answered', ...denied, input, suggestion_ids: [], ask_id: 'another' };
    },
  };
  const { requests, sent } = testBed(context, { unusedApprovals });
  await requests.receive(request);
  await settled();
  expect(steps).toEqual(['acknowledged ask', ...expected]);
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 0, result: { decision } }]);
});

it.each([
  ['cancelled', false, true],
  ['expired', false, true],
  ['failed', false, true],
  ['cancelled', true, true],
  ['cancelled', false, false],
] as const)(
  'declines an ask that is %s without an answer; others answer too: %s; its run goes on: %s',
  async (...row) => {
    const [status, isShared, goesOn] = row;
    const reasons: string[] = [];
    const context = {
      async approve({ input }: Asked) {
        return { status, allowed: false, input, suggestion_ids: [], ask_id: 'ask', reason: 'not needed' };
      },
      async output(text: string) {
        if (!goesOn) throw new Error('the run is over');
        reasons.push(text);
      },
    };
    const { requests, peer, sent } = testBed(context, { isShared });
    const isDeclined = !isShared && goesOn;
    await requests.receive(request);
    await settled();
    const steered = sent.find(({ method }) => method === 'turn/steer');
    if (steered) peer.receive(JSON.stringify({ jsonrpc: '2.0', id: steered.id, result: {} }));
    await settled();
    expect(sent.flatMap(({ result }) => (result ? [result] : []))).toEqual(isDeclined ? [{ decision: 'decline' }] : []);
    expect(reasons).toEqual(isDeclined ? [expect.stringContaining(`(${status}: not needed)`)] : []);
    expect(JSON.stringify(steered ?? '').includes('not needed')).toBe(isDeclined);
  },
);
