// A child run asks its parent session: what operators see, what the child receives, and that it happens exactly once.
// Covers: src/gateway/notify-child.ts, src/gateway/thread-note.ts
import { describe, expect, it } from 'vitest';
import type { AskView, ClarificationView, MessageView, PendingQuestionView, RunView } from '../../src/core/views.ts';
import {
  callId,
  clarify,
  declined,
  eventsOfRun,
  eventsOfSession,
  family,
  NOTES,
  newSession,
  ok,
  picks,
  ROUTING,
  refusal,
  resolution,
  showAsk,
  showRun,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const mailOf = (sessionId: string): Promise<MessageView[]> =>
  ok(server.get<MessageView[]>(`/v1/sessions/${sessionId}/mailbox`));

describe('raising a clarification', () => {
  it('creates a run in the parent session with 201, and returns the same run with 200 when the call is repeated', async () => {
    const { parentId, childRunId } = await family(server);
    const path = `/v1/runs/${childRunId}/clarifications`;
    const body = { tool_call_id: 'toolu_7', questions: [ROUTING] };
    const first = await server.post<ClarificationView>(path, body);
    expect(first).toMatchObject({ status: 201, body: { parent_session_id: parentId } });
    expect(await server.post(path, body)).toMatchObject({ status: 200, body: first.body });
    const runs = await ok(server.get<RunView[]>(`/v1/runs?session_id=${parentId}`));
    expect(runs.map((r) => [r.run_id, r.kind])).toEqual([[first.body.run_id, 'parent_clarification']]);
    const other = { ...body, questions: [NOTES] };
    await refusal(server.post(path, other), 409, 'ask_identity_conflict');
  });

  it('does not hold the run of the child', async () => {
    const { childRunId } = await family(server);
    await clarify(server, childRunId);
    expect((await showRun(server, childRunId)).status).toBe('running');
    await ok(server.post(`/v1/runs/${childRunId}/output`, { text: 'meanwhile' }));
  });

  it('refuses a session without a parent and says what to do instead', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const sent = server.post(`/v1/runs/${run_id}/clarifications`, { tool_call_id: 'c', questions: [NOTES] });
    const problem = await refusal(sent, 409, 'no_parent_session');
    expect(problem).toMatchObject({ domain: 'clarifications', detail: expect.stringContaining('/asks') });
  });

  it('refuses an ended parent session and an ended child run', async () => {
    const body = { tool_call_id: 'c', questions: [NOTES] };
    const a = await family(server);
    await ok(server.post(`/v1/sessions/${a.parentId}/end`));
    await refusal(server.post(`/v1/runs/${a.childRunId}/clarifications`, body), 409, 'session_ended');
    const b = await family(server);
    await ok(server.post(`/v1/runs/${b.childRunId}/complete`));
    await refusal(server.post(`/v1/runs/${b.childRunId}/clarifications`, body), 409, 'run_state_conflict');
    await refusal(server.post('/v1/runs/run_nope/clarifications', body), 404, 'run_not_found');
  });

  it('refuses a secret question, which only the asking session could read', async () => {
    const { childRunId } = await family(server);
    const body = { tool_call_id: 'c', questions: [{ ...NOTES, secret: true }] };
    const sent = server.post(`/v1/runs/${childRunId}/clarifications`, body);
    expect((await refusal(sent, 400, 'invalid_ask')).detail).toContain('/asks');
  });
});

it('shows requester, project and channel for the run of a clarification, and for no other run', async () => {
  const { parentId, childId, childRunId } = await family(
    server,
    { project_ids: ['p1'], channel_ids: ['c1', 'c2'] },
    { project_ids: ['p9'], channel_ids: ['c9'], agent_id: 'worker-bee' },
  );
  const asked = await clarify(server, childRunId, { tool_call_id: 'toolu_1' });
  const [view] = await ok(server.get<PendingQuestionView[]>(`/v1/sessions/${parentId}/questions`));
  expect(view).toMatchObject({
    session_id: parentId,
    run_id: asked.run_id,
    run_kind: 'parent_clarification',
    requester_agent_id: 'worker-bee',
    requester_session_id: childId,
    requester_run_id: childRunId,
    requester_tool_call_id: 'toolu_1',
    requester_project_ids: ['p9'],
    requester_channel_ids: ['c9'],
    parent_project_ids: ['p1'],
    parent_channel_ids: ['c1', 'c2'],
    request: { id: asked.request_id, tool_call_id: 'toolu_1', questions: [{ id: 'routing' }] },
  });
  expect(await ok(server.get<unknown[]>(`/v1/questions?session_id=${childId}`))).toEqual([]);
});

