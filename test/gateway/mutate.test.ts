// Idempotency: keys in the header or in the body, bound to the operation, its path and its payload, freed by a failure,
// shared by concurrent calls and kept for seven days; and calls without a key that are recognised by themselves.
// Covers: src/server/request.ts

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AskView, NewTokenView, RunView, SessionView } from '../../src/core/views.ts';
import {
  allow,
  answer,
  callId,
  eventsOfRun,
  eventually,
  held,
  newSession,
  ok,
  picks,
  refusal,
  resolution,
  resolutions,
  showAsk,
  startRun,
  typesOf,
} from '../support/api-calls.ts';
import { openServer, type Reply } from '../support/server.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const DAY_MS = 24 * 60 * 60 * 1000;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

describe('a key that is reused with an identical payload', () => {
  it('returns the stored response of an answer, although the run has moved on', async () => {
    const h = await held(server);
    const first = await answer(server, h, picks('openai'), keyed('retry'));
    await ok(server.post(`/v1/runs/${h.runId}/complete`));
    const again = await answer(server, h, picks('openai'), keyed('retry'));
    expect(again).toMatchObject({ status: 202, text: first.text });
    expect(again.body.status).toBe('running');
  });

  it('treats a key in the header and the same key in the body as one key', async () => {
    const h = await held(server);
    const body = resolution(h.ask.ask_id);
    const path = `/v1/runs/${h.runId}/questions`;
    const first = await server.post<RunView>(path, { ...body, idempotency_key: 'k' });
    expect(await server.post(path, body, keyed('k'))).toMatchObject({ status: 202, text: first.text });
    expect(await server.post(path, { ...body, idempotency_key: 'k' }, keyed('k'))).toMatchObject({ text: first.text });
  });

  it('returns the stored response of a decision, on all three calls', async () => {
    for (const call of ['run', 'approvals', 'approval-runs']) {
      const h = await held(server, { kind: 'approval' });
      const path = call === 'run' ? `/v1/runs/${h.runId}/approvals` : `/v1/sessions/${h.sessionId}/${call}`;
      const body = resolutions(allow(h.ask.ask_id));
      const first = await server.post(path, body, keyed('k'));
      const again = await server.post(path, body, keyed('k'));
      expect(again).toMatchObject({ status: first.status, text: first.text });
      expect(first.status).toBeLessThan(300);
    }
  });

  it('starts one run', async () => {
    const { session_id } = await newSession(server);
    const path = `/v1/sessions/${session_id}/runs`;
    const send = () => server.post<RunView>(path, { input: { text: 'go' } }, keyed('k'));
    const first = await send();
    expect(await send()).toMatchObject({ status: 202, text: first.text });
    expect(await ok(server.get<RunView[]>(`/v1/runs?session_id=${session_id}`))).toHaveLength(1);
  });

  it('returns 201 again for a creation, not 200', async () => {
    const make = () => server.post<SessionView>('/v1/sessions', { agent: 'external' }, keyed('s'));
    const first = await make();
    expect(await make()).toMatchObject({ status: 201, text: first.text });
    const token = () => server.post<NewTokenView>('/v1/tokens', { scope: 'viewer' }, keyed('t'));
    const made = await token();
    expect(await token()).toMatchObject({ status: 201, text: made.text });
  });

  it('returns the stored response after a restart', async () => {
    const h = await held(server);
    const first = await answer(server, h, picks('openai'), keyed('k'));
    await server.restart();
    expect(await answer(server, h, picks('openai'), keyed('k'))).toMatchObject({ status: 202, text: first.text });
  });
});

