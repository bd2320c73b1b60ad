// Mail that cannot arrive: the child was closed, the message is too old, or three deliveries failed. It moves to the dead
// letters of the child with a reason, and the parent run is completed all the same.
// Covers: src/core/mailbox.ts, src/server/routes/mailbox.ts
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { AskView, DeadLetterView, MessageView, RunView } from '../../src/core/views.ts';
import {
  clarify,
  eventsOfSession,
  eventually,
  family,
  ok,
  picks,
  refusal,
  resolution,
  showAsk,
  showRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

type DeadLetter = z.infer<typeof DeadLetterView>;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const mailOf = (id: string) => ok(server.get<MessageView[]>(`/v1/sessions/${id}/mailbox`));
const deadOf = (id: string) => ok(server.get<DeadLetter[]>(`/v1/sessions/${id}/dead-letters`));
const answered = async () => {
  const kin = await family(server);
  const asked = await clarify(server, kin.childRunId);
  await ok(server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
  const [message] = await mailOf(kin.childId);
  if (!message) throw new Error('no mail');
  return { ...kin, asked, message };
};
const dueIn = async (sessionId: string) =>
  (await ok(server.get<AskView[]>(`/v1/asks?delivery=due&session_id=${sessionId}`))).length;

describe('mail to a closed child', () => {
  it('completes the parent run and moves the answer to the dead letters of the child', async () => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(server.post(`/v1/sessions/${childId}/end`));
    const run = await ok(server.post<RunView>(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id)));
    expect(run.status).toBe('completed');
    expect(await mailOf(childId)).toEqual([]);
    const [letter, ...more] = await deadOf(childId);
    expect(more).toEqual([]);
    expect(letter).toMatchObject({
      subject: 'clarification_answer',
      from_session_id: parentId,
      reason: 'the child session has ended',
      payload: { request_id: asked.request_id, declined: false },
    });
    expect(letter?.dead_at_ms).toBeGreaterThanOrEqual(letter?.created_at_ms ?? Number.POSITIVE_INFINITY);
    expect((await showAsk(server, asked.request_id)).delivery).toMatchObject({
      state: 'undeliverable',
      reason: 'the child session has ended',
    });
  });

  it('moves a declined answer to the dead letters of the child', async () => {
    const { parentId, childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId);
    await ok(server.post(`/v1/sessions/${childId}/end`));
    await ok(server.post(`/v1/sessions/${parentId}/interrupt`));
    expect((await showRun(server, asked.run_id)).status).toBe('completed');
    expect((await deadOf(childId)).map((l) => l.payload.declined)).toEqual([true]);
  });
});

it('moves unread mail to the dead letters when the child is closed, and makes its delivery undeliverable', async () => {
  const { parentId, childId, asked, message } = await answered();
  expect(await dueIn(parentId)).toBe(1);
  await ok(server.post(`/v1/sessions/${childId}/end`));
  expect(await mailOf(childId)).toEqual([]);
  expect((await deadOf(childId)).map((l) => l.message_id)).toEqual([message.message_id]);
  expect((await showAsk(server, asked.request_id)).delivery.state).toBe('undeliverable');
  expect(await dueIn(parentId)).toBe(0);
  const told = (await eventsOfSession(server, parentId)).filter((e) => e.type === 'ask.undeliverable');
  expect(told).toHaveLength(1);
});

describe('three failed deliveries', () => {
  it('counts failed deliveries, and moves the message to the dead letters with the reason of the third', async () => {
    const { childId, asked, message } = await answered();
    const fail = (reason?: string) =>
      server.post<MessageView>(`/v1/sessions/${childId}/mailbox/${message.message_id}/fail`, reason ? { reason } : {});
    expect((await ok(fail('agent busy'))).attempts).toBe(1);
    expect((await ok(fail())).attempts).toBe(2);
    expect(await mailOf(childId)).toMatchObject([{ attempts: 2 }]);
    expect((await showAsk(server, asked.request_id)).delivery.state).toBe('due');
    await ok(fail('agent gone'));
    expect(await mailOf(childId)).toEqual([]);
    expect(await deadOf(childId)).toMatchObject([{ attempts: 3, reason: 'agent gone' }]);
    expect((await showAsk(server, asked.request_id)).delivery.state).toBe('undeliverable');
    await refusal(fail(), 404, 'message_not_found');
    const ack = server.post(`/v1/sessions/${childId}/mailbox/${message.message_id}/ack`);
    await refusal(ack, 404, 'message_not_found');
  });

  it('records a default reason when none was given', async () => {
    const { childId, message } = await answered();
    for (let i = 0; i < 3; i++) await ok(server.post(`/v1/sessions/${childId}/mailbox/${message.message_id}/fail`));
    expect((await deadOf(childId))[0]?.reason).toMatch(/3 deliveries failed/);
  });

  it('refuses a failure report for an acknowledged message', async () => {
    const { childId, asked, message } = await answered();
    const path = `/v1/sessions/${childId}/mailbox/${message.message_id}`;
    await ok(server.post(`${path}/ack`));
    for (let i = 0; i < 3; i++) await refusal(server.post(`${path}/fail`), 404, 'message_not_found');
    expect(await deadOf(childId)).toEqual([]);
    expect((await showAsk(server, asked.request_id)).delivery.state).toBe('delivered');
  });

  it('counts a failure report that is retried under a key once', async () => {
    const { childId, message } = await answered();
    const path = `/v1/sessions/${childId}/mailbox/${message.message_id}/fail`;
    for (let i = 0; i < 5; i++) await ok(server.post(path, {}, { headers: { 'idempotency-key': 'first' } }));
    expect(await mailOf(childId)).toMatchObject([{ attempts: 1 }]);
  });
});

it('moves a message that is too old to the dead letters', async () => {
  const { childId, asked } = await answered();
  await server.restart(() => server.advance(WEEK_MS - 120_000));
  expect(await mailOf(childId)).toHaveLength(1);
  await server.restart(() => server.advance(240_000));
  await eventually(() => deadOf(childId)).toMatchObject([{ reason: 'the message was too old' }]);
  expect(await mailOf(childId)).toEqual([]);
  expect((await showAsk(server, asked.request_id)).delivery.state).toBe('undeliverable');
  expect((await showRun(server, asked.run_id)).status).toBe('completed');
  expect(server.sweepErrors).toEqual([]);
});

it('refuses to acknowledge a clarification as an ask: only its mail delivers it', async () => {
  const f = await family(server);
  const asked = await clarify(server, f.childRunId);
  await ok(
    server.post(`/v1/runs/${asked.run_id}/questions`, {
      resolution: { request_id: asked.request_id, answers: picks('openai') },
    }),
  );
  for (const way of ['delivered', 'undeliverable'])
    await refusal(server.post(`/v1/asks/${asked.request_id}/${way}`, {}), 409, 'ask_state_conflict');
});