describe('the answer in the mailbox of the child', () => {
  it('has summary, answers and justification, and completes the parent run with a structured event', async () => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId, { questions: [ROUTING, NOTES] });
    const answers = [...picks('local'), { question_id: 'notes', freeform_answer: 'be quick' }];
    const body = resolution(asked.request_id, answers, { justification: 'as agreed' });
    const run = await ok(server.post<RunView>(`/v1/runs/${asked.run_id}/questions`, body));
    expect(run).toMatchObject({ run_id: asked.run_id, status: 'completed', kind: 'parent_clarification' });
    const [message, ...more] = await mailOf(childId);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      subject: 'clarification_answer',
      from_session_id: parentId,
      attempts: 0,
      payload: {
        type: 'parent_clarification_answer',
        request_id: asked.request_id,
        declined: false,
        summary: 'Which provider?: Local\nAnything else?: be quick',
        answers,
        justification: 'as agreed',
      },
    });
    for (const events of [await eventsOfRun(server, asked.run_id), await eventsOfSession(server, parentId)]) {
      const resolved = events.filter((e) => e.type === 'parent_clarification_resolved');
      expect(resolved).toHaveLength(1);
      expect(resolved[0]?.data).toMatchObject({
        requester_session_id: childId,
        request_id: asked.request_id,
        declined: false,
        resolution: { request_id: asked.request_id, declined: false, answers, justification: 'as agreed' },
      });
    }
  });

  it('leaves a note in the thread of the parent', async () => {
    const { parentId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
    const items = await ok(server.get<{ content: unknown }[]>(`/v1/threads/thr_${parentId}/items`));
    const notes = items.filter(({ content }) => JSON.stringify(content).includes('Which provider?: OpenAI'));
    expect(notes).toHaveLength(1);
  });

  it('tells the child of a declined clarification with its justification', async () => {
    const { childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const run = await ok(
      server.post<RunView>(`/v1/runs/${asked.run_id}/questions`, declined(asked.request_id, 'your call')),
    );
    expect(run.status).toBe('completed');
    expect((await mailOf(childId))[0]?.payload).toMatchObject({
      declined: true,
      answers: [],
      justification: 'your call',
    });
  });

  it('stays until the child acknowledges it, which delivers the ask', async () => {
    const { childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
    expect((await showAsk(server, asked.request_id)).delivery.state).toBe('due');
    const [message] = await mailOf(childId);
    const path = `/v1/sessions/${childId}/mailbox/${message?.message_id}/ack`;
    await ok(server.post(path));
    await ok(server.post(path));
    expect(await mailOf(childId)).toEqual([]);
    expect((await showAsk(server, asked.request_id)).delivery).toMatchObject({ state: 'delivered', attempts: 1 });
    const acknowledged = (await eventsOfSession(server, childId)).filter((e) => e.type === 'mailbox.acknowledged');
    expect(acknowledged).toHaveLength(1);
  });

  it('is in no other mailbox, and an unknown message is 404', async () => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
    const [message] = await mailOf(childId);
    for (const call of ['ack', 'fail']) {
      const wrongBox = `/v1/sessions/${parentId}/mailbox/${message?.message_id}/${call}`;
      await refusal(server.post(wrongBox), 404, 'message_not_found');
      await refusal(server.post(`/v1/sessions/${childId}/mailbox/msg_nope/${call}`), 404, 'message_not_found');
    }
    expect(await mailOf(childId)).toHaveLength(1);
  });
});

describe('a clarification that is stopped in the parent', () => {
  const STOPS: [string, (parentId: string, runId: string) => [string, object]][] = [
    ['interrupt of the parent', (parentId) => [`/v1/sessions/${parentId}/interrupt`, {}]],
    ['cancel of the clarification run', (_parentId, runId) => [`/v1/runs/${runId}/cancel`, { reason: 'later' }]],
    ['end of the parent', (parentId) => [`/v1/sessions/${parentId}/end`, {}]],
  ];
  it.each(STOPS)('is mailed to the child as declined by %s', async (_name, stop) => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    const [path, body] = stop(parentId, asked.run_id);
    await ok(server.post(path, body));
    expect((await showRun(server, asked.run_id)).status).toBe('completed');
    const [message] = await mailOf(childId);
    expect(message?.payload).toMatchObject({ declined: true, answers: [] });
    expect(String(message?.payload.justification)).toMatch(/interrupted by operator|later|ended/);
    const events = await eventsOfRun(server, asked.run_id);
    expect(events.filter((e) => e.type === 'parent_clarification_resolved')).toMatchObject([
      { data: { declined: true } },
    ]);
  });
});

