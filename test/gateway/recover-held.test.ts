// Asks that a lost worker held: blocking ones end with it, forms stay answerable, deadlines are judged first.
// Covers: src/gateway/recover.ts
import { afterEach, expect, it } from 'vitest';
import { gatewayCalls, lead } from '../support/gateway-calls.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';
import { checkInvariants } from './model/invariants.ts';

const open = gatewayForEach();
afterEach(() => checkInvariants(open));
const { session, start, askFor, approvalFor, answer, deliveryOf } = gatewayCalls(() => open);

const lose = async () => {
  await session('s', 'mock');
  const runId = await start('s');
  await open.gateway.waitForWork({ worker_id: 'builtin', agents: [{ name: 'mock', recovery: 'replay' }] });
  const approval = await approvalFor(runId);
  const form = await askFor(runId, 'form');
  return { runId, form, approval };
};

it('denies the blocking approval of a lost worker and keeps the form of the same run answerable', async () => {
  const { runId, form, approval } = await lose();
  await open.restart(['builtin']);
  expect(await open.gateway.showAsk(approval, lead)).toMatchObject({
    status: 'cancelled',
    answer: { behavior: 'deny', reason: 'worker_restart' },
  });
  expect(await open.gateway.showRun(runId)).toMatchObject({
    status: 'waiting_for_user_question',
    pending_question_ids: [form],
  });
  expect(await answer(runId, form)).toMatchObject({ status: 'queued', resumes_run_id: runId });
});

it('hands an answered form of a lost worker to the next run', async () => {
  const { runId, form } = await lose();
  await answer(runId, form);
  await open.restart(['builtin']);
  expect((await open.gateway.showRun(runId)).status).toBe('completed');
  const next = await open.gateway.waitForWork({ worker_id: 'w', agents: [{ name: 'mock', recovery: 'none' }] });
  expect(next?.run.resumes_run_id).toBe(runId);
  expect((await deliveryOf(form)).state).toBe('delivered');
});

it('expires overdue asks before it recovers the runs of a worker that was lost meanwhile', async () => {
  await session('s', 'mock');
  const runId = await start('s');
  await open.gateway.waitForWork({ worker_id: 'builtin', agents: [{ name: 'mock', recovery: 'replay' }] });
  const late = await approvalFor(runId, { expires_after_ms: 500 });
  open.advance(500);
  await open.restart(['builtin']);
  const shown = await open.gateway.showAsk(late, lead);
  expect(shown).toMatchObject({ status: 'expired', answer: { behavior: 'deny', answered_by: 'system' } });
  expect((await open.gateway.showRun(runId)).status).toBe('queued');
});
