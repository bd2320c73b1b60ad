// Corners that the model tests once found, each as a fixed story.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskMode } from '../../src/core/ask.ts';
import type { RaiseAsk } from '../../src/core/bodies.ts';
import { type OpenGateway, openGateway, outcomeOf, person } from '../support/gateway.ts';
import { checkInvariants } from './model/invariants.ts';
import { QUESTIONS } from './model/steps.ts';

const agent = person('agent');
const lead = person('lead');
const RED = { answers: [{ question_id: 'colour', selected_option_ids: ['red'] }] };

let open: OpenGateway;
beforeEach(async () => {
  open = await openGateway();
});
afterEach(async () => {
  await checkInvariants(open);
  await open.close();
});

const session = (id: string, name = 'external', parent?: string) =>
  open.gateway.createSession({ session_id: id, agent: name, ...(parent && { parent_session_id: parent }) });
const start = async (sessionId: string) =>
  (await open.gateway.startRun({ sessionId, body: { input: {} }, actor: agent })).view.run_id;
const askFor = async (runId: string, mode: AskMode, more = {}) => {
  const body = { kind: 'question' as const, tool_call_id: mode, mode, questions: QUESTIONS, ...more };
  return (await open.gateway.raiseAsk({ runId, body, actor: agent })).view.ask_id;
};
const approvalFor = async (runId: string, more = {}) => {
  const body = { kind: 'approval' as const, tool_call_id: 'approval', tool_name: 'Bash', input: {}, ...more };
  return (await open.gateway.raiseAsk({ runId, body, actor: agent })).view.ask_id;
};
const answer = async (runId: string, request_id: string) =>
  (await open.gateway.answerForRun({ runId, resolution: { request_id, ...RED }, actor: lead })).view;
const allow = async (runId: string, request_id: string) =>
  (await open.gateway.approveForRun({ runId, resolutions: [{ request_id, behavior: 'allow' }], actor: lead })).view;
const deliveryOf = async (askId: string) => (await open.gateway.showAsk(askId, agent)).delivery;

describe('a clarification', () => {
  const clarify = async (call = 'c') => {
    const runId = await start('child');
    const body = { tool_call_id: call, questions: QUESTIONS };
    return (await open.gateway.clarify({ runId, body, actor: agent })).view;
  };
  beforeEach(async () => {
    await session('parent');
    await session('child', 'external', 'parent');
  });

  it('has no agent at work in it: nothing is raised in it and nobody but its question ends it', async () => {
    const { run_id: runId, request_id } = await clarify();
    expect(await outcomeOf(askFor(runId, 'blocking'))).toBe('run_state_conflict');
    expect(await outcomeOf(approvalFor(runId))).toBe('run_state_conflict');
    expect(await outcomeOf(open.gateway.completeRun({ runId, actor: agent }))).toBe('run_state_conflict');
    expect(await outcomeOf(open.gateway.failRun({ runId, actor: agent }))).toBe('run_state_conflict');
    expect((await answer(runId, request_id)).status).toBe('completed');
    expect((await open.gateway.listMessages('child', 'open', { limit: 9 })).views).toHaveLength(1);
  });

  it('that still waits for the slot is not failed by an agent either', async () => {
    await start('parent');
    const { run_id: runId } = await clarify();
    expect(await outcomeOf(open.gateway.failRun({ runId, actor: agent }))).toBe('run_state_conflict');
    expect((await open.gateway.showRun(runId)).status).toBe('queued');
  });

  it('is not asked by a session that is ending', async () => {
    await session('mock-parent', 'mock');
    await session('grandchild', 'external', 'mock-parent');
    await start('mock-parent');
    const body = { tool_call_id: 'c', questions: QUESTIONS };
    const { view } = await open.gateway.clarify({ runId: await start('grandchild'), body, actor: agent });
    await open.gateway.endSession({ sessionId: 'mock-parent', actor: lead });
    expect((await open.gateway.showRun(view.run_id)).status).toBe('cancelled');
    expect(await open.gateway.events({ runId: view.run_id }, 0, 99)).not.toContainEqual(
      expect.objectContaining({ type: 'started' }),
    );
  });

  it('whose mail dies with the child is on the parent’s record, however many there are', async () => {
    const runId = await start('child');
    const ids: string[] = [];
    for (let n = 0; n < 500; n++) {
      const body = { tool_call_id: `c${n}`, questions: QUESTIONS };
      const { view } = await open.gateway.clarify({ runId, body, actor: agent });
      await answer(view.run_id, view.request_id);
      ids.push(view.request_id);
    }
    await open.gateway.endSession({ sessionId: 'child', actor: lead });
    const told = await open.gateway.events({ sessionId: 'parent' }, 0, 100_000);
    expect(told.filter((e) => e.type === 'ask.undeliverable').map((e) => e.askId)).toEqual(ids);
  });
});

describe('an answer that another run carries', () => {
  it.each(['form', 'restart'] as const)(
    'of a %s waits for the rest of its run, and nobody takes it before',
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
  ] as const)('and that nobody acknowledged is settled by the end of that run: %s', async (_, state, end) => {
    await session('s');
    const runId = await start('s');
    const form = await askFor(runId, 'form');
    const next = await answer(runId, form);
    expect((await deliveryOf(form)).state).toBe('due');
    await end()({ runId: next.run_id, actor: agent });
    expect((await deliveryOf(form)).state).toBe(state);
  });

  it.each(['form', 'restart'] as const)('stops its run: after a %s it raises nothing more', async (mode) => {
    await session('s');
    const runId = await start('s');
    const first = await askFor(runId, mode);
    for (const late of [
      { kind: 'approval', tool_call_id: 'late', tool_name: 'Bash', input: {} },
      { kind: 'question', tool_call_id: 'late', questions: QUESTIONS },
      { kind: 'question', tool_call_id: 'late', mode: 'deferred', questions: QUESTIONS },
    ] as const) {
      const raised = open.gateway.raiseAsk({ runId, body: late as RaiseAsk, actor: agent });
      await expect(raised).rejects.toMatchObject({
        code: 'run_state_conflict',
        message: expect.stringContaining(first),
      });
    }
    expect((await open.gateway.showRun(runId)).pending_question_ids).toEqual([first]);
  });

  it('is undeliverable when that run is stopped before it began', async () => {
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
});

describe('a worker that is lost', () => {
  const lose = async () => {
    await session('s', 'mock');
    const runId = await start('s');
    await open.gateway.waitForWork({ worker_id: 'builtin', agents: [{ name: 'mock', recovery: 'replay' }] });
    const approval = await approvalFor(runId);
    const form = await askFor(runId, 'form');
    return { runId, form, approval };
  };

  it('takes only what it held inside a tool call: a form beside it is still there to be answered', async () => {
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

  it('does not keep an answered form from the next run', async () => {
    const { runId, form } = await lose();
    await answer(runId, form);
    await open.restart(['builtin']);
    expect((await open.gateway.showRun(runId)).status).toBe('completed');
    const next = await open.gateway.waitForWork({ worker_id: 'w', agents: [{ name: 'mock', recovery: 'none' }] });
    expect(next?.run.resumes_run_id).toBe(runId);
    expect((await deliveryOf(form)).state).toBe('delivered');
  });
});

describe('a server that was away', () => {
  it('lets deadlines pass before it gives up what its worker had', async () => {
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
});
