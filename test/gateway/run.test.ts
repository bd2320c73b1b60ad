// The reports of an agent about its run: output, complete, fail, interrupted.
import { describe, expect, it } from 'vitest';
import type { RunView } from '../../src/core/views.ts';
import {
  answer,
  eventsOfRun,
  held,
  newSession,
  ok,
  raiseApproval,
  refusal,
  showAsk,
  showRun,
  showSession,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('a report of the agent', () => {
  it('completes the run with a last message in session and thread', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const run = await ok(server.post<RunView>(`/v1/runs/${run_id}/complete`, { text: 'all green' }));
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.finished_at_ms).toBeGreaterThanOrEqual(run.started_at_ms ?? Number.POSITIVE_INFINITY);
    expect((await showSession(server, session_id)).snapshot.last_message).toBe('all green');
    const items = await ok(server.get<unknown[]>(`/v1/threads/thr_${session_id}/items`));
    expect(JSON.stringify(items)).toContain('all green');
  });

  it('is refused after the run displayed a form, except for the end of that tool call', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const form = { kind: 'question', mode: 'form', tool_call_id: 'f', questions: [{ question: 'Why?' }] };
    await ok(server.post(`/v1/runs/${run_id}/asks`, form));
    await ok(server.post(`/v1/runs/${run_id}/output`, { type: 'tool_result', data: { type: 'tool_done' } }));
    await refusal(server.post(`/v1/runs/${run_id}/output`, { text: 'more' }), 409, 'run_state_conflict');
  });

  it('shows an output on the run, once per output_id', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    for (const text of ['one', 'one again'])
      await ok(server.post(`/v1/runs/${run_id}/output`, { output_id: 'o1', text, data: { n: 1 } }));
    const run = await ok(server.post<RunView>(`/v1/runs/${run_id}/output`, { type: 'thinking', text: 'hm' }));
    expect(run.outputs).toMatchObject([
      { output_id: 'o1', text: 'one', data: { n: 1 } },
      { type: 'thinking', text: 'hm' },
    ]);
    expect(typesOf(await eventsOfRun(server, run_id)).filter((t) => t === 'output')).toHaveLength(2);
  });

  it('fails the run, its pending questions, and its pending approvals as denials', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/fail`, { error: 'out of memory' }));
    expect(run).toMatchObject({ status: 'failed', error: 'out of memory', pending_question_ids: [] });
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({
      status: 'failed',
      answer: { reason: 'out of memory' },
    });
    expect((await showAsk(server, approval.ask_id)).answer).toMatchObject({ outcome: 'failed', behavior: 'deny' });
    await refusal(answer(server, h), 409, 'question_state_conflict');
  });
});

describe('a report of an interruption', () => {
  it('ends the run as interrupted by its person, once', async () => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/fail`;
    const { token } = await server.makeToken('agent', h.sessionId);
    await ok(server.post(path, { interrupted_by: 'person', error: 'Esc' }, { token }));
    await ok(server.post(path, { interrupted_by: 'person', error: 'Esc' }, { token }));
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'interrupted', error: 'Esc' });
    expect(await showAsk(server, h.ask.ask_id)).toMatchObject({ status: 'cancelled', answer: { reason: 'Esc' } });
    await refusal(server.post(path, {}), 409, 'run_state_conflict');
  });

  it('of a lost worker is refused from the agent itself, which could have its answer given again', async () => {
    const h = await held(server);
    const { token } = await server.makeToken('agent', h.sessionId);
    await ok(answer(server, h));
    const lost = { interrupted_by: 'worker_restart' };
    await refusal(server.post(`/v1/runs/${h.runId}/fail`, lost, { token }), 403, 'scope_forbidden');
    expect((await showAsk(server, h.ask.ask_id)).delivery).toMatchObject({ state: 'due' });
  });

  it('ends the run as interrupted by the loss of its host, and keeps what was answered', async () => {
    const h = await held(server);
    const open = await raiseApproval(server, h.runId);
    await ok(answer(server, h));
    await ok(server.post(`/v1/runs/${h.runId}/fail`, { interrupted_by: 'worker_restart' }));
    expect(await showRun(server, h.runId)).toMatchObject({
      status: 'interrupted',
      error: 'worker lost while the run was active',
    });
    expect((await showAsk(server, open.ask_id)).answer).toMatchObject({ reason: 'worker_restart', behavior: 'deny' });
    expect((await showAsk(server, h.ask.ask_id)).delivery).toMatchObject({ state: 'undeliverable' });
  });
});
