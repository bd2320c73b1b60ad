// Views: every view of an ask names what is needed to answer it, and no view grows with the history of its run.
import { describe, expect, it } from 'vitest';
import type {
  AskView,
  EventView,
  PendingApprovalView,
  PendingQuestionView,
  RunView,
  SessionView,
} from '../../src/core/views.ts';
import {
  allow,
  callId,
  decide,
  eventsOfRun,
  eventsOfSession,
  held,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  resolution,
  showRun,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

describe('views of an ask', () => {
  it('shows the id, tool call and run of an ask in every list, view and event, before and after a restart', async () => {
    const h = await held(server, { tool_call_id: 'toolu_42' });
    const check = async () => {
      const [listed] = await ok(server.get<AskView[]>(`/v1/asks?session_id=${h.sessionId}`));
      expect(listed).toMatchObject({ ask_id: h.ask.ask_id, tool_call_id: 'toolu_42', run_id: h.runId });
      const [pending] = await ok(server.get<PendingQuestionView[]>(`/v1/questions?session_id=${h.sessionId}`));
      expect(pending).toMatchObject({ run_id: h.runId, request: { id: h.ask.ask_id, tool_call_id: 'toolu_42' } });
      const run = await showRun(server, h.runId);
      expect(run.pending_questions).toMatchObject([{ id: h.ask.ask_id, tool_call_id: 'toolu_42' }]);
      const session = await ok(server.get<SessionView>(`/v1/sessions/${h.sessionId}`));
      expect(session.snapshot.pending_questions).toMatchObject([{ id: h.ask.ask_id, tool_call_id: 'toolu_42' }]);
      const raised = (await eventsOfRun(server, h.runId)).find((e) => e.type === 'ask.raised');
      expect(raised).toMatchObject({ ask_id: h.ask.ask_id, run_id: h.runId, data: { tool_call_id: 'toolu_42' } });
    };
    await check();
    await server.restart();
    await check();
  });

  it('shows all pending questions and approvals of a run, and takes their answers in any order', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const questions = await Promise.all(Array.from({ length: 5 }, () => raiseQuestion(server, run_id)));
    const approvals = await Promise.all(Array.from({ length: 5 }, () => raiseApproval(server, run_id)));
    const ids = (asks: AskView[]) => asks.map((a) => a.ask_id).sort();
    const run = await showRun(server, run_id);
    expect([...run.pending_question_ids].sort()).toEqual(ids(questions));
    expect([...run.pending_approval_ids].sort()).toEqual(ids(approvals));
    const listed = await ok(server.get<PendingQuestionView[]>(`/v1/sessions/${session_id}/questions`));
    expect(listed.map((q) => q.request.id).sort()).toEqual(ids(questions));
    const gates = await ok(server.get<PendingApprovalView[]>(`/v1/sessions/${session_id}/approvals`));
    expect(gates.map((a) => a.request.id).sort()).toEqual(ids(approvals));
    for (const ask of questions.toReversed())
      await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id)));
    const done = await ok(decide(server, run_id, ...approvals.map((a) => allow(a.ask_id))));
    expect(done.status).toBe('running');
  });
});

describe('bounded views', () => {
  it('keeps views, events and the stored run of a bounded size, however much a run says and asks', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const round = async () => {
      for (let i = 0; i < 110; i++) await ok(server.post(`/v1/runs/${run_id}/output`, { text: 'line' }));
      for (let i = 0; i < 10; i++) {
        const ask = await raiseQuestion(server, run_id, { tool_call_id: callId() });
        await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(ask.ask_id)));
        await ok(server.post(`/v1/asks/${ask.ask_id}/delivered`));
      }
      const events = await ok(server.get<EventView[]>(`/v1/runs/${run_id}/events?limit=500`));
      const record = await server.ports.store.read((r) => r.get('run', run_id));
      return {
        run: (await server.get(`/v1/runs/${run_id}`)).text.length,
        session: (await server.get(`/v1/sessions/${session_id}`)).text.length,
        largestEvent: Math.max(...events.map((e) => JSON.stringify(e.data).length)),
        record: JSON.stringify(record).length,
      };
    };
    const first = await round();
    const second = await round();
    expect((await showRun(server, run_id)).outputs).toHaveLength(100);
    for (const [name, size] of Object.entries(first))
      expect(Math.abs(second[name as keyof typeof second] - size), name).toBeLessThan(300);
  });

  it('shows the newest outputs of a run that writes large ones, and keeps all of them in the log', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const say = (n: number) =>
      server.post<RunView>(`/v1/runs/${run_id}/output`, { text: `${n} ${'x'.repeat(100_000)}` });
    for (let n = 0; n < 12; n++) expect((await say(n)).text.length).toBeLessThan(500_000);
    const { outputs } = await showRun(server, run_id);
    expect(outputs.map((o) => o.text?.split(' ')[0])).toEqual(['9', '10', '11']);
    const big = await ok(server.post<RunView>(`/v1/runs/${run_id}/output`, { data: { blob: 'y'.repeat(400_000) } }));
    expect(big.outputs).toHaveLength(1);
    expect(typesOf(await eventsOfSession(server, session_id)).filter((t) => t === 'output')).toHaveLength(13);
  });

  it('finding 13: bounds the pending asks that a run shows, and finds every ask page by page', async () => {
    const session = await newSession(server);
    const run = await startRun(server, session.session_id);
    const input = { command: 'x'.repeat(900_000) };
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push((await raiseApproval(server, run.run_id, { input })).ask_id);
    const view = await showRun(server, run.run_id);
    expect(view.pending_approval_ids).toEqual(ids);
    expect(view.pending_approvals.length).toBeLessThan(ids.length);
    const found: string[] = [];
    for (let path = `/v1/asks?session_id=${session.session_id}&limit=500`; path !== ''; ) {
      const page = await server.get<AskView[]>(path);
      expect(page.text.length).toBeLessThan(1_200_000);
      found.push(...page.body.map((a) => a.ask_id));
      path = /<([^>]+)>/.exec(String(page.headers.link ?? ''))?.[1] ?? '';
    }
    expect(found).toEqual(ids);
  });

  it('finding 13: shows half a megabyte of pending asks in the reply to one byte, and the id of each', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const input = { command: 'x'.repeat(400_000) };
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push((await raiseApproval(server, run_id, { input })).ask_id);
    const reply = await server.post<RunView>(`/v1/runs/${run_id}/output`, { text: '.' });
    expect(reply.body.pending_approval_ids).toEqual(ids);
    expect(reply.text.length).toBeLessThan(1_000_000);
    expect((await server.get(`/v1/sessions/${session_id}`)).text.length).toBeLessThan(1_000_000);
  });
});
