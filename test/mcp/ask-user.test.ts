// `ask_user` with the official client, in each way a client may speak: plain calls that wait, elicitation pushed by the
// 2025 protocol, input-required results of the 2026 one. Timeouts are fractions of a second here, by the same code.
// Covers: src/mcp/elicitation.ts, src/mcp/own-prompt.ts, src/mcp/wait.ts

import { setTimeout as sleep } from 'node:timers/promises';
import type { ElicitRequest } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { eventually, type Fields, ok, showAsk, showRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  askUser,
  BLUE,
  CHOOSE_BLUE,
  checkAnswer,
  connecting,
  elicitor,
  FORMS,
  handle,
  IMPATIENCE,
  jsonOf,
  type Message,
  PATIENCE,
  PROTOCOLS,
  pendingAsk,
  QUESTIONS,
  TRANSPORTS,
  textOf,
} from './test-bed.ts';

/** How long a person looks at a prompt before they decline. */
const READS_FOR_MS = 1100;
const server = serverForAll({ patience: PATIENCE });
const impatient = serverForAll({ patience: IMPATIENCE });

const connect = connecting(() => server);
const connectImpatient = connecting(() => impatient);
const progressOf = (agent: Agent): Message[] => agent.received.filter((m) => m.method === 'notifications/progress');

describe.each(PROTOCOLS)('a client of plain tools, %s', (protocol) => {
  it('waits many times longer than its timeout, kept alive by progress notifications', async () => {
    const agent = await connect({ protocol });
    // Far from any time this test takes, however slow the machine: that the limit is wound up anew is counted, not timed.
    const timeout = 60_007;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const wound = () => timers.mock.calls.filter(([, ms]) => ms === timeout).length;
    const result = askUser(agent, { timeout, resetTimeoutOnProgress: true, onprogress: () => {} });
    await eventually(wound).toBeGreaterThan(30);
    expect(progressOf(agent).length).toBeGreaterThan(29);
    timers.mockRestore();
    const open = await pendingAsk(server, agent.sessionId);
    expect(open).toMatchObject({ mode: 'blocking', run_id: agent.runId });
    await answer(server, open, CHOOSE_BLUE);
    expect(jsonOf(await result)).toMatchObject({ ask_id: handle(open), ...BLUE, answered_by: 'operator' });
    const counts = progressOf(agent).map((m) => Number(m.params?.progress));
    expect(counts).toEqual(counts.map((_, i) => i + 1));
    expect((await showRun(server, agent.runId)).status).toBe('running');
  });

  it('receives pending with how to check again before its timeout, without a progress token', async () => {
    const agent = await connectImpatient({ protocol });
    const pending = jsonOf(await askUser(agent));
    expect(pending).toEqual({
      ask_id: expect.any(String),
      status: 'pending',
      message: expect.stringContaining('check_answer'),
    });
    expect(jsonOf(await askUser(agent))).toEqual(pending);
    const check = () => checkAnswer(agent, { ask_id: pending.ask_id, wait_ms: 60_000 });
    expect(jsonOf(await check())).toEqual(pending);
    const open = await pendingAsk(impatient, agent.sessionId);
    await answer(impatient, open, CHOOSE_BLUE);
    expect(jsonOf(await check())).toMatchObject(BLUE);
    expect((await showAsk(impatient, open.ask_id)).delivery).toMatchObject({ state: 'due', attempts: 1 });
  });

  it('leaves the question open when it disconnects', async () => {
    const agent = await connect({ protocol });
    const gone = new AbortController();
    const result = askUser(agent, { signal: gone.signal, onprogress: () => {}, timeout: 60_000 });
    const open = await pendingAsk(server, agent.sessionId);
    gone.abort();
    await expect(result).rejects.toThrow();
    await answer(server, open, CHOOSE_BLUE);
    const { delivery } = await showAsk(server, open.ask_id);
    expect(delivery.state).toBe('due');
    expect(
      jsonOf(await agent.client.callTool({ name: 'check_answer', arguments: { ask_id: open.ask_id } })),
    ).toMatchObject(BLUE);
  });
});

it('numbers questions without ids, and returns declined and refused asks with their text', async () => {
  const agent = await connect();
  const declined = askUser(agent, { onprogress: () => {} }, { questions: [{ question: 'Why?' }] });
  const open = await pendingAsk(server, agent.sessionId);
  const resolution = { request_id: open.ask_id, declined: true, justification: 'not now' };
  await ok(server.post(`/v1/runs/${open.run_id}/questions`, { resolution }));
  expect(jsonOf(await declined)).toMatchObject({ status: 'declined', justification: 'not now' });
  const wrong = await askUser(agent, {}, { questions: [] });
  expect(wrong.isError).toBe(true);
  expect(textOf(wrong)).toContain('call ask_user again');
  const unknown = await agent.client.callTool({ name: 'check_answer', arguments: { ask_id: 'ask_unknown' } });
  expect(unknown.isError).toBe(true);
});

it('never shows the asks of one session to another', async () => {
  const [one, other] = [await connectImpatient(), await connectImpatient()];
  const { ask_id } = jsonOf(await askUser(one));
  for (const name of [ask_id, (await pendingAsk(impatient, one.sessionId)).ask_id]) {
    const spied = await checkAnswer(other, { ask_id: name });
    expect(spied.isError).toBe(true);
    expect(textOf(spied)).not.toContain('colour');
  }
});

