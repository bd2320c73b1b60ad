// One active slot per session: a waiting run keeps it, later runs queue first in, first out, and every end of a run gives
// it to the next.
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import {
  answer,
  clarify,
  eventsOfRun,
  family,
  held,
  newSession,
  ok,
  raiseQuestion,
  refusal,
  showRun,
  showSession,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

it('sets an external run to running as soon as it has the slot', async () => {
  const { session_id } = await newSession(server);
  expect(await startRun(server, session_id)).toMatchObject({ status: 'running', kind: 'input' });
});

it('queues later runs first in, first out, with a 1-based position', async () => {
  const h = await held(server);
  const [b, c, d] = [
    await startRun(server, h.sessionId),
    await startRun(server, h.sessionId),
    await startRun(server, h.sessionId),
  ];
  expect([b, c, d].map((run) => [run.status, run.queued_position])).toEqual([
    ['queued', 1],
    ['queued', 2],
    ['queued', 3],
  ]);
  const queued = (await eventsOfRun(server, d.run_id)).find((e) => e.type === 'queued');
  expect(queued?.data).toEqual({ position: 3 });
  expect(await showSession(server, h.sessionId)).toMatchObject({
    active_run_id: h.runId,
    queued_run_ids: [b.run_id, c.run_id, d.run_id],
  });
  await ok(server.post(`/v1/runs/${b.run_id}/cancel`));
  expect((await showRun(server, c.run_id)).queued_position).toBe(1);
  expect((await showRun(server, d.run_id)).queued_position).toBe(2);
  await ok(server.post(`/v1/runs/${h.runId}/cancel`));
  expect(await showRun(server, c.run_id)).toMatchObject({ status: 'running' });
  expect(await showRun(server, c.run_id)).not.toHaveProperty('queued_position');
});

it('keeps the slot with a waiting run, and with a run that continues after an answer', async () => {
  const h = await held(server);
  const next = await startRun(server, h.sessionId);
  await ok(answer(server, h));
  expect((await showRun(server, next.run_id)).status).toBe('queued');
  await raiseQuestion(server, h.runId);
  expect((await showRun(server, next.run_id)).status).toBe('queued');
});

describe('the end of a run', () => {
  it.each([
    ['complete', 'completed'],
    ['fail', 'failed'],
    ['cancel', 'cancelled'],
  ])('gives the slot to the next run after %s', async (call, status) => {
    const { session_id } = await newSession(server);
    const first = await startRun(server, session_id);
    const second = await startRun(server, session_id);
    expect((await ok(server.post<RunView>(`/v1/runs/${first.run_id}/${call}`))).status).toBe(status);
    expect((await showRun(server, second.run_id)).status).toBe('running');
    expect((await showSession(server, session_id)).active_run_id).toBe(second.run_id);
  });

  it('gives the slot to the next run after an interrupt', async () => {
    const h = await held(server);
    const next = await startRun(server, h.sessionId);
    await ok(server.post(`/v1/sessions/${h.sessionId}/interrupt`));
    expect((await showRun(server, h.runId)).status).toBe('interrupted');
    expect((await showRun(server, next.run_id)).status).toBe('running');
  });
});

describe('a run that does not have the slot', () => {
  it('is refused asks, outputs and completion', async () => {
    const h = await held(server);
    const { run_id } = await startRun(server, h.sessionId);
    const question = { kind: 'question', tool_call_id: 'c', questions: [{ question: 'A?' }] };
    await refusal(server.post(`/v1/runs/${run_id}/asks`, question), 409, 'run_state_conflict');
    await refusal(server.post(`/v1/runs/${run_id}/output`, { text: 'x' }), 409, 'run_state_conflict');
    await refusal(server.post(`/v1/runs/${run_id}/complete`), 409, 'run_state_conflict');
    expect((await showRun(server, run_id)).status).toBe('queued');
  });

  it('can be cancelled and failed in the queue', async () => {
    const h = await held(server);
    const runs = [await startRun(server, h.sessionId), await startRun(server, h.sessionId)];
    await ok(server.post(`/v1/runs/${runs[0]?.run_id}/cancel`));
    await ok(server.post(`/v1/runs/${runs[1]?.run_id}/fail`, { error: 'no' }));
    expect((await showSession(server, h.sessionId)).queued_run_ids).toEqual([]);
    expect((await showSession(server, h.sessionId)).active_run_id).toBe(h.runId);
  });
});

it('refuses every change of a terminal run', async () => {
  for (const [end, status] of [
    ['complete', 'completed'],
    ['fail', 'failed'],
    ['cancel', 'cancelled'],
  ]) {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const first = await ok(server.post<RunView>(`/v1/runs/${run_id}/${end}`));
    expect(await ok(server.post<RunView>(`/v1/runs/${run_id}/${end}`))).toEqual(first);
    for (const other of ['complete', 'fail', 'cancel'].filter((call) => call !== end))
      await refusal(server.post(`/v1/runs/${run_id}/${other}`), 409, 'run_state_conflict');
    expect(await showRun(server, run_id)).toEqual(first);
    expect(typesOf(await eventsOfRun(server, run_id)).filter((type) => type === status)).toHaveLength(1);
  }
});

it('queues a clarification in the parent like any other run, and sets it to waiting when it has the slot', async () => {
  const { parentId, childRunId } = await family(server);
  const working = await startRun(server, parentId);
  const asked = await clarify(server, childRunId);
  const behind = await startRun(server, parentId);
  expect(await showRun(server, asked.run_id)).toMatchObject({ status: 'queued', queued_position: 1 });
  await ok(server.post(`/v1/runs/${working.run_id}/complete`));
  expect(await showRun(server, asked.run_id)).toMatchObject({
    status: 'waiting_for_user_question',
    kind: 'parent_clarification',
    pending_question_ids: [asked.request_id],
  });
  expect((await showRun(server, behind.run_id)).status).toBe('queued');
});

it('activates one of many concurrently started runs and gives the others distinct positions', async () => {
  const { session_id } = await newSession(server);
  const runs = await Promise.all(Array.from({ length: 20 }, () => startRun(server, session_id)));
  expect(runs.filter((r) => r.status === 'running')).toHaveLength(1);
  const positions = runs.map((r) => r.queued_position ?? 0).sort((a, b) => a - b);
  expect(positions).toEqual(Array.from({ length: 20 }, (_, i) => i));
});
