// Named regressions of other systems, the ones about what is on disk when: what was announced too early, lost with a
// process, or grew without end.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AskView, EventView, PendingQuestionView, RunView, SessionView } from '../../src/core/views.ts';
import {
  answer,
  callId,
  eventsOfRun,
  eventually,
  held,
  newSession,
  ok,
  picks,
  raiseApproval,
  raiseQuestion,
  resolution,
  showAsk,
  showRun,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { openStream } from '../support/stream.ts';

const server = serverForAll();

describe('#1 announce-before-persist', () => {
  it('whatever a stream shows is committed: another connection to the file sees it, and it can be answered at once', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const outside = new DatabaseSync(join(server.folder, 'holdpoint.db'), { readOnly: true });
    const look = outside.prepare('SELECT status FROM asks WHERE id = ?');
    const stream = await openStream(server, `/v1/runs/${run_id}/events`);
    let shown = 0;
    let unseen = 0;
    const answering: Promise<number>[] = [];
    const watching = stream.until((s) => {
      const raised = s.events().filter((e) => e.type === 'ask.raised');
      for (const event of raised.slice(shown)) {
        if (look.get(String(event.ask_id)) === undefined) unseen += 1;
        const body = resolution(String(event.ask_id));
        answering.push(server.post(`/v1/runs/${run_id}/questions`, body).then((reply) => reply.status));
      }
      shown = raised.length;
      return shown === 40;
    });
    await Promise.all(Array.from({ length: 40 }, () => raiseQuestion(server, run_id)));
    await watching;
    expect(unseen).toBe(0);
    expect(await Promise.all(answering)).toEqual(Array(40).fill(202));
    stream.close();
    outside.close();
  });

  it('a call is acknowledged after its commit: what it says is on disk', async () => {
    const outside = new DatabaseSync(join(server.folder, 'holdpoint.db'), { readOnly: true });
    const h = await held(server);
    const stored = () => outside.prepare('SELECT status, delivery FROM asks WHERE id = ?').get(h.ask.ask_id);
    expect(stored()).toMatchObject({ status: 'pending' });
    await ok(answer(server, h));
    expect(stored()).toMatchObject({ status: 'answered', delivery: 'due' });
    outside.close();
  });
});

describe('#4 write landed, response lost, then retry', () => {
  const lost = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const gone = new AbortController();
    const sent = fetch(`${await server.url()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    return { sent: sent.catch(() => undefined), hangUp: () => gone.abort() };
  };
  const KEYS: [string, Record<string, string>][] = [
    ['with a key', { 'idempotency-key': 'k' }],
    ['without one', {}],
  ];

  it.each(KEYS)('an answer, %s: the retry gets the first outcome and nothing happens twice', async (_name, headers) => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/questions`;
    const { sent, hangUp } = await lost(path, resolution(h.ask.ask_id), headers);
    await eventually(async () => (await showAsk(server, h.ask.ask_id)).status).toBe('answered');
    hangUp();
    await sent;
    const retry = await server.post<RunView>(path, resolution(h.ask.ask_id), { headers });
    expect(retry).toMatchObject({ status: 202, body: { run_id: h.runId, status: 'running' } });
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(1);
  });

  it('raising, acknowledging, completing: each retry is recognised', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const raise = { kind: 'question', tool_call_id: 'c1', questions: [{ question: 'A?' }] };
    const calls: [string, unknown, number][] = [
      [`/v1/runs/${run_id}/asks`, raise, 200],
      [`/v1/runs/${run_id}/output`, { output_id: 'o1', text: 'hi' }, 200],
    ];
    for (const [path, body, status] of calls) {
      await ok(server.post(path, body));
      expect((await server.post(path, body)).status).toBe(status);
    }
    const [ask] = await ok(server.get<AskView[]>(`/v1/asks?run_id=${run_id}`));
    const body = resolution(String(ask?.ask_id), [{ question_id: 'question-1', freeform_answer: 'x' }]);
    await ok(server.post(`/v1/runs/${run_id}/questions`, body));
    for (const path of [`/v1/asks/${ask?.ask_id}/delivered`, `/v1/runs/${run_id}/complete`]) {
      const first = await server.post(path);
      expect(await server.post(path)).toMatchObject({ status: 200, text: first.text });
    }
    const types = typesOf(await eventsOfRun(server, run_id));
    for (const type of ['ask.raised', 'output', 'ask.delivered', 'completed'])
      expect(
        types.filter((t) => t === type),
        type,
      ).toHaveLength(1);
  });
});

describe('#6 resume after restart ignores memory maps', () => {
  it('everything that can be done to a pending ask can be done after a restart', async () => {
    const [a, b, c] = [await held(server), await held(server), await held(server, { kind: 'approval' })];
    await server.restart();
    expect((await ok(answer(server, a))).status).toBe('running');
    const cancel = `/v1/runs/${b.runId}/questions/${b.ask.ask_id}/cancel`;
    expect((await ok(server.post<RunView>(cancel))).status).toBe('cancelled');
    const decision = { resolutions: [{ request_id: c.ask.ask_id, behavior: 'deny' }] };
    expect((await ok(server.post<RunView>(`/v1/runs/${c.runId}/approvals`, decision))).status).toBe('running');
    expect((await raiseQuestion(server, a.runId)).status).toBe('pending');
  });

  it('a wait begun after the restart sees an answer given before it', async () => {
    const h = await held(server);
    await ok(answer(server, h, picks('local')));
    await server.restart();
    const ask = await ok(server.get<AskView>(`/v1/asks/${h.ask.ask_id}?wait_ms=20000`));
    expect(ask).toMatchObject({ status: 'answered', delivery: { state: 'due' }, answer: { answers: picks('local') } });
  });
});

describe('#7 id lost in discovery', () => {
  it('every way to find an ask tells its id, its tool call and its run, before and after a restart', async () => {
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
});

describe('#15 page reload finds pending', () => {
  it('a new inbox begins with everything that is open, however often it reloads', async () => {
    const h = await held(server);
    const approval = await raiseApproval(server, h.runId);
    for (let reload = 0; reload < 3; reload++) {
      const stream = await openStream(server, `/v1/sessions/${h.sessionId}/events?snapshot=true`);
      await stream.until((s) => s.frames.length > 0);
      const { asks } = JSON.parse(stream.frames[0]?.data ?? '{}') as { asks: AskView[] };
      expect(asks.map((a) => a.ask_id)).toEqual([h.ask.ask_id, approval.ask_id]);
      stream.close();
      if (reload === 1) await server.restart();
    }
  });
});

describe('#26 snapshot growth bounded', () => {
  it('a run that says and asks much costs no more per answer than one that said little', async () => {
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
      const record = await server.ports.store.read((r) => r.run(run_id));
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

  it('nor does one that says it in few large words: the newest are shown, the log has them all', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const say = (n: number) =>
      server.post<RunView>(`/v1/runs/${run_id}/output`, { text: `${n} ${'x'.repeat(100_000)}` });
    for (let n = 0; n < 12; n++) expect((await say(n)).text.length).toBeLessThan(500_000);
    const { outputs } = await showRun(server, run_id);
    expect(outputs.map((o) => o.text?.split(' ')[0])).toEqual(['9', '10', '11']);
    const big = await ok(server.post<RunView>(`/v1/runs/${run_id}/output`, { data: { blob: 'y'.repeat(400_000) } }));
    expect(big.outputs).toHaveLength(1);
    expect(typesOf(await eventsOfRun(server, run_id)).filter((t) => t === 'output')).toHaveLength(13);
  });
});