describe('a key that is reused with a different payload', () => {
  it('is refused and changes nothing', async () => {
    const h = await held(server, { kind: 'approval' });
    const path = `/v1/runs/${h.runId}/approvals`;
    await ok(server.post(path, resolutions(allow(h.ask.ask_id)), keyed('k')));
    const other = resolutions(allow(h.ask.ask_id, { justification: 'x' }));
    const problem = await refusal(server.post(path, other, keyed('k')), 409, 'idempotency_conflict');
    expect(problem.detail).toMatch(/new key/);
    await refusal(server.post(path, other, keyed('k')), 409, 'idempotency_conflict');
  });

  it('is not refused when only the order of fields differs', async () => {
    const { session_id } = await newSession(server);
    const path = `/v1/sessions/${session_id}/runs`;
    const first = await server.post(path, { input: { text: 'go', n: 1 }, source: 'ci' }, keyed('k'));
    const again = await server.post(path, { source: 'ci', input: { n: 1, text: 'go' } }, keyed('k'));
    expect(again).toMatchObject({ status: 202, text: first.text });
  });
});

describe('a failed operation frees its key', () => {
  it('frees the key of an invalid answer', async () => {
    const h = await held(server);
    await refusal(answer(server, h, picks('azure'), keyed('k')), 400, 'question_option_not_found');
    await refusal(answer(server, h, [], keyed('k')), 400, 'question_answer_missing');
    expect((await answer(server, h, picks('local'), keyed('k'))).status).toBe(202);
  });

  it('frees the key of a refused batch and of a call to an unknown run', async () => {
    const h = await held(server, { kind: 'approval' });
    const path = `/v1/runs/${h.runId}/approvals`;
    const wrong = resolutions(allow(h.ask.ask_id), allow('x'));
    await refusal(server.post(path, wrong, keyed('k')), 400, 'approval_request_not_pending');
    await ok(server.post(path, resolutions(allow(h.ask.ask_id)), keyed('k')));
    const gone = '/v1/runs/run_nope/cancel';
    await refusal(server.post(gone, {}, keyed('k')), 404, 'run_not_found');
    await refusal(server.post(gone, { reason: 'x' }, keyed('k')), 404, 'run_not_found');
  });
});

describe('the scope of a key', () => {
  it('separates equal keys on another run, session or operation', async () => {
    const h = await held(server);
    const other = await held(server);
    await ok(answer(server, h, picks('openai'), keyed('k')));
    await ok(answer(server, other, picks('local'), keyed('k')));
    expect((await showAsk(server, other.ask.ask_id)).answer?.answers).toEqual(picks('local'));
    await ok(server.post(`/v1/sessions/${h.sessionId}/runs`, { input: {} }, keyed('k')));
    await ok(server.post(`/v1/runs/${h.runId}/output`, { text: 'x' }, keyed('k')));
    await ok(server.post(`/v1/runs/${h.runId}/complete`, {}, keyed('k')));
  });

  it('refuses one key for two questions of one run, which are one operation', async () => {
    const h = await held(server);
    await ok(answer(server, h, picks('openai'), keyed('k')));
    const second = await ok(
      server.post<AskView>(`/v1/runs/${h.runId}/asks`, {
        kind: 'question',
        tool_call_id: callId(),
        questions: [{ question: 'And?' }],
      }),
    );
    const body = resolution(second.ask_id, [{ question_id: 'question-1', freeform_answer: 'yes' }]);
    await refusal(server.post(`/v1/runs/${h.runId}/questions`, body, keyed('k')), 409, 'idempotency_conflict');
  });

  it('accepts one key for cancelling two questions, whose ids are in the path', async () => {
    const a = await held(server);
    const path = (id: string) => `/v1/runs/${a.runId}/questions/${id}/cancel`;
    await ok(server.post(path(a.ask.ask_id), {}, keyed('k')));
    await refusal(server.post(path('question-9'), {}, keyed('k')), 409, 'question_state_conflict');
  });
});

