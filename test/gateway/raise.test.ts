// Under `autonomous` there is no approval gate: what reaches the server is allowed in the name of that setting, on the
// record, and never shown as pending. Questions are asked all the same.
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import {
  callId,
  eventsOfRun,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  refusal,
  showRun,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const autonomous = async () => {
  const { session_id: sessionId } = await newSession(server, { permissions: 'autonomous' });
  return { sessionId, runId: (await startRun(server, sessionId)).run_id };
};

describe('permissions: autonomous', () => {
  it('an approval is answered allow by policy:autonomous at once; nothing is shown as pending', async () => {
    const { sessionId, runId } = await autonomous();
    const ask = await raiseApproval(server, runId);
    expect(ask).toMatchObject({
      status: 'answered',
      answer: { outcome: 'answered', behavior: 'allow', answered_by: 'policy:autonomous', surface: 'system' },
      delivery: { state: 'due' },
    });
    expect(ask.answer?.digest).toBe(ask.request.digest);
    expect(await showRun(server, runId)).toMatchObject({ status: 'running', pending_approval_ids: [] });
    expect(await ok(server.get<unknown[]>(`/v1/approvals?session_id=${sessionId}`))).toEqual([]);
    const types = typesOf(await eventsOfRun(server, runId));
    expect(types).not.toContain('waiting_for_approval');
    expect(types.slice(-3)).toEqual(['ask.raised', 'ask.claimed', 'approval_resolved']);
  });

  it('asked again it is the same ask, delivered once', async () => {
    const { runId } = await autonomous();
    const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: { command: 'ls' } };
    const first = await server.post<AskView>(`/v1/runs/${runId}/asks`, body);
    const again = await server.post<AskView>(`/v1/runs/${runId}/asks`, body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    await ok(server.post(`/v1/asks/${first.body.ask_id}/delivered`, { digest: first.body.request.digest }));
  });

  it('a question is never answered by it', async () => {
    const { runId } = await autonomous();
    const ask = await raiseQuestion(server, runId);
    expect(ask.status).toBe('pending');
    expect((await showRun(server, runId)).status).toBe('waiting_for_user_question');
  });
});

it('the default is approval, and an existing session is not widened by reusing it', async () => {
  const session = await newSession(server, { session_id: 'careful' });
  expect(session.permissions).toBe('approval');
  const { run_id } = await startRun(server, 'careful');
  const body = { session_id: 'careful', agent: 'external', permissions: 'autonomous' };
  await refusal(server.post('/v1/sessions', body), 409, 'session_conflict');
  expect((await raiseApproval(server, run_id)).status).toBe('pending');
  const wrong = { agent: 'external', permissions: 'bypass' };
  expect((await refusal(server.post('/v1/sessions', wrong), 400, 'invalid_request')).detail).toMatch(
    /approval.*autonomous/,
  );
});

describe('what may run is what was answered', () => {
  it('an acknowledgement with another digest is refused and leaves the answer due', async () => {
    const { runId } = await autonomous();
    const ask = await raiseApproval(server, runId);
    const other = `sha256:${'0'.repeat(64)}`;
    const sent = server.post(`/v1/asks/${ask.ask_id}/delivered`, { digest: other });
    const problem = await refusal(sent, 409, 'ask_digest_mismatch');
    expect(problem.detail).toContain(ask.request.digest);
    const shown = await ok(server.get<AskView>(`/v1/asks/${ask.ask_id}`));
    expect(shown.delivery.state).toBe('due');
  });

  it('the digest depends on tool, input and work folder, not on the order of fields', async () => {
    const digestOf = async (fields: object, session = {}) => {
      const { session_id } = await newSession(server, session);
      const { run_id } = await startRun(server, session_id);
      return (await raiseApproval(server, run_id, { ...fields })).request.digest;
    };
    const base = await digestOf({ input: { a: 1, b: 2 } });
    expect(await digestOf({ input: { b: 2, a: 1 }, reason: 'other words' })).toBe(base);
    expect(await digestOf({ input: { a: 1, b: 3 } })).not.toBe(base);
    expect(await digestOf({ input: { a: 1, b: 2 }, tool_name: 'Write' })).not.toBe(base);
    expect(await digestOf({ input: { a: 1, b: 2 } }, { work_folder: '/srv/app' })).not.toBe(base);
  });
});
