// The response that an idempotency key stores: small where its view is large, and the same when it is returned.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import { allow, decide, held, newSession, ok, raiseQuestion, resolution, startRun } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('finding 13: what a key stores', () => {
  function storedBytes(): number {
    const outside = new DatabaseSync(join(server.folder, 'holdpoint.db'), { readOnly: true });
    const sum = outside.prepare('SELECT SUM(LENGTH(body)) AS n FROM responses').get()?.n;
    outside.close();
    return Number(sum ?? 0);
  }

  it('keeps ids of large asks and outputs, and returns the same run after both have changed', async () => {
    const h = await held(server, { kind: 'approval', input: { command: 'é'.repeat(100_000) } });
    await raiseQuestion(server, h.runId, { context: 'c'.repeat(20_000) });
    await ok(server.post(`/v1/runs/${h.runId}/output`, { text: 'o'.repeat(50_000), data: { ends: 1 } }));
    const before = storedBytes();
    const say = () => server.post<RunView>(`/v1/runs/${h.runId}/output`, { text: '.' }, keyed('say'));
    const first = await say();
    expect(first.text.length).toBeGreaterThan(170_000);
    await ok(server.post(`/v1/runs/${h.runId}/output`, { text: 'more' }));
    await ok(decide(server, h.runId, allow(h.ask.ask_id)));
    await ok(server.post(`/v1/runs/${h.runId}/fail`));
    expect(await say()).toMatchObject({ status: first.status, text: first.text });
    expect(storedBytes() - before).toBeLessThan(5000);
  });

  it('keeps neither the request nor the answer of an ask, and returns the same ask and session', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const before = storedBytes();
    const body = {
      kind: 'question',
      tool_call_id: 'form',
      mode: 'form',
      questions: [{ question: 'q'.repeat(20_000) }],
    };
    const raise = () => server.post<AskView>(`/v1/runs/${run_id}/asks`, body, keyed('raise'));
    const raised = await raise();
    expect(raised.text).toContain('render_payload');
    const reuse = () => server.post<SessionView>('/v1/sessions', { agent: 'external', session_id }, keyed('again'));
    const session = await reuse();
    const answers = [{ question_id: 'question-1', freeform_answer: 'a'.repeat(20_000) }];
    await ok(server.post(`/v1/runs/${run_id}/questions`, resolution(raised.body.ask_id, answers)));
    const fail = () => server.post(`/v1/asks/${raised.body.ask_id}/undeliverable`, {}, keyed('fail'));
    const failed = await fail();
    expect(await raise()).toMatchObject({ status: 201, text: raised.text });
    expect(await reuse()).toMatchObject({ status: session.status, text: session.text });
    expect(await fail()).toMatchObject({ status: failed.status, text: failed.text });
    expect(storedBytes() - before).toBeLessThan(8000);
  });
});