describe.each(TRANSPORTS.flatMap((transport) => PROTOCOLS.map((protocol) => ({ transport, protocol }))))(
  'a client that can elicit, over $transport, protocol $protocol',
  (how) => {
    const patient = { timeout: 60_000 };

    it('is asked at its own screen, whose answer is returned to the agent and withdraws the ask', patient, async () => {
      const asked: ElicitRequest[] = [];
      const prepare = elicitor(async (request) => {
        asked.push(request);
        return { action: 'accept', content: { colour: 'Blue' } };
      });
      const agent = await connect({ ...how, capabilities: FORMS, prepare });
      const result = jsonOf(await askUser(agent, { onprogress: () => {} }));
      expect(result).toMatchObject({ ...BLUE, answered_by: "a person at the agent's own screen" });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.params).toMatchObject({
        message: 'Which colour?',
        requestedSchema: {
          type: 'object',
          properties: {
            colour: {
              type: 'string',
              title: 'Which colour?',
              oneOf: [
                { const: 'r', title: 'Red' },
                { const: 'Blue', title: 'Blue' },
              ],
            },
          },
        },
      });
      const [ended] = await ok(server.get<AskView[]>(`/v1/asks?session_id=${agent.sessionId}`));
      expect(ended).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn', surface: 'mcp' } });
      expect((await showRun(server, agent.runId)).status).toBe('running');
    });

    it('is not asked at its own screen when a worker hosts it', patient, async () => {
      const asked: ElicitRequest[] = [];
      const prepare = elicitor(async (request) => {
        asked.push(request);
        return { action: 'cancel' };
      });
      const agent = await connect({ ...how, session: { agent: 'hosted' }, capabilities: FORMS, prepare });
      const agents = [{ name: 'hosted', recovery: 'none' }];
      await ok(server.post('/v1/workers/claim', { worker_id: 'w', agents }));
      const result = askUser(agent, { onprogress: () => {}, timeout: 60_000 });
      await answer(server, await pendingAsk(server, agent.sessionId), CHOOSE_BLUE);
      expect(jsonOf(await result)).toMatchObject({ ...BLUE, answered_by: 'operator' });
      expect(asked).toEqual([]);
    });

    it('returns declined when the person declines at its own screen', patient, async () => {
      const prepare = elicitor(async () => {
        await sleep(READS_FOR_MS);
        return { action: 'decline' };
      });
      const agent = await connect({ ...how, capabilities: FORMS, prepare });
      const told = jsonOf(await askUser(agent, { onprogress: () => {} }));
      expect(told).toMatchObject({ status: 'declined', answered_by: "a person at the agent's own screen" });
    });

    it.each([
      ['dismissed', { action: 'cancel' }],
      ['declined faster than a person could read it', { action: 'decline' }],
      ['answered with what is no answer', { action: 'accept', content: {} }],
    ] as const)('keeps the ask in the inbox when it is %s at its own screen', patient, async (_, reply) => {
      const prepare = elicitor(async () => ({ ...reply }));
      const agent = await connect({ ...how, capabilities: FORMS, prepare });
      const result = askUser(agent, { onprogress: () => {}, timeout: 60_000 });
      await answer(server, await pendingAsk(server, agent.sessionId), CHOOSE_BLUE);
      expect(jsonOf(await result)).toMatchObject({ ...BLUE, answered_by: 'operator' });
    });
  },
);

it.each(TRANSPORTS)(
  'ends the prompt at the screen when the inbox answers first (2025, %s)',
  { timeout: 60_000 },
  async (transport) => {
    let ended = false;
    const prepare = elicitor(
      (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            ended = true;
            resolve({ action: 'cancel' });
          }),
        ),
    );
    const agent = await connect({ transport, capabilities: FORMS, prepare });
    const result = askUser(agent, { onprogress: () => {}, timeout: 60_000 });
    await eventually(() => agent.received.some((m) => m.method === 'elicitation/create')).toBe(true);
    await answer(server, await pendingAsk(server, agent.sessionId), CHOOSE_BLUE);
    expect(jsonOf(await result)).toMatchObject({ ...BLUE, answered_by: 'operator' });
    await eventually(() => ended).toBe(true);
  },
);

it('returns the answer of the inbox to the retry of an input-required result when it was first (2026)', async () => {
  let agent: Agent | undefined;
  const prepare = elicitor(async () => {
    await answer(server, await pendingAsk(server, String(agent?.sessionId)), CHOOSE_BLUE);
    return { action: 'accept', content: { colour: 'r' } };
  });
  agent = await connect({ protocol: '2026-07-28', capabilities: FORMS, prepare });
  expect(jsonOf(await askUser(agent))).toMatchObject({ ...BLUE, answered_by: 'operator' });
});

it('names the ask in the state of an input-required result, and returns the same answer to a repeated retry', async () => {
  const agent = await connect({ protocol: '2026-07-28', capabilities: FORMS });
  const call = (more: Fields = {}) =>
    agent.client.request(
      { method: 'tools/call', params: { name: 'ask_user', arguments: QUESTIONS, ...more } },
      { allowInputRequired: true },
    ) as Promise<unknown> as Promise<Fields & { inputRequests: Fields; requestState: string }>;
  const first = await call();
  expect(first).toMatchObject({ resultType: 'input_required' });
  expect(first.inputRequests).toMatchObject({ answer: { method: 'elicitation/create' } });
  const open = await pendingAsk(server, agent.sessionId);
  expect(first.requestState).toContain(open.ask_id);
  const inputResponses = { answer: { action: 'accept', content: { 'colour (other)': 'green' } } };
  const retry = () => call({ inputResponses, requestState: first.requestState });
  const told = jsonOf(await retry());
  expect(told).toMatchObject({ status: 'answered', answers: [{ question_id: 'colour', text: 'green' }] });
  expect(jsonOf(await retry())).toEqual(told);
});