describe('the format of a key', () => {
  const BAD: [string, string][] = [
    ['empty', ''],
    ['257 bytes', 'k'.repeat(257)],
    ['more than 256 bytes in fewer characters', '€'.repeat(86)],
    ['a control character', 'a\u0007b'],
    ['a newline', 'a\nb'],
    ['a C1 control', 'a\u0085b'],
  ];
  it.each(BAD)('refuses a key in the body: %s', async (_name, key) => {
    const h = await held(server);
    const body = { ...resolution(h.ask.ask_id), idempotency_key: key };
    const problem = await refusal(server.post(`/v1/runs/${h.runId}/questions`, body), 400, 'invalid_idempotency_key');
    expect(problem.domain).toBe('idempotency');
    expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  });

  it.each([
    ['empty', ''],
    ['257 bytes', 'k'.repeat(257)],
  ])('refuses a key in the header: %s', async (_name, key) => {
    const h = await held(server);
    await refusal(answer(server, h, picks('openai'), keyed(key)), 400, 'invalid_idempotency_key');
  });

  it('refuses different keys in header and body', async () => {
    const h = await held(server);
    const body = { ...resolution(h.ask.ask_id), idempotency_key: 'a' };
    const sent = server.post(`/v1/runs/${h.runId}/questions`, body, keyed('b'));
    expect((await refusal(sent, 400, 'invalid_idempotency_key')).detail).toMatch(/differ/);
  });

  it('accepts 256 bytes and any printable text', async () => {
    for (const key of ['k'.repeat(256), '€'.repeat(85), 'with blanks', '日本']) {
      const h = await held(server);
      const body = { ...resolution(h.ask.ask_id), idempotency_key: key };
      const first = await server.post(`/v1/runs/${h.runId}/questions`, body);
      expect(await server.post(`/v1/runs/${h.runId}/questions`, body)).toMatchObject({ status: 202, text: first.text });
    }
  });

  it('treats a key in a UTF-8 header as the same key in the body', async () => {
    const h = await held(server);
    const path = `/v1/runs/${h.runId}/questions`;
    const key = 'À-日本';
    const first = await server.post(path, { ...resolution(h.ask.ask_id), idempotency_key: key });
    const asHeader = Buffer.from(key, 'utf8').toString('latin1');
    expect(await server.post(path, resolution(h.ask.ask_id), keyed(asHeader))).toMatchObject({ text: first.text });
  });
});

describe('concurrent calls with one key', () => {
  const allEqual = (replies: Reply<unknown>[]) => new Set(replies.map((r) => `${r.status} ${r.text}`)).size === 1;

  it('get the response of the first and are applied once', async () => {
    const h = await held(server);
    const replies = await Promise.all(Array.from({ length: 30 }, () => answer(server, h, picks('openai'), keyed('k'))));
    expect(replies[0]?.status).toBe(202);
    expect(allEqual(replies)).toBe(true);
    expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(1);
  });

  it('create one record', async () => {
    const { session_id } = await newSession(server);
    const send = () => server.post(`/v1/sessions/${session_id}/runs`, { input: { text: 'go' } }, keyed('k'));
    const replies = await Promise.all(Array.from({ length: 20 }, send));
    expect(allEqual(replies)).toBe(true);
    expect(await ok(server.get<RunView[]>(`/v1/runs?session_id=${session_id}`))).toHaveLength(1);
  });

  it('conflict with the one that wins when their payloads differ', async () => {
    const { session_id } = await newSession(server);
    const send = (n: number) => server.post(`/v1/sessions/${session_id}/runs`, { input: { n } }, keyed('k'));
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => send(n)));
    expect(replies.map((r) => r.status).sort()).toEqual([202, ...Array(9).fill(409)]);
  });

  it('all fail when the operation fails, and leave the key free', async () => {
    const h = await held(server);
    const replies = await Promise.all(Array.from({ length: 10 }, () => answer(server, h, picks('azure'), keyed('k'))));
    expect(replies.every((r) => r.status === 400)).toBe(true);
    await ok(answer(server, h, picks('openai'), keyed('k')));
  });

  it('gives two identical calls without a key at once the same reply and applies them once', async () => {
    const { session_id } = await newSession(server);
    const { run_id } = await startRun(server, session_id);
    const twice = <T>(path: string, body: unknown = {}) =>
      Promise.all([server.post<T>(path, body), server.post<T>(path, body)]);
    const question = { kind: 'question', tool_call_id: 'c', questions: [{ question: 'A?' }] };
    const asks = await twice<AskView>(`/v1/runs/${run_id}/asks`, question);
    expect(asks.map((r) => r.status).sort()).toEqual([200, 201]);
    const askId = String(asks[0]?.body.ask_id);
    expect(asks[1]?.body.ask_id).toBe(askId);
    const given = resolution(askId, [{ question_id: 'question-1', freeform_answer: 'x' }]);
    for (const [path, body, status] of [
      [`/v1/runs/${run_id}/questions`, given, 202],
      [`/v1/asks/${askId}/delivered`, {}, 200],
      [`/v1/runs/${run_id}/output`, { output_id: 'o', text: 'hi' }, 200],
      [`/v1/runs/${run_id}/complete`, {}, 200],
      [`/v1/sessions/${session_id}/end`, {}, 200],
    ] as const) {
      const replies = await twice(path, body);
      expect(
        replies.map((r) => r.status),
        path,
      ).toEqual([status, status]);
      expect(replies[0]?.text).toBe(replies[1]?.text);
    }
    const types = typesOf(await eventsOfRun(server, run_id));
    for (const type of ['ask.raised', 'ask.claimed', 'ask.delivered', 'output', 'completed'])
      expect(
        types.filter((t) => t === type),
        type,
      ).toHaveLength(1);
  });
});

