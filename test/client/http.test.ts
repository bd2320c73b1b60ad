// One request of the client: what it sends, how refusals become errors, and which calls it repeats when the connection is
// lost, the server is stopping, or a rate limit applies.
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { HoldpointProblem, HoldpointUnreachable } from '../../src/client/http.ts';
import { type Listener, listen, sendJson } from './listener.ts';

let listener: Listener;
afterEach(() => listener?.close());

const connect = (more: object = {}) => createClient({ url: `${listener.url}/`, token: 'tok', ...more });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a request', () => {
  it('sends token and surface, and encodes ids', async () => {
    listener = await listen((_, response) => sendJson(response, 200, {}));
    await connect({ surface: 'cli' }).asks.get('a/../b?c');
    const [heard] = listener.heard;
    expect(heard?.path).toBe('/v1/asks/a%2F..%2Fb%3Fc');
    expect(heard?.headers).toMatchObject({ authorization: 'Bearer tok', 'holdpoint-surface': 'cli' });
  });

  it('sends the lease only under a lease', async () => {
    listener = await listen((_, response) => sendJson(response, 200, {}));
    const client = connect();
    await client.runs.complete('r');
    await client.underLease(7).runs.complete('r');
    expect(listener.heard.map((h) => h.headers['holdpoint-lease'])).toEqual([undefined, '7']);
  });

  it('follows no redirect, so that the token goes to no other server', async () => {
    listener = await listen((_, response) => response.writeHead(302, { location: '/v1/elsewhere' }).end());
    const error = await failure(connect({ retryForMs: 0 }).asks.get('a'));
    expect(error).toBeInstanceOf(HoldpointUnreachable);
    expect(listener.heard).toHaveLength(1);
  });
});

describe('refusals', () => {
  it('become errors with code, detail and winner', async () => {
    const winner = { answered_by: 'ann', surface: 'web', answered_at_ms: 1, outcome: 'answered' };
    const document = { status: 409, code: 'question_state_conflict', domain: 'questions', detail: 'Too late.', winner };
    listener = await listen((_, response) => sendJson(response, 409, document));
    const error = await failure(connect().questions.answerRun('r', { resolution: { request_id: 'a' } }));
    expect(error).toBeInstanceOf(HoldpointProblem);
    expect(error).toMatchObject({ ...document, message: 'Too late.' });
    expect(listener.heard).toHaveLength(1);
  });

  it('become errors with their status when they are not problem documents', async () => {
    listener = await listen((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no'));
    expect(await failure(connect().asks.get('a'))).toMatchObject({ status: 404, code: 'unknown' });
  });

  it.each(['rate_limited', 'shutting_down', 'store_unavailable'])('retries the call on %s', async (code) => {
    const status = code === 'rate_limited' ? 429 : 503;
    listener = await listen((_, response, count) => sendJson(response, count < 3 ? status : 200, { code, ok: count }));
    expect(await connect().workers.claim({ worker_id: 'w', agents: [] })).toMatchObject({ ok: 3 });
  });

  it.each(['pending_asks_limit', 'too_many_streams'])('does not retry the call on %s', async (code) => {
    listener = await listen((_, response) => sendJson(response, 429, { code }));
    expect(await failure(connect().asks.get('a'))).toMatchObject({ code });
    expect(listener.heard).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  const flaky = (good: number) =>
    listen((_, response, count) => {
      if (count < good) response.destroy();
      else sendJson(response, 200, { ok: count });
    });

  it('repeats a creating call with the same idempotency key', async () => {
    listener = await flaky(3);
    expect(await connect().sessions.create({ agent: 'external' })).toEqual({ ok: 3 });
    const keys = listener.heard.map((h) => h.headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{20,}$/);
  });

  it('sends another key with each creating call', async () => {
    listener = await flaky(1);
    await connect().sessions.create({ agent: 'external' });
    await connect().sessions.create({ agent: 'external' });
    expect(new Set(listener.heard.map((h) => h.headers['idempotency-key'])).size).toBe(2);
  });

  it.each([
    ['a read', (c: ReturnType<typeof connect>) => c.asks.get('a')],
    [
      'an ask under its tool call',
      (c: ReturnType<typeof connect>) => c.asks.raise('r', { kind: 'question', tool_call_id: 't', questions: [] }),
    ],
    ['an acknowledgement', (c: ReturnType<typeof connect>) => c.asks.delivered('a')],
    ['an output with an id', (c: ReturnType<typeof connect>) => c.runs.output('r', { output_id: 'o', text: 'x' })],
  ])('repeats %s without a key', async (_, call) => {
    listener = await flaky(3);
    expect(await call(connect())).toEqual({ ok: 3 });
    expect(listener.heard.map((h) => h.headers['idempotency-key'])).toEqual([undefined, undefined, undefined]);
  });

  it('never repeats a claim, which could take a second run', async () => {
    listener = await flaky(2);
    const error = await failure(connect().workers.claim({ worker_id: 'w', agents: [] }));
    expect(error).toBeInstanceOf(HoldpointUnreachable);
    expect(listener.heard).toHaveLength(1);
  });

  it('repeats a call whose response was cut off', async () => {
    listener = await listen((_, response, count) => {
      if (count > 1) return sendJson(response, 200, { ok: count });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"half":');
      setImmediate(() => response.destroy());
    });
    expect(await connect().asks.get('a')).toEqual({ ok: 2 });
  });

  it('fails with the address when the retry period is over', async () => {
    listener = await flaky(Number.POSITIVE_INFINITY);
    const error = await failure(connect({ retryForMs: 0 }).asks.get('a'));
    expect(error).toBeInstanceOf(HoldpointUnreachable);
    expect((error as Error).message).toContain(listener.url);
  });

  it('treats a server that never answers as lost', async () => {
    listener = await listen(() => {});
    const error = await failure(connect({ retryForMs: 0, timeoutMs: 50 }).asks.get('a'));
    expect((error as Error).message).toContain('no response within 50 ms');
  });

  it('stops retrying with the reason of the signal', async () => {
    listener = await flaky(Number.POSITIVE_INFINITY);
    const stop = new AbortController();
    const waiting = failure(connect().asks.wait('a', 60_000, stop.signal));
    stop.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
  });
});
