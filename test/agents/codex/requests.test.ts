// The desk of a run that was stopped: an allow that arrives all the same is not passed on. And one that was decided before
// its process began: it is used once, and only when the server knows.
import { expect, it } from 'vitest';
import { createUnderWay } from '../../../src/agents/codex/active-items.ts';
import { createDesk } from '../../../src/agents/codex/requests.ts';
import { createTranscripts } from '../../../src/agents/codex/transcripts.ts';
import { createStanding } from '../../../src/agents/kit/resume-message.ts';
import { createPeer } from '../../../src/agents/wire/json-rpc.ts';
import type { ApprovalOutcome } from '../../../src/client/outcome.ts';

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
    transcripts: createTranscripts(),
    lineageOf: async () => [],
    over: over.signal,
  });
  await desk.take(request);
  await new Promise((resolve) => setImmediate(resolve));
  expect(said).toEqual(expected);
});

it.each([
  [
    'is used when the server knows, without asking again',
    true,
    ['acknowledged ask', 'Allowed as decided before (ask).'],
    'accept',
  ],
  ['is asked anew where the server could not be told', false, ['acknowledged ask', 'asked'], 'decline'],
])('an allow of before %s', async (_, isTold, expected, decision) => {
  const steps: string[] = [];
  const answers: unknown[] = [];
  const peer = createPeer({ send: (line) => answers.push(JSON.parse(line)), onRequest() {}, onNotification() {} });
  const standing = createStanding();
  standing.put({ tool_name: 'Bash', input: { command: 'touch a.txt', cwd: '/project' } }, 'ask');
  const desk = createDesk({
    context: {
      session: { work_folder: '/project' },
      async acknowledge(askId: string) {
        expect(answers).toEqual([]);
        steps.push(`acknowledged ${askId}`);
        if (!isTold) throw new Error('the server is away');
      },
      output: async (text: string) => void steps.push(text),
      async approve({ input }: { input: Record<string, unknown> }) {
        steps.push('asked');
        const outcome = { status: 'answered', allowed: false, input, suggestion_ids: [], ask_id: 'another' };
        return { ...outcome, reason: 'approval denied' } as unknown as ApprovalOutcome;
      },
    } as unknown as Parameters<typeof createDesk>[0]['context'],
    peer,
    standing,
    underWay: createUnderWay(peer),
    transcripts: createTranscripts(),
    lineageOf: async () => [],
  });
  await desk.take(request);
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual(expected);
  expect(answers).toEqual([{ jsonrpc: '2.0', id: 0, result: { decision } }]);
});

it.each([
  ['cancelled', false, true],
  ['expired', false, true],
  ['failed', false, true],
  ['cancelled', true, true],
  ['cancelled', false, false],
] as const)('an ask that is %s without an answer; others answer too: %s; its run goes on: %s', async (...row) => {
  const [status, isShared, goesOn] = row;
  const said: { id?: unknown; method?: string; result?: unknown }[] = [];
  const peer = createPeer({
    send: (line) => said.push(JSON.parse(line)),
    onRequest() {},
    onNotification() {},
  });
  const reasons: string[] = [];
  const desk = createDesk({
    context: {
      session: { work_folder: '/project' },
      async approve({ input }: { input: Record<string, unknown> }) {
        return { status, allowed: false, input, suggestion_ids: [], ask_id: 'ask', reason: 'not needed' };
      },
      async output(text: string) {
        if (!goesOn) throw new Error('the run is over');
        reasons.push(text);
      },
    } as unknown as Parameters<typeof createDesk>[0]['context'],
    peer,
    standing: createStanding(),
    underWay: createUnderWay(peer),
    transcripts: createTranscripts(),
    lineageOf: async () => [],
    isShared,
  });
  const isDeclined = !isShared && goesOn;
  await desk.take(request);
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
  const steered = said.find(({ method }) => method === 'turn/steer');
  if (steered) peer.receive(JSON.stringify({ jsonrpc: '2.0', id: steered.id, result: {} }));
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(said.flatMap(({ result }) => (result ? [result] : []))).toEqual(isDeclined ? [{ decision: 'decline' }] : []);
  expect(reasons).toEqual(isDeclined ? [expect.stringContaining(`(${status}: not needed)`)] : []);
  expect(JSON.stringify(steered ?? '').includes('not needed')).toBe(isDeclined);
});
