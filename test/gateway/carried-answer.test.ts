// The answer of a form or a restart, carried by the run after the held one: when it counts as delivered, when as lost.
// Covers: src/gateway/hand-over.ts
import { afterEach, expect, it } from 'vitest';
import type { RaiseAsk } from '../../src/core/bodies.ts';
import { outcomeOf } from '../support/gateway.ts';
import { agent, COLOUR, gatewayCalls, lead } from '../support/gateway-calls.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';
import { checkInvariants } from './model/invariants.ts';

const open = gatewayForEach();
afterEach(() => checkInvariants(open));
const { session, start, askFor, approvalFor, answer, allow, deliveryOf } = gatewayCalls(() => open);

it.each(['form', 'restart'] as const)(
  'keeps the answer of a %s due until the rest of its run has ended, and refuses an earlier acknowledgement',
  async (mode) => {
    await session('s');
    const runId = await start('s');
    const approval = await approvalFor(runId);
    const form = await askFor(runId, mode);
    await answer(runId, form);
    expect(await outcomeOf(open.gateway.acknowledge({ askId: form, state: 'delivered' }))).toBe('ask_state_conflict');
    const next = await allow(runId, approval);
    expect(next).toMatchObject({ status: 'running', resumes_run_id: runId });
    expect((await deliveryOf(form)).state).toBe('due');
    expect((await open.gateway.showRun(runId)).status).toBe('completed');
    await open.gateway.acknowledge({ askId: form, state: 'delivered' });
    expect((await deliveryOf(form)).state).toBe('delivered');
  },
);

it.each([
  ['completed', 'delivered', () => open.gateway.completeRun],
  ['failed', 'undeliverable', () => open.gateway.failRun],
] as const)('settles an unacknowledged answer by the end of the run that carries it: %s', async (_, state, end) => {
  await session('s');
  const runId = await start('s');
  const form = await askFor(runId, 'form');
  const next = await answer(runId, form);
  expect((await deliveryOf(form)).state).toBe('due');
  await end()({ runId: next.run_id, actor: agent });
  expect((await deliveryOf(form)).state).toBe(state);
});

it.each(['form', 'restart'] as const)('refuses further asks of a run after a %s was raised', async (mode) => {
  await session('s');
  const runId = await start('s');
  const first = await askFor(runId, mode);
  for (const late of [
    { kind: 'approval', tool_call_id: 'late', tool_name: 'Bash', input: {} },
    { kind: 'question', tool_call_id: 'late', questions: COLOUR },
    { kind: 'question', tool_call_id: 'late', mode: 'deferred', questions: COLOUR },
  ] as const) {
    const raised = open.gateway.raiseAsk({ runId, body: late as RaiseAsk, actor: agent });
    await expect(raised).rejects.toMatchObject({
      code: 'run_state_conflict',
      message: expect.stringContaining(first),
    });
  }
  expect((await open.gateway.showRun(runId)).pending_question_ids).toEqual([first]);
});

it('marks the answer undeliverable when the run that carries it is cancelled before it began', async () => {
  await session('s', 'mock');
  const runId = await start('s');
  await open.gateway.waitForWork({ worker_id: 'w', agents: [{ name: 'mock', recovery: 'none' }] });
  const form = await askFor(runId, 'form');
  const next = await answer(runId, form);
  expect([next.status, (await deliveryOf(form)).state]).toEqual(['queued', 'due']);
  await open.gateway.cancelRun({ runId: next.run_id, actor: lead });
  expect(await deliveryOf(form)).toMatchObject({
    state: 'undeliverable',
    reason: expect.stringContaining('cancelled'),
  });
});
