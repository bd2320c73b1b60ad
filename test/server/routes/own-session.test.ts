// An agent token answers nothing and sees nothing of another session: by no route, list, filter, stream, wait or
// acknowledgement; not of its parent, not of its child.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView, EventView, MessageView, SessionView } from '../../../src/core/views.ts';
import {
  allow,
  callId,
  clarify,
  declined,
  deny,
  type Held,
  held,
  NOTES,
  newSession,
  ok,
  raiseApproval,
  refusal,
  resolution,
  resolutions,
  showAsk,
  showRun,
  startRun,
} from '../../support/api-calls.ts';
import { openServer, type Server } from '../../support/server.ts';
import { openStream } from '../../support/stream.ts';

let server: Server;
let mine: Held;
let theirs: Held;
let agent: string;

beforeAll(async () => {
  server = await openServer({ limits: { agentRequestsPerSecond: 0 } });
  mine = await held(server);
  theirs = await held(server);
  agent = (await server.makeToken('agent', mine.sessionId)).token;
});
afterAll(() => server.close());

const as = () => ({ token: agent });

describe('an agent token', () => {
  it('cannot answer its own ask, by any call, in any form', async () => {
    const approval = await raiseApproval(server, mine.runId);
    const q = mine.ask.ask_id;
    const attempts: [string, unknown][] = [
      [`/v1/runs/${mine.runId}/questions`, resolution(q)],
      [`/v1/runs/${mine.runId}/questions`, declined(q)],
      [`/v1/sessions/${mine.sessionId}/questions`, resolution(q)],
      [`/v1/runs/${mine.runId}/questions/${q}/cancel`, {}],
      [`/v1/runs/${mine.runId}/approvals`, resolutions(allow(approval.ask_id))],
      [`/v1/sessions/${mine.sessionId}/approvals`, resolutions(deny(approval.ask_id))],
      [`/v1/sessions/${mine.sessionId}/approval-runs`, resolutions(allow(approval.ask_id))],
      [`/v1/runs/${mine.runId}/cancel`, {}],
      [`/v1/sessions/${mine.sessionId}/interrupt`, {}],
      [`/v1/sessions/${mine.sessionId}/end`, {}],
      ['/v1/tokens', { scope: 'operator' }],
      ['/v1/workers/claim', { worker_id: 'w', agents: [{ name: 'claude', recovery: 'none' }] }],
    ];
    for (const [path, body] of attempts) await refusal(server.post(path, body, as()), 403, 'scope_forbidden');
    for (const id of [q, approval.ask_id]) expect((await showAsk(server, id)).status).toBe('pending');
  });

  it('cannot answer with the token of an operator in its tool input, headers or body', async () => {
    const stolen = { authorization: `Bearer ${server.token}` };
    const sent = server.post(`/v1/runs/${mine.runId}/questions`, { ...resolution(mine.ask.ask_id), ...stolen }, as());
    await refusal(sent, 403, 'scope_forbidden');
    const ask = await ok(
      server.post<AskView>(
        `/v1/runs/${mine.runId}/asks`,
        { kind: 'approval', tool_call_id: callId(), tool_name: 'Http', input: { headers: stolen } },
        as(),
      ),
    );
    expect(ask.status).toBe('pending');
  });

  it('cannot answer the asks of its parent and of its child', async () => {
    const parent = await held(server);
    const { session_id } = await newSession(server, { parent_session_id: parent.sessionId });
    const { run_id } = await startRun(server, session_id);
    const { token } = await server.makeToken('agent', session_id);
    await refusal(
      server.post(`/v1/runs/${parent.runId}/questions`, resolution(parent.ask.ask_id), { token }),
      403,
      'scope_forbidden',
    );
    await refusal(server.get(`/v1/asks/${parent.ask.ask_id}`, { token }), 403, 'session_forbidden');
    const parentAgent = (await server.makeToken('agent', parent.sessionId)).token;
    await refusal(server.get(`/v1/runs/${run_id}`, { token: parentAgent }), 403, 'session_forbidden');
    const asked = await clarify(server, run_id);
    const answer = server.post(`/v1/runs/${asked.run_id}/questions`, resolution(asked.request_id), {
      token: parentAgent,
    });
    await refusal(answer, 403, 'scope_forbidden');
  });

  it('cannot answer by acknowledging, completing or failing: a failed run denies its approval', async () => {
    const h = await held(server, { kind: 'approval' });
    const { token } = await server.makeToken('agent', h.sessionId);
    await refusal(server.post(`/v1/asks/${h.ask.ask_id}/delivered`, {}, { token }), 409, 'ask_state_conflict');
    await refusal(server.post(`/v1/runs/${h.runId}/complete`, {}, { token }), 409, 'run_state_conflict');
    await ok(server.post(`/v1/runs/${h.runId}/fail`, {}, { token }));
    expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ outcome: 'failed', behavior: 'deny' });
  });
});