it('keeps keys for seven days, and only as hashes', async () => {
  const own = await openServer();
  try {
    const { session_id } = await newSession(own);
    const send = () => own.post<RunView>(`/v1/sessions/${session_id}/runs`, { input: {} }, keyed('my-very-own-key'));
    const first = await ok(send());
    await own.restart(() => own.advance(7 * DAY_MS - 60_000));
    expect((await ok(send())).run_id).toBe(first.run_id);
    await own.restart(() => own.advance(2 * 60_000));
    await eventually(async () => (await ok(send())).run_id).not.toBe(first.run_id);
  } finally {
    await own.close();
  }
});

/** Sends a request whose caller can hang up before it reads the response. */
async function sendAndHangUp(path: string, body: unknown, headers: Record<string, string> = {}) {
  const gone = new AbortController();
  const sent = fetch(`${await server.url()}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  return { sent: sent.catch(() => undefined), hangUp: () => gone.abort() };
}

const KEYS: [string, Record<string, string>][] = [
  ['with a key', { 'idempotency-key': 'k' }],
  ['without one', {}],
];

it('returns from a call only after its commit', async () => {
  const outside = new DatabaseSync(join(server.folder, 'holdpoint.db'), { readOnly: true });
  const h = await held(server);
  const stored = () => outside.prepare('SELECT status, delivery FROM asks WHERE id = ?').get(h.ask.ask_id);
  expect(stored()).toMatchObject({ status: 'pending' });
  await ok(answer(server, h));
  expect(stored()).toMatchObject({ status: 'answered', delivery: 'due' });
  outside.close();
});

describe('a retry after a lost response', () => {
  it.each(KEYS)(
    'gives the retry of an answer whose response was lost the first outcome, %s',
    async (_name, headers) => {
      const h = await held(server);
      const path = `/v1/runs/${h.runId}/questions`;
      const { sent, hangUp } = await sendAndHangUp(path, resolution(h.ask.ask_id), headers);
      await eventually(async () => (await showAsk(server, h.ask.ask_id)).status).toBe('answered');
      hangUp();
      await sent;
      const retry = await server.post<RunView>(path, resolution(h.ask.ask_id), { headers });
      expect(retry).toMatchObject({ status: 202, body: { run_id: h.runId, status: 'running' } });
      expect(typesOf(await eventsOfRun(server, h.runId)).filter((t) => t === 'ask.claimed')).toHaveLength(1);
    },
  );

  it('recognises the retry of raising, output, acknowledging and completing', async () => {
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
