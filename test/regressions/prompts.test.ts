// Named regressions of other systems, the ones about which prompts are shown: older ones, several at once, unknown,
// settled, and those that settled while nobody looked.
import { describe, expect, it } from 'vitest';
import type { AskView, EventView, PendingApprovalView, PendingQuestionView, RunView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  callId,
  decide,
  deny,
  held,
  NOTES,
  newSession,
  ok,
  picks,
  REGIONS,
  ROUTING,
  raiseApproval,
  raiseQuestion,
  resolution,
  resolutions,
  showAsk,
  showRun,
  startRun,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { openStream } from '../support/stream.ts';

const server = serverForAll();

describe('#9 answer to an older of two prompts', () => {
  it.each([
    ['the older first', 0],
    ['the newer first', 1],
  ])('%s: each answer goes to its own prompt', async (_name, first) => {
    const h = await held(server);
    const newer = await raiseQuestion(server, h.runId);
    const ids = [h.ask.ask_id, newer.ask_id];
    const order = first === 0 ? ids : [...ids].reverse();
    const options = ['openai', 'local'];
    for (const [i, id] of order.entries())
      await ok(server.post(`/v1/sessions/${h.sessionId}/questions`, resolution(id, picks(String(options[i])))));
    for (const [i, id] of order.entries())
      expect((await showAsk(server, id)).answer?.answers).toEqual(picks(String(options[i])));
    expect((await showRun(server, h.runId)).status).toBe('running');
  });
});

describe('#10 only first of N prompts shown', () => {
  it('all N of one run are shown everywhere and answerable in any order', async () => {
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

  it('all questions of one set are shown, with headers, descriptions and multi select, and all answers arrive', async () => {
    const h = await held(server, { questions: [ROUTING, REGIONS, NOTES] });
    const [view] = await ok(server.get<PendingQuestionView[]>(`/v1/questions?session_id=${h.sessionId}`));
    expect(view?.request.questions.map((q) => [q.id, q.multi_select, q.options.length])).toEqual([
      ['routing', false, 2],
      ['regions', true, 3],
      ['notes', false, 0],
    ]);
    const answers = [
      ...picks('openai'),
      { question_id: 'regions', selected_option_ids: ['eu', 'us', 'as'] },
      { question_id: 'notes', freeform_answer: 'all of them' },
    ];
    await ok(answer(server, h, answers));
    expect((await showAsk(server, h.ask.ask_id)).answer?.answers).toEqual(answers);
  });
});

describe('#11 reject-one-rejects-all is opt-in', () => {
  it('denying one approval or declining one question leaves the others as they are', async () => {
    const h = await held(server);
    const [a, b] = [await raiseApproval(server, h.runId), await raiseApproval(server, h.runId)];
    await ok(decide(server, h.runId, deny(a.ask_id)));
    const body = { resolution: { request_id: h.ask.ask_id, declined: true } };
    const run = await ok(server.post<RunView>(`/v1/runs/${h.runId}/questions`, body));
    expect(run).toMatchObject({ status: 'waiting_for_approval', pending_approval_ids: [b.ask_id] });
    expect((await showAsk(server, b.ask_id)).status).toBe('pending');
    await ok(decide(server, h.runId, allow(b.ask_id)));
    expect((await showAsk(server, b.ask_id)).answer?.behavior).toBe('allow');
  });
});

describe('#12 unknown id → never 200', () => {
  const good: Record<string, unknown> = {
    '/v1/runs/{run_id}/questions': resolution('ask_nope'),
    '/v1/sessions/{session_id}/questions': resolution('ask_nope'),
    '/v1/runs/{run_id}/approvals': resolutions(allow('ask_nope')),
    '/v1/sessions/{session_id}/approvals': resolutions(allow('ask_nope')),
    '/v1/sessions/{session_id}/approval-runs': resolutions(allow('ask_nope')),
    '/v1/sessions/{session_id}/runs': { input: {} },
    '/v1/runs/{run_id}/asks': { kind: 'question', tool_call_id: 'c', questions: [NOTES] },
    '/v1/runs/{run_id}/clarifications': { tool_call_id: 'c', questions: [NOTES] },
    '/v1/threads/{thread_id}/items': { content: [{ type: 'text', text: 'hello' }] },
    '/v1/sessions/{session_id}/messages': { text: 'hello' },
    '/v1/runs/{run_id}/heartbeat': { worker_id: 'w', lease_epoch: 1 },
    '/v1/runs/{run_id}/release': { worker_id: 'w', lease_epoch: 1 },
  };

  it('every route with an id in its path answers 404 to one that does not exist, with a good body', async () => {
    const wrong: string[] = [];
    let walked = 0;
    for (const [template, methods] of Object.entries(server.openApi.paths)) {
      if (!template.includes('{')) continue;
      for (const method of Object.keys(methods)) {
        // Its body is no JSON: test/skills walks it.
        if (method === 'put' && template.includes('{skill_id}')) continue;
        const path = template.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'thread_id' ? 'thr_nope' : 'nope'));
        const body = method === 'post' ? (good[template] ?? {}) : undefined;
        const reply = await server.call(method.toUpperCase(), path, body);
        walked += 1;
        if (reply.status !== 404) wrong.push(`${method} ${template}: ${reply.status} ${reply.text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(walked).toBeGreaterThan(30);
  });

  it('every filter too', async () => {
    for (const path of [
      '/v1/asks?session_id=nope',
      '/v1/asks?run_id=nope',
      '/v1/runs?session_id=nope',
      '/v1/questions?session_id=nope',
      '/v1/approvals?session_id=nope',
    ])
      expect((await server.get(path)).status, path).toBe(404);
  });

  it('an id that exists but belongs elsewhere is refused too, and nothing moves', async () => {
    const [mine, other] = [await held(server), await held(server)];
    const replies = [
      await server.post(`/v1/runs/${mine.runId}/questions`, resolution(other.ask.ask_id)),
      await server.post(`/v1/runs/${mine.runId}/questions/${other.ask.ask_id}/cancel`),
      await server.post(`/v1/runs/${mine.runId}/approvals`, resolutions(allow(other.ask.ask_id))),
    ];
    for (const reply of replies) expect(reply.status).toBe(400);
    expect((await showAsk(server, other.ask.ask_id)).status).toBe('pending');
  });

  it('a settled id is told as settled, never as done again', async () => {
    const h = await held(server);
    await ok(answer(server, h));
    expect((await answer(server, h, picks('local'))).status).toBe(409);
  });
});

describe('#13 settled prompt resurrected by stale list', () => {
  it('a list says which event it is true for, so that what settled later stays settled', async () => {
    const h = await held(server);
    const path = `/v1/asks?session_id=${h.sessionId}&status=pending`;
    const stale = await server.get<AskView[]>(path);
    await ok(answer(server, h));
    const cursor = Number(stale.headers['holdpoint-cursor']);
    const later = await ok(server.get<EventView[]>(`/v1/sessions/${h.sessionId}/events?after=${cursor}`));
    const open = new Set(stale.body.map((a) => a.ask_id));
    for (const e of later) if (e.type === 'ask.claimed') open.delete(String(e.ask_id));
    expect(open.size).toBe(0);
    const fresh = await server.get<AskView[]>(path);
    expect(fresh.body).toEqual([]);
    expect(Number(fresh.headers['holdpoint-cursor'])).toBeGreaterThan(cursor);
  });

  it('asking again never reopens it, and a page that continues never shows it', async () => {
    const h = await held(server, { tool_call_id: 'same' });
    const second = await raiseQuestion(server, h.runId);
    const path = `/v1/asks?session_id=${h.sessionId}&status=pending&limit=1`;
    const first = await server.get<AskView[]>(path);
    await ok(server.post(`/v1/runs/${h.runId}/questions`, resolution(second.ask_id)));
    const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
    expect(await ok(server.get(next))).toEqual([]);
    await ok(answer(server, h));
    const again = await raiseQuestion(server, h.runId, { tool_call_id: 'same' });
    expect(again).toMatchObject({ ask_id: h.ask.ask_id, status: 'answered' });
    expect((await showRun(server, h.runId)).status).toBe('running');
  });
});

describe('#14 prompt answered while client offline leaves', () => {
  it('a client that comes back with its cursor is told what settled meanwhile', async () => {
    const h = await held(server);
    const path = `/v1/sessions/${h.sessionId}/events`;
    const before = await openStream(server, path);
    await before.until((s) => s.events().some((e) => e.type === 'ask.raised'));
    const last = String(before.events().at(-1)?.seq);
    before.close();
    await ok(answer(server, h));
    const back = await openStream(server, path, { headers: { 'last-event-id': last } });
    await back.until((s) => s.events().some((e) => e.type === 'ask.claimed' && e.ask_id === h.ask.ask_id));
    back.close();
  });

  it('a client that comes back without one finds it gone', async () => {
    const h = await held(server);
    const other = await raiseQuestion(server, h.runId, { tool_call_id: callId() });
    await ok(answer(server, h));
    const back = await openStream(server, `/v1/sessions/${h.sessionId}/events?snapshot=true`);
    await back.until((s) => s.frames.length > 0);
    const { asks } = JSON.parse(back.frames[0]?.data ?? '{}') as { asks: AskView[] };
    expect(asks.map((a) => a.ask_id)).toEqual([other.ask_id]);
    back.close();
  });
});