describe('a clarification in the queue of the parent', () => {
  const queued = async (fields = {}) => {
    const kin = await family(server);
    const working = await startRun(server, kin.parentId);
    return { ...kin, working, asked: await clarify(server, kin.childRunId, fields) };
  };
  const told = async (childId: string, runId: string) => {
    const [message, ...more] = await mailOf(childId);
    expect(more).toEqual([]);
    const resolved = (await eventsOfRun(server, runId)).filter((e) => e.type === 'parent_clarification_resolved');
    expect(resolved).toMatchObject([{ data: { declined: true } }]);
    return message?.payload;
  };

  it('expires in the queue, is recorded as expired and mailed to the child', async () => {
    const { childId, asked } = await queued({ expires_after_ms: 60_000 });
    server.advance(60_001);
    expect((await showRun(server, asked.run_id)).status).toBe('cancelled');
    expect(await showAsk(server, asked.request_id)).toMatchObject({
      status: 'expired',
      answer: { answered_by: 'system', surface: 'system' },
    });
    expect(await told(childId, asked.run_id)).toMatchObject({ request_id: asked.request_id, declined: true });
  });

  it('is cancelled in the queue, recorded with its author and mailed to the child with the reason', async () => {
    const { childId, asked } = await queued();
    await ok(server.post(`/v1/runs/${asked.run_id}/cancel`, { reason: 'not today' }));
    expect(await told(childId, asked.run_id)).toMatchObject({ declined: true, justification: 'not today' });
    expect(await showAsk(server, asked.request_id)).toMatchObject({
      status: 'cancelled',
      answer: { answered_by: 'operator', surface: 'api', justification: 'not today' },
    });
  });

  it('ends with its parent session and is mailed to the child', async () => {
    const { parentId, childId, asked } = await queued();
    await ok(server.post(`/v1/sessions/${parentId}/end`, { reason: 'done here' }));
    expect((await showRun(server, asked.run_id)).status).toBe('cancelled');
    expect(await told(childId, asked.run_id)).toMatchObject({ declined: true, justification: 'done here' });
  });

  it('is not raised when its session ends and the run before it is cancelled', async () => {
    const { session_id: parentId } = await newSession(server, { agent: 'nobody-hosts-this' });
    const { session_id: childId } = await newSession(server, { parent_session_id: parentId });
    const { run_id: childRunId } = await startRun(server, childId);
    const unclaimed = await startRun(server, parentId);
    const asked = await clarify(server, childRunId);
    expect((await showRun(server, asked.run_id)).status).toBe('queued');
    await ok(server.post(`/v1/sessions/${parentId}/end`));
    for (const id of [unclaimed.run_id, asked.run_id]) expect((await showRun(server, id)).status).toBe('cancelled');
    const types = (await eventsOfRun(server, asked.run_id)).map((e) => e.type);
    expect(types).not.toContain('started');
    expect(types).not.toContain('ask.raised');
    await told(childId, asked.run_id);
  });

  it('cannot be answered before it has the slot, nor after it was cancelled', async () => {
    const { parentId, asked } = await queued();
    const path = `/v1/runs/${asked.run_id}/questions`;
    expect(await ok(server.get<unknown[]>(`/v1/sessions/${parentId}/questions`))).toEqual([]);
    await refusal(server.post(path, resolution(asked.request_id)), 409, 'question_state_conflict');
    await ok(server.post(`/v1/runs/${asked.run_id}/cancel`));
    await refusal(server.post(path, resolution(asked.request_id)), 409, 'question_resolution_conflict');
  });
});

it('keeps an answered clarification over a restart: one message, one note, one completed run', async () => {
  const { parentId, childId, childRunId } = await family(server);
  const asked = await clarify(server, childRunId);
  const path = `/v1/runs/${asked.run_id}/questions`;
  const first = await ok(server.post<RunView>(path, resolution(asked.request_id)));
  await server.restart();
  expect(await ok(server.post<RunView>(path, resolution(asked.request_id)))).toEqual(first);
  await refusal(server.post(path, resolution(asked.request_id, picks('local'))), 409, 'question_resolution_conflict');
  expect(await mailOf(childId)).toHaveLength(1);
  const types = (await eventsOfSession(server, parentId)).map((e) => e.type);
  for (const type of ['parent_clarification_resolved', 'completed', 'item.posted', 'ask.claimed'])
    expect(types.filter((t) => t === type)).toHaveLength(1);
});

it('raises the clarification of a grandchild in its own parent, not in the topmost session', async () => {
  const { parentId, childId } = await family(server);
  const { session_id: grandchild } = await newSession(server, { parent_session_id: childId });
  const { run_id } = await startRun(server, grandchild);
  await ok(server.post(`/v1/sessions/${childId}/interrupt`));
  const asked = await clarify(server, run_id, { tool_call_id: callId() });
  expect(asked.parent_session_id).toBe(childId);
  expect(await ok(server.get<AskView[]>(`/v1/asks?session_id=${parentId}`))).toEqual([]);
});
