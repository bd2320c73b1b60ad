// An agent withdraws its ask, because it was settled at its own prompt: nothing is approved by that, the run goes on, and a
// later answer is refused.
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  clarify,
  decide,
  deny,
  eventsOfRun,
  family,
  held,
  NOTES,
  ok,
  picks,
  refusal,
  showAsk,
  showRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const withdraw = (askId: string, body: object = {}, headers: Record<string, string> = {}) =>
  server.post<AskView>(`/v1/asks/${askId}/withdraw`, body, { headers });
const LOCAL = { justification: 'answered in the terminal' };

describe('a withdrawn ask', () => {
  it('is an approval without a decision, and its run goes on', async () => {
    const h = await held(server, { kind: 'approval' });
    const ask = await ok(withdraw(h.ask.ask_id, LOCAL));
    expect(ask).toMatchObject({
      status: 'cancelled',
      answer: { outcome: 'cancelled', reason: 'withdrawn', ...LOCAL, answered_by: 'operator' },
      delivery: { state: 'delivered' },
    });
    expect(ask.answer).not.toHaveProperty('behavior');
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'running', pending_approvals: [] });
    const late = await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
    expect(late.winner).toMatchObject({ outcome: 'cancelled', reason: 'withdrawn', ...LOCAL });
    expect(late.detail).toBe('It was withdrawn by its agent (answered in the terminal).');
  });

  it('does not cancel the run of a question', async () => {
    const h = await held(server);
    await ok(withdraw(h.ask.ask_id));
    expect(await showRun(server, h.runId)).toMatchObject({ status: 'running', pending_questions: [] });
    await refusal(answer(server, h), 409, 'question_state_conflict');
  });

  it('records what was answered at the prompt of the agent, validated, and no secret', async () => {
    const h = await held(server);
    await refusal(withdraw(h.ask.ask_id, { answers: picks('nowhere') }), 400, 'question_option_not_found');
    const ask = await ok(withdraw(h.ask.ask_id, { ...LOCAL, answers: picks('local') }));
    expect(ask).toMatchObject({ status: 'cancelled', answer: { reason: 'withdrawn', answers: picks('local') } });
    const secret = await held(server, { questions: [{ ...NOTES, secret: true }] });
    const answers = [{ question_id: 'notes', freeform_answer: 'hunter2' }];
    await refusal(withdraw(secret.ask.ask_id, { answers }), 400, 'invalid_request');
    const gate = await held(server, { kind: 'approval' });
    await refusal(withdraw(gate.ask.ask_id, { answers: [] }), 400, 'invalid_request');
    for (const { ask_id } of [secret.ask, gate.ask]) expect((await showAsk(server, ask_id)).status).toBe('pending');
  });

  it('is not confused with a denial or a stopped run whose reason is the same word', async () => {
    const h = await held(server, { kind: 'approval' });
    await ok(decide(server, h.runId, deny(h.ask.ask_id, { reason: 'withdrawn' })));
    const late = await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
    expect(late.detail).toBe('It was denied by operator (api).');
    expect(late.winner).not.toHaveProperty('reason');

    const stopped = await held(server, { kind: 'approval' });
    await ok(server.post(`/v1/runs/${stopped.runId}/cancel`, { reason: 'withdrawn' }));
    const gone = await refusal(
      decide(server, stopped.runId, allow(stopped.ask.ask_id)),
      409,
      'approval_state_conflict',
    );
    expect(gone.detail).toBe('It was cancelled by operator (api).');
    expect((await showAsk(server, stopped.ask.ask_id)).answer?.reason).toBe('the run was cancelled: withdrawn');
  });

  it('is withdrawn once when it is withdrawn twice, and not after an answer', async () => {
    const h = await held(server, { kind: 'approval' });
    const first = await ok(withdraw(h.ask.ask_id, LOCAL));
    expect(await ok(withdraw(h.ask.ask_id, LOCAL))).toEqual(first);
    const claims = (await eventsOfRun(server, h.runId)).filter((e) => e.type === 'ask.claimed');
    expect(claims).toHaveLength(1);

    const answered = await held(server, { kind: 'approval' });
    await ok(decide(server, answered.runId, allow(answered.ask.ask_id)));
    const problem = await refusal(withdraw(answered.ask.ask_id), 409, 'ask_state_conflict');
    expect(problem.winner).toMatchObject({ outcome: 'answered', answered_by: 'operator' });
  });

  it('is refused for forms and restarts, which another run carries, and for clarifications', async () => {
    const form = await held(server, { mode: 'form' });
    await refusal(withdraw(form.ask.ask_id), 409, 'ask_state_conflict');
    const kin = await family(server);
    const asked = await clarify(server, kin.childRunId);
    await refusal(withdraw(asked.request_id), 409, 'ask_state_conflict');
  });

  it('is refused to other sessions and to a worker that lost the lease', async () => {
    const h = await held(server, { kind: 'approval' });
    const other = await held(server);
    const { token } = await server.makeToken('agent', other.sessionId);
    const foreign = server.post(`/v1/asks/${h.ask.ask_id}/withdraw`, {}, { token });
    await refusal(foreign, 403, 'session_forbidden');
    await refusal(withdraw(h.ask.ask_id, {}, { 'holdpoint-lease': '7' }), 409, 'lease_lost');
    expect((await showRun(server, h.runId)).pending_approvals).toHaveLength(1);
  });
});

describe('a suggestion of an approval', () => {
  const suggestions = [{ id: 'session', label: 'Not to be asked again in this session' }, 'no id'];
  const suggested = () => held(server, { kind: 'approval', suggestions });

  it('is accepted by its id and returned to the agent', async () => {
    const h = await suggested();
    await ok(decide(server, h.runId, allow(h.ask.ask_id, { suggestion_ids: ['session', 'session'] })));
    const ask = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}`));
    expect(ask.answer).toMatchObject({ behavior: 'allow', suggestion_ids: ['session'] });
    const resolved = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'approval_resolved');
    expect(resolved?.data.resolutions).toMatchObject([{ suggestion_ids: ['session'] }]);
  });

  it('is part of the decision: a repeat gets the first outcome, another choice the winner', async () => {
    const h = await suggested();
    const taken = allow(h.ask.ask_id, { suggestion_ids: ['session'] });
    await ok(decide(server, h.runId, taken));
    await ok(decide(server, h.runId, taken));
    await refusal(decide(server, h.runId, allow(h.ask.ask_id)), 409, 'approval_state_conflict');
  });

  it('is refused when it was not offered, and with a denial', async () => {
    const h = await suggested();
    const more = decide(server, h.runId, allow(h.ask.ask_id, { suggestion_ids: ['session', 'everything'] }));
    expect((await refusal(more, 400, 'approval_suggestion_not_found')).detail).toContain('It has: session.');
    const denied = { request_id: h.ask.ask_id, behavior: 'deny', suggestion_ids: ['session'] };
    await refusal(decide(server, h.runId, denied), 400, 'invalid_request');
    const plain = await held(server, { kind: 'approval' });
    const none = decide(server, plain.runId, allow(plain.ask.ask_id, { suggestion_ids: ['session'] }));
    expect((await refusal(none, 400, 'approval_suggestion_not_found')).detail).toContain('It has: none.');
    expect((await showRun(server, h.runId)).pending_approvals).toHaveLength(1);
  });
});
