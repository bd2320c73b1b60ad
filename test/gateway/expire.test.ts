// Deadlines are stored instants, evaluated by the first call that touches the ask: a late answer, a reader, a restart. An
// approval that expires is never an allow.
// Covers: src/gateway/deadline.ts
import { describe, expect, it } from 'vitest';
import type { AskView, MessageView, RunView, SessionView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  callId,
  clarify,
  decide,
  eventsOfRun,
  family,
  type Held,
  held,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  resolution,
  showAsk,
  showRun,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { outcomeOf, person } from '../support/gateway.ts';
import { gatewayCalls } from '../support/gateway-calls.ts';
import { gatewayForEach, serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
/** Nothing runs in its background. */
const quiet = gatewayForEach();

const HOUR_MS = 60 * 60 * 1000;
const expiring = (more = {}): Promise<Held> => held(server, { expires_after_ms: HOUR_MS, ...more });

describe('the deadline of a question', () => {
  it('is an absolute Unix timestamp in milliseconds with expires_at_ms', async () => {
    const at = server.now() + HOUR_MS;
    const h = await held(server, { expires_at_ms: at });
    expect(h.ask).toMatchObject({ expires_at_ms: at, request: { expires_at_ms: at } });
  });

  it('must lie in the future when the ask is new', async () => {
    const { runId } = await held(server);
    for (const expires_at_ms of [1, server.now()]) {
      const ask = { tool_call_id: callId(), questions: [{ question: 'A?' }], expires_at_ms };
      const problem = await refusal(
        server.post(`/v1/runs/${runId}/asks`, { kind: 'question', ...ask }),
        400,
        'invalid_ask',
      );
      expect(problem.detail).toContain(`${expires_at_ms} has passed`);
      const { childRunId } = await family(server);
      await refusal(server.post(`/v1/runs/${childRunId}/clarifications`, ask), 400, 'invalid_ask');
    }
  });

  it('may have passed when the same call is raised again, which returns the expired ask', async () => {
    const { runId } = await held(server);
    const expires_at_ms = server.now() + HOUR_MS;
    const ask = { kind: 'question', tool_call_id: callId(), questions: [{ question: 'A?' }], expires_at_ms };
    await ok(server.post(`/v1/runs/${runId}/asks`, ask));
    server.advance(HOUR_MS);
    expect(await ok(server.post(`/v1/runs/${runId}/asks`, ask))).toMatchObject({ status: 'expired' });
  });

  it('is relative to the creation of the question with expires_after_ms', async () => {
    const h = await expiring();
    expect(h.ask.expires_at_ms).toBe(h.ask.created_at_ms + HOUR_MS);
  });

  it('is absent by default, and refused when both fields are set', async () => {
    const h = await held(server);
    expect(h.ask.expires_at_ms).toBeUndefined();
    const both = { expires_at_ms: server.now() + HOUR_MS, expires_after_ms: HOUR_MS };
    const question = { kind: 'question', tool_call_id: callId(), questions: [{ question: 'A?' }], ...both };
    await refusal(server.post(`/v1/runs/${h.runId}/asks`, question), 400, 'invalid_ask');
  });

  it.each([0, -1, 1.5, '60000', 1e300])('refuses expires_after_ms: %j', async (expires_after_ms) => {
    const h = await held(server);
    const question = { kind: 'question', tool_call_id: callId(), questions: [{ question: 'A?' }], expires_after_ms };
    const problem = await refusal(server.post(`/v1/runs/${h.runId}/asks`, question), 400, 'invalid_request');
    expect(problem.detail).toContain('expires_after_ms');
  });
});

describe('an expired question', () => {
  it('refuses a late answer on both calls, before and after a restart, and cancels its run', async () => {
    const h = await expiring();
    server.advance(HOUR_MS + 1);
    const viaSession = () => server.post(`/v1/sessions/${h.sessionId}/questions`, resolution(h.ask.ask_id));
    for (const late of [() => answer(server, h), viaSession, () => answer(server, h)]) {
      const problem = await refusal(late(), 409, 'question_expired');
      expect(problem.winner).toMatchObject({ answered_by: 'system', surface: 'system', outcome: 'expired' });
    }
    await server.restart();
    await refusal(answer(server, h), 409, 'question_expired');
    await refusal(viaSession(), 409, 'question_expired');
    expect(await showRun(server, h.runId)).toMatchObject({
      status: 'cancelled',
      error: expect.stringMatching(/^the question “.+” expired before anyone answered$/),
    });
  });

  it('refuses a late cancel', async () => {
    const h = await expiring();
    server.advance(HOUR_MS + 1);
    const cancel = () => server.post(`/v1/runs/${h.runId}/questions/${h.ask.ask_id}/cancel`);
    await refusal(cancel(), 409, 'question_expired');
    await refusal(cancel(), 409, 'question_expired');
  });

  it('refuses a late answer under an idempotency key, and any other payload under the same key', async () => {
    const h = await expiring();
    server.advance(HOUR_MS + 1);
    const keyed = { headers: { 'idempotency-key': 'k' } };
    const body = resolution(h.ask.ask_id);
    await refusal(server.post(`/v1/runs/${h.runId}/questions`, body, keyed), 409, 'question_expired');
    const another = resolution(h.ask.ask_id, []);
    await refusal(server.post(`/v1/runs/${h.runId}/questions`, another, keyed), 409, 'question_expired');
  });

  it('gives the slot to the next run and logs the end of the ask and of the run once', async () => {
    const h = await expiring();
    const next = await startRun(server, h.sessionId);
    server.advance(HOUR_MS + 1);
    expect((await showRun(server, next.run_id)).status).toBe('running');
    const types = typesOf(await eventsOfRun(server, h.runId));
    expect(types.filter((t) => t === 'ask.claimed' || t === 'cancelled')).toEqual(['ask.claimed', 'cancelled']);
    expect(types).not.toContain('user_question_resolved');
  });

  it('keeps an answer that was given in time when the deadline passes', async () => {
    const h = await expiring();
    await ok(answer(server, h));
    server.advance(HOUR_MS + 1);
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('answered');
    expect((await showRun(server, h.runId)).status).toBe('running');
  });

  it('ends every other ask of the cancelled run, approvals as denials', async () => {
    const h = await expiring();
    const approval = await raiseApproval(server, h.runId);
    server.advance(HOUR_MS + 1);
    expect(await showAsk(server, approval.ask_id)).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny' } });
  });
});

describe('the evaluation of a deadline', () => {
  /** Each reader is the first to touch an overdue ask; none may show it as open. */
  const READERS: [string, (h: Held) => Promise<unknown>][] = [
    ['GET /v1/asks/{id}', async (h) => (await showAsk(server, h.ask.ask_id)).status],
    [
      'GET /v1/asks/{id}?wait_ms',
      async (h) => (await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=30000`))).status,
    ],
    [
      'GET /v1/asks?status=pending',
      async (h) => (await ok(server.get<unknown[]>(`/v1/asks?status=pending&session_id=${h.sessionId}`))).length,
    ],
    [
      'GET /v1/questions',
      async (h) => (await ok(server.get<unknown[]>(`/v1/questions?session_id=${h.sessionId}`))).length,
    ],
    ['GET /v1/runs/{id}', async (h) => (await showRun(server, h.runId)).pending_question_ids.length],
    [
      'GET /v1/runs',
      async (h) =>
        (await ok(server.get<RunView[]>(`/v1/runs?session_id=${h.sessionId}`)))[0]?.pending_question_ids.length,
    ],
    [
      'GET /v1/sessions/{id}',
      async (h) => (await ok(server.get<SessionView>(`/v1/sessions/${h.sessionId}`))).snapshot.pending_questions.length,
    ],
  ];
  it.each(READERS)('shows an overdue ask as expired at the first read by %s', async (_name, read) => {
    const h = await expiring();
    server.advance(HOUR_MS + 1);
    expect([0, 'expired']).toContain(await read(h));
  });

  it('returns an expired ask when its tool call is raised again', async () => {
    const fields = { expires_after_ms: HOUR_MS, tool_call_id: 'call_x' };
    const h = await held(server, fields);
    server.advance(HOUR_MS + 1);
    const again = await raiseQuestion(server, h.runId, fields);
    expect(again).toMatchObject({ ask_id: h.ask.ask_id, status: 'expired' });
  });

  it('expires an overdue ask by the sweep when no call touches it', async () => {
    const h = await held(server, { expires_after_ms: 50 });
    const ended = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
    expect(ended.status).toBe('expired');
    expect(server.sweepErrors).toEqual([]);
  });
});

describe('an expired approval', () => {
  it('ends as an explicit denial, and its run goes on', async () => {
    const h = await expiring({ kind: 'approval' });
    server.advance(HOUR_MS + 1);
    const ask = await showAsk(server, h.ask.ask_id);
    expect(ask).toMatchObject({
      status: 'expired',
      answer: { outcome: 'expired', behavior: 'deny', reason: 'expired', answered_by: 'system', surface: 'system' },
    });
    expect(ask.answer).not.toHaveProperty('digest');
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'running', pending_approval_ids: [] });
    const events = await eventsOfRun(server, h.runId);
    expect(typesOf(events)).not.toContain('approval_resolved');
    expect(JSON.stringify(events)).not.toContain('"allow"');
  });

  it('refuses a late allow on every call, before and after a restart', async () => {
    const h = await expiring({ kind: 'approval' });
    const body = { resolutions: [allow(h.ask.ask_id)] };
    server.advance(HOUR_MS + 1);
    const paths = ['approvals', 'approval-runs'].map((call) => `/v1/sessions/${h.sessionId}/${call}`);
    for (const path of [`/v1/runs/${h.runId}/approvals`, ...paths]) {
      const problem = await refusal(server.post(path, body), 409, 'approval_state_conflict');
      expect(problem.winner).toMatchObject({ outcome: 'expired' });
    }
    await server.restart();
    await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
    expect((await showAsk(server, h.ask.ask_id)).answer?.behavior).toBe('deny');
  });

  it('rejects its whole batch, and leaves the other approvals to be decided', async () => {
    const h = await expiring({ kind: 'approval' });
    const second = await raiseApproval(server, h.runId);
    server.advance(HOUR_MS + 1);
    const batch = decide(server, h.runId, allow(second.ask_id), allow(h.ask.ask_id));
    await refusal(batch, 409, 'approval_state_conflict');
    expect(await showRun(server, h.runId)).toMatchObject({ pending_approval_ids: [second.ask_id] });
    await ok(decide(server, h.runId, allow(second.ask_id)));
  });
});

describe('an expired clarification', () => {
  it('completes the run in the parent and is mailed to the child as declined', async () => {
    const { childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId, { expires_after_ms: HOUR_MS });
    server.advance(HOUR_MS + 1);
    expect((await showRun(server, asked.run_id)).status).toBe('completed');
    const mail = await ok(server.get<MessageView[]>(`/v1/sessions/${childId}/mailbox`));
    expect(mail.map((m) => m.payload)).toMatchObject([
      { request_id: asked.request_id, declined: true, answers: [], justification: 'expired' },
    ]);
    const late = server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id));
    await refusal(late, 409, 'question_expired');
  });

  it('is mailed to the child once when a late answer finds the deadline passed', async () => {
    const { childId, childRunId } = await family(server);
    const asked = await clarify(server, childRunId, { expires_after_ms: HOUR_MS });
    server.advance(HOUR_MS + 1);
    const late = () => server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id));
    await refusal(late(), 409, 'question_expired');
    await refusal(late(), 409, 'question_expired');
    expect(await ok(server.get<MessageView[]>(`/v1/sessions/${childId}/mailbox`))).toHaveLength(1);
  });
});

it('refuses an answer and an allow whose deadline passed while the server was down', async () => {
  const q = await held(server, { expires_after_ms: HOUR_MS });
  const a = await held(server, { kind: 'approval', expires_after_ms: HOUR_MS });
  await server.restart(() => server.advance(HOUR_MS + 1));
  await refusal(answer(server, q), 409, 'question_expired');
  expect((await showRun(server, q.runId)).status).toBe('cancelled');
  await refusal(decide(server, a.runId, allow(a.ask.ask_id)), 409, 'approval_state_conflict');
  expect((await showAsk(server, a.ask.ask_id)).answer?.behavior).toBe('deny');
});

it('keeps a deadline at its stored instant over several restarts', async () => {
  const h = await held(server, { expires_after_ms: HOUR_MS });
  for (let i = 0; i < 3; i++) await server.restart(() => server.advance(HOUR_MS / 4));
  expect((await showAsk(server, h.ask.ask_id)).expires_at_ms).toBe(h.ask.expires_at_ms);
  await server.restart(() => server.advance(HOUR_MS / 4));
  await refusal(answer(server, h), 409, 'question_expired');
});

it('refuses an allow at the deadline even when a read just before showed the ask as pending', async () => {
  const h = await held(server, { kind: 'approval', expires_after_ms: HOUR_MS });
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  server.advance(HOUR_MS);
  await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
});

it('refuses a text that names no prompt while an expired one is still open', async () => {
  const calls = gatewayCalls(() => quiet);
  await calls.session('S');
  await calls.askFor(await calls.start('S'), 'blocking', { expires_after_ms: 50 });
  quiet.advance(60);
  const body = { content: [{ type: 'text' as const, text: '1' }] };
  const posting = quiet.gateway.postToThread({ threadId: 'thr_S', body, actor: person('lead') });
  expect(await outcomeOf(posting)).toBe('question_expired');
});