describe('the view of an agent token', () => {
  const paths = () => [
    `/v1/sessions/${theirs.sessionId}`,
    `/v1/sessions/${theirs.sessionId}/questions`,
    `/v1/sessions/${theirs.sessionId}/approvals`,
    `/v1/sessions/${theirs.sessionId}/events`,
    `/v1/sessions/${theirs.sessionId}/mailbox`,
    `/v1/sessions/${theirs.sessionId}/dead-letters`,
    `/v1/runs/${theirs.runId}`,
    `/v1/runs/${theirs.runId}/events`,
    `/v1/asks/${theirs.ask.ask_id}`,
    `/v1/asks/${theirs.ask.ask_id}?wait_ms=1000`,
    `/v1/threads/thr_${theirs.sessionId}/items`,
    `/v1/questions?session_id=${theirs.sessionId}`,
    `/v1/approvals?session_id=${theirs.sessionId}`,
    `/v1/asks?session_id=${theirs.sessionId}`,
    `/v1/runs?session_id=${theirs.sessionId}`,
    '/v1/sessions/system',
    '/v1/sessions/system/events',
  ];
  it('excludes another session by id and by filter', async () => {
    for (const path of paths()) await refusal(server.get(path, as()), 403, 'session_forbidden');
  });

  it('excludes another session from lists', async () => {
    for (const path of ['/v1/sessions', '/v1/runs', '/v1/asks', '/v1/questions', '/v1/approvals', '/v1/events']) {
      const reply = await server.get<{ session_id: string }[]>(`${path}?limit=500`, as());
      expect(reply.text, path).not.toContain(theirs.sessionId);
      expect(new Set(reply.body.map((row) => row.session_id)), path).toEqual(
        new Set(path === '/v1/approvals' && reply.body.length === 0 ? [] : [mine.sessionId]),
      );
    }
    const filtered = await ok(server.get<AskView[]>(`/v1/asks?agent=external&status=pending&limit=500`, as()));
    expect(filtered.every((ask) => ask.session_id === mine.sessionId)).toBe(true);
  });

  it('excludes writing into another session', async () => {
    const question = { kind: 'question', tool_call_id: callId(), questions: [NOTES] };
    const attempts: [string, unknown][] = [
      [`/v1/sessions/${theirs.sessionId}/runs`, { input: {} }],
      [`/v1/runs/${theirs.runId}/asks`, question],
      [`/v1/runs/${theirs.runId}/output`, { text: 'hi' }],
      [`/v1/runs/${theirs.runId}/complete`, {}],
      [`/v1/runs/${theirs.runId}/fail`, {}],
      [`/v1/runs/${theirs.runId}/clarifications`, { tool_call_id: 'c', questions: [NOTES] }],
      [`/v1/asks/${theirs.ask.ask_id}/sent`, {}],
      [`/v1/asks/${theirs.ask.ask_id}/delivered`, {}],
      [`/v1/asks/${theirs.ask.ask_id}/undeliverable`, {}],
      [`/v1/asks/${theirs.ask.ask_id}/withdraw`, {}],
      [`/v1/sessions/${theirs.sessionId}/mailbox/m/ack`, {}],
      [`/v1/sessions/${theirs.sessionId}/mailbox/m/fail`, {}],
    ];
    for (const [path, body] of attempts) await refusal(server.post(path, body, as()), 403, 'session_forbidden');
    expect((await showRun(server, theirs.runId)).status).toBe('waiting_for_user_question');
  });

  it('excludes the message of another mailbox under its own session', async () => {
    const { session_id } = await newSession(server, { parent_session_id: theirs.sessionId });
    const { run_id } = await startRun(server, session_id);
    const asked = await clarify(server, run_id);
    await ok(server.post(`/v1/runs/${asked.run_id}/cancel`));
    const [message] = await ok(server.get<MessageView[]>(`/v1/sessions/${session_id}/mailbox`));
    for (const call of ['ack', 'fail'])
      await refusal(
        server.post(`/v1/sessions/${mine.sessionId}/mailbox/${message?.message_id}/${call}`, {}, as()),
        404,
        'message_not_found',
      );
  });

  it('excludes other sessions from the live stream of all events', async () => {
    const stream = await openStream(server, '/v1/events?after=0', as());
    await ok(server.post(`/v1/runs/${theirs.runId}/output`, { text: 'private' }));
    await ok(server.post(`/v1/runs/${mine.runId}/output`, { text: 'my own' }));
    await stream.until((s) => s.events().some((e) => e.type === 'output'));
    const seen = stream.events();
    expect(new Set(seen.map((e: EventView) => e.session_id))).toEqual(new Set([mine.sessionId]));
    expect(JSON.stringify(stream.frames)).not.toContain('private');
    stream.close();
  });

  it('excludes other sessions from a snapshot', async () => {
    const stream = await openStream(server, '/v1/events?snapshot=true', as());
    await stream.until((s) => s.frames.length > 0);
    const snapshot = JSON.parse(stream.frames[0]?.data ?? '{}') as { asks: AskView[] };
    expect(snapshot.asks.length).toBeGreaterThan(0);
    expect(new Set(snapshot.asks.map((a) => a.session_id))).toEqual(new Set([mine.sessionId]));
    stream.close();
  });
});

it('lets an agent do its own work with its own token', async () => {
  const own = await ok(server.post<SessionView>('/v1/sessions', { agent: 'external' }));
  const { token } = await server.makeToken('agent', own.session_id);
  const call = <T>(path: string, body: unknown = {}) => ok(server.post<T>(path, body, { token }));
  const run = await call<{ run_id: string }>(`/v1/sessions/${own.session_id}/runs`, { input: { text: 'go' } });
  const ask = await call<AskView>(`/v1/runs/${run.run_id}/asks`, {
    kind: 'question',
    tool_call_id: 'c',
    questions: [NOTES],
  });
  const waiting = server.get<AskView>(`/v1/asks/${ask.ask_id}?wait_ms=20000`, { token });
  const body = resolution(ask.ask_id, [{ question_id: 'notes', freeform_answer: 'yes' }]);
  await ok(server.post(`/v1/sessions/${own.session_id}/questions`, body));
  expect((await ok(waiting)).answer?.answers?.[0]?.freeform_answer).toBe('yes');
  await call(`/v1/asks/${ask.ask_id}/delivered`);
  await call(`/v1/runs/${run.run_id}/output`, { text: 'thanks' });
  await call(`/v1/runs/${run.run_id}/complete`);
});
