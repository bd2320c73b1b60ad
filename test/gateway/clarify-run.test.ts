// The run that carries a clarification in the parent session: no agent works in it, and only its question ends it.
// Covers: src/gateway/clarify.ts, src/gateway/notify-child.ts
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomeOf } from '../support/gateway.ts';
import { agent, COLOUR, gatewayCalls, lead } from '../support/gateway-calls.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';
import { checkInvariants } from './model/invariants.ts';

const open = gatewayForEach();
afterEach(() => checkInvariants(open));
const { session, start, askFor, approvalFor, answer } = gatewayCalls(() => open);

const clarify = async (call = 'c') => {
  const runId = await start('child');
  const body = { tool_call_id: call, questions: COLOUR };
  return (await open.gateway.clarify({ runId, body, actor: agent })).view;
};
beforeEach(async () => {
  await session('parent');
  await session('child', 'external', 'parent');
});

it('refuses asks, completion and failure in the run of a clarification: only its question ends it', async () => {
  const { run_id: runId, request_id } = await clarify();
  expect(await outcomeOf(askFor(runId, 'blocking'))).toBe('run_state_conflict');
  expect(await outcomeOf(approvalFor(runId))).toBe('run_state_conflict');
  expect(await outcomeOf(open.gateway.completeRun({ runId, actor: agent }))).toBe('run_state_conflict');
  expect(await outcomeOf(open.gateway.failRun({ runId, actor: agent }))).toBe('run_state_conflict');
  expect((await answer(runId, request_id)).status).toBe('completed');
  expect((await open.gateway.listMessages('child', 'open', { limit: 9 })).views).toHaveLength(1);
});

it('refuses to fail the run of a clarification that is still queued', async () => {
  await start('parent');
  const { run_id: runId } = await clarify();
  expect(await outcomeOf(open.gateway.failRun({ runId, actor: agent }))).toBe('run_state_conflict');
  expect((await open.gateway.showRun(runId)).status).toBe('queued');
});

it('logs every undeliverable clarification in the parent session when the child ends', async () => {
  const runId = await start('child');
  const ids: string[] = [];
  for (let n = 0; n < 500; n++) {
    const body = { tool_call_id: `c${n}`, questions: COLOUR };
    const { view } = await open.gateway.clarify({ runId, body, actor: agent });
    await answer(view.run_id, view.request_id);
    ids.push(view.request_id);
  }
  await open.gateway.endSession({ sessionId: 'child', actor: lead });
  const told = await open.store.read((r) => r.events({ sessionId: 'parent' }, 0, 100_000));
  expect(told.filter((e) => e.type === 'ask.undeliverable').map((e) => e.askId)).toEqual(ids);
});
