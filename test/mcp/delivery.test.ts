// When an answer over MCP counts as delivered, and what a repeated call gets, with the official client over both transports
// and with plain HTTP. Every row of the table in src/mcp/calls.ts.
// Covers: src/mcp/calls.ts, src/mcp/handover.ts, src/mcp/repeat.ts, src/mcp/handle.ts, src/gateway/cancelled-call.ts
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../src/core/views.ts';
import { createMcpHttpHandler } from '../../src/mcp/http-handler.ts';
import { allow, decide, eventually, type Fields, ok, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import {
  type Agent,
  answer,
  askUser,
  BLUE,
  CHOOSE_BLUE,
  checkAnswer,
  connecting,
  handle,
  IMPATIENCE,
  jsonOf,
  PATIENCE,
  pendingAsk,
  QUESTIONS,
  TRANSPORTS,
} from './test-bed.ts';

const server = serverForAll({ patience: PATIENCE });
const impatient = serverForAll({ patience: IMPATIENCE });
const connect = connecting(() => server);
const connectImpatient = connecting(() => impatient);

const BASH = { tool_name: 'Bash', input: { command: 'rm -rf build' } };
const approve = ({ client }: Agent, options: Parameters<Agent['client']['callTool']>[1] = {}) =>
  client.callTool({ name: 'request_approval', arguments: BASH }, options);
/** Calls, and cancels the call once its ask is raised. */
async function cutOff(agent: Agent, call: typeof askUser | typeof approve): Promise<AskView> {
  const cut = new AbortController();
  const result = call(agent, { signal: cut.signal });
  const ask = await pendingAsk(server, agent.sessionId);
  cut.abort();
  await expect(result).rejects.toThrow();
  return ask;
}
const stateOf = async (ask: AskView) => (await showAsk(server, ask.ask_id)).delivery;
const asksOf = ({ sessionId }: Agent) => ok(server.get<AskView[]>(`/v1/asks?session_id=${sessionId}`));
const SENT = { state: 'due', attempts: 1, sent_at_ms: expect.any(Number) };
/** A cancellation that comes later may be that of a client which has the result. */
const LATE_CANCEL_MS = 2100;
const UNSENT = { state: 'due', attempts: 0 };

describe.each(TRANSPORTS)('over %s', (transport) => {
  const slow = { timeout: 60_000 };

  it(
    'delivers an answer with the next call on the connection, and asks the same question anew then',
    slow,
    async () => {
      const agent = await connect({ transport });
      const result = askUser(agent);
      const first = await pendingAsk(server, agent.sessionId);
      await answer(server, first, CHOOSE_BLUE);
      expect(jsonOf(await result)).toMatchObject(BLUE);
      expect(await stateOf(first)).toEqual(SENT);
      const again = askUser(agent);
      const second = await pendingAsk(server, agent.sessionId);
      expect(second.ask_id).not.toBe(first.ask_id);
      expect((await stateOf(first)).state).toBe('delivered');
      await answer(server, second, { question_id: 'colour', selected_option_ids: ['option-1'] });
      expect(jsonOf(await again)).toMatchObject({ answers: [{ values: ['r'] }] });
    },
  );

  it.each([
    ['a question', askUser, (ask: AskView) => answer(server, ask, CHOOSE_BLUE), BLUE],
    [
      'an approval',
      approve,
      (ask: AskView) => ok(decide(server, ask.run_id, allow(ask.ask_id))),
      { behavior: 'allow', updatedInput: BASH.input },
    ],
  ] as const)(
    'returns the answer of %s that was cancelled once, when it is repeated',
    slow,
    async (_, call, settle, result) => {
      const agent = await connect({ transport });
      const ask = await cutOff(agent, call);
      await settle(ask);
      expect(await stateOf(ask)).toEqual(UNSENT);
      expect(jsonOf(await call(agent))).toMatchObject({ ask_id: handle(ask), ...result });
      const next = new AbortController();
      const third = call(agent, { signal: next.signal });
      await eventually(async () => (await stateOf(ask)).state).toBe('delivered');
      await eventually(async () => (await asksOf(agent)).length).toBe(2);
      next.abort();
      await expect(third).rejects.toThrow();
    },
  );

  it('joins the open ask when a call is repeated whose client timed out', slow, async () => {
    const agent = await connect({ transport });
    for (const [raised, call] of [askUser, approve].entries()) {
      // A client may time out before it has asked.
      while ((await asksOf(agent)).length === raised) await expect(call(agent, { timeout: 300 })).rejects.toThrow();
      for (let i = 0; i < 2; i++) await expect(call(agent, { timeout: 300 })).rejects.toThrow(/timed out/i);
    }
    expect((await asksOf(agent)).map(({ kind, status }) => [kind, status])).toEqual([
      ['question', 'pending'],
      ['approval', 'pending'],
    ]);
  });

  it('is a separate ask when the same is asked while the first call still waits', slow, async () => {
    const agent = await connect({ transport });
    const both = [askUser(agent)];
    await pendingAsk(server, agent.sessionId);
    both.push(askUser(agent));
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    for (const ask of await asksOf(agent)) await answer(server, ask, CHOOSE_BLUE);
    for (const result of both) expect(jsonOf(await result)).toMatchObject(BLUE);
  });

  it('takes no call as a sign of an answer that was sent while another call was under way', slow, async () => {
    const agent = await connect({ transport });
    const cut = new AbortController();
    const other = askUser(agent, { signal: cut.signal }, { questions: [{ question: 'Why?' }] });
    await pendingAsk(server, agent.sessionId);
    const result = askUser(agent);
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    const ask = (await asksOf(agent))[1] as AskView;
    await answer(server, ask, CHOOSE_BLUE);
    expect(jsonOf(await result)).toMatchObject(BLUE);
    await checkAnswer(agent, { ask_id: 'ask_00000000' });
    expect(await stateOf(ask)).toEqual(SENT);
    cut.abort();
    await expect(other).rejects.toThrow();
  });

  it('takes no call as a sign of an answer for a client whose calls overlapped shortly before', slow, async () => {
    const agent = await connect({ transport });
    const other = askUser(agent, {}, { questions: [{ id: 'why', question: 'Why?' }] });
    const why = await pendingAsk(server, agent.sessionId);
    const result = askUser(agent);
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    await answer(server, why, { question_id: 'why', freeform_answer: 'So.' });
    await other;
    const ask = (await asksOf(agent))[1] as AskView;
    await answer(server, ask, CHOOSE_BLUE);
    expect(jsonOf(await result)).toMatchObject(BLUE);
    await checkAnswer(agent, { ask_id: 'ask_00000000' });
    expect(await stateOf(ask)).toEqual(SENT);
  });

  it('raises another ask for the same words with other options', slow, async () => {
    const agent = await connect({ transport });
    await cutOff(agent, askUser);
    const other = { questions: [{ id: 'colour', question: 'Which colour?', options: ['Green', 'Pink'] }] };
    const result = askUser(agent, {}, other);
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    const [, second] = await asksOf(agent);
    await answer(server, second as AskView, { question_id: 'colour', selected_option_ids: ['option-1'] });
    expect(jsonOf(await result)).toMatchObject({ answers: [{ values: ['Green'] }] });
  });

  it('returns an answer by its name as often as it is asked for', slow, async () => {
    const agent = await connect({ transport });
    const ask = await cutOff(agent, approve);
    await ok(decide(server, ask.run_id, allow(ask.ask_id)));
    for (const ask_id of [handle(ask), handle(ask), ask.ask_id])
      expect(jsonOf(await checkAnswer(agent, { ask_id }))).toMatchObject({ behavior: 'allow' });
  });
});

it('never waits longer than its limit, with a progress token or without', async () => {
  const agent = await connectImpatient();
  const pending = jsonOf(await askUser(agent, { onprogress: () => {} }));
  expect(pending).toMatchObject({ status: 'pending' });
  for (const wait_ms of [0, undefined, 3_600_000])
    expect(jsonOf(await checkAnswer(agent, { ask_id: pending.ask_id, wait_ms }))).toEqual(pending);
});

it('returns at once from check_answer with wait_ms 0 and a progress token', async () => {
  const agent = await connect();
  const ask = await cutOff(agent, askUser);
  const check = { name: 'check_answer', arguments: { ask_id: handle(ask), wait_ms: 0 } };
  expect(jsonOf(await agent.client.callTool(check, { onprogress: () => {} }))).toMatchObject({ status: 'pending' });
});

it('waits shorter than the timeout that a client has shown', async () => {
  const agent = await connect();
  await expect(askUser(agent, { timeout: 1500 })).rejects.toThrow(/timed out/i);
  expect(jsonOf(await askUser(agent, { timeout: 20_000 }))).toMatchObject({ status: 'pending' });
});

describe('plain HTTP', () => {
  /** One request, on a socket of its own that is closed after it. */
  const post = (token: string, url: string, body: Fields, headers: Fields = {}) => {
    let cut = () => {};
    const text = new Promise<string>((resolve, reject) => {
      const sent = httpRequest(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        } as Record<string, string>,
        agent: new HttpAgent({ keepAlive: true }),
      });
      cut = () => sent.destroy();
      sent.on('error', reject);
      sent.on('response', (response) => {
        let all = '';
        response.on('data', (part) => {
          all += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          sent.socket?.destroy();
          resolve(all);
        });
      });
      sent.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
    });
    return { text, cut: () => cut() };
  };
  const ASK = { method: 'tools/call', params: { name: 'ask_user', arguments: QUESTIONS } };

  it('ends a cancelled call without a result, and leaves the answer due', async () => {
    const agent = await connect();
    const url = await server.url();
    const call = post(agent.token, url, { id: 7, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    await post(agent.token, url, { method: 'notifications/cancelled', params: { requestId: 7 } }).text;
    expect(await call.text).not.toContain('result');
    await answer(server, ask, CHOOSE_BLUE);
    expect(await stateOf(ask)).toEqual(UNSENT);
    expect(await post(agent.token, url, { id: 8, ...ASK }).text).toContain('Blue');
  });

  it('leaves the answer due when the cancellation arrives after the result', async () => {
    const agent = await connect();
    const url = await server.url();
    const call = post(agent.token, url, { id: 7, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    await answer(server, ask, CHOOSE_BLUE);
    expect(await call.text).toContain('Blue');
    await post(agent.token, url, { method: 'notifications/cancelled', params: { requestId: 7 } }).text;
    expect(await stateOf(ask)).toEqual(UNSENT);
    server.advance(10 * 60_000);
    expect(await post(agent.token, url, { id: 8, ...ASK }).text).toContain('Blue');
  });

  it('takes no call as a sign of an answer whose call is cancelled long after its result', async () => {
    const agent = await connect();
    const url = await server.url();
    const proxied = { 'x-forwarded-for': '10.0.0.9' };
    const call = post(agent.token, url, { id: 7, ...ASK }, proxied);
    const ask = await pendingAsk(server, agent.sessionId);
    await answer(server, ask, CHOOSE_BLUE);
    expect(await call.text).toContain('Blue');
    await sleep(LATE_CANCEL_MS);
    await post(agent.token, url, { method: 'notifications/cancelled', params: { requestId: 7 } }, proxied).text;
    expect(await stateOf(ask)).toEqual(SENT);
    expect(await post(agent.token, url, { id: 8, ...ASK }, proxied).text).toContain('Blue');
    expect(await asksOf(agent)).toHaveLength(1);
  });

  it('leaves the answer due when the connection was cut while the call waited', async () => {
    const agent = await connect();
    const call = post(agent.token, await server.url(), { id: 1, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    const failed = expect(call.text).rejects.toThrow();
    call.cut();
    await failed;
    await eventually(async () => jsonOf(await checkAnswer(agent, { ask_id: handle(ask), wait_ms: 0 })).status).toBe(
      'pending',
    );
    await answer(server, ask, CHOOSE_BLUE);
    expect(await stateOf(ask)).toEqual(UNSENT);
  });

  it('returns an answer again on another connection for 90 s, and counts it as delivered after that', async () => {
    const agent = await connect();
    const url = await server.url();
    const call = post(agent.token, url, { id: 1, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    await answer(server, ask, CHOOSE_BLUE);
    expect(await call.text).toContain('Blue');
    expect(await post(agent.token, url, { id: 2, ...ASK }).text).toContain('Blue');
    expect((await stateOf(ask)).state).toBe('due');
    server.advance(91_000);
    const other = { name: 'check_answer', arguments: { ask_id: 'ask_00000000' } };
    await post(agent.token, url, { id: 3, method: 'tools/call', params: other }).text;
    const next = post(agent.token, url, { id: 4, ...ASK });
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    expect((await stateOf(ask)).state).toBe('delivered');
    next.cut();
    await next.text.catch(() => {});
  });

  it.each([
    ['through a proxy', { 'x-forwarded-for': '10.0.0.9' }],
    ['with one connection for each request', { connection: 'close' }],
  ])('delivers an answer with the next call of a client %s', async (_, headers) => {
    const agent = await connect();
    const url = await server.url();
    const call = post(agent.token, url, { id: 1, ...ASK }, headers);
    const ask = await pendingAsk(server, agent.sessionId);
    await answer(server, ask, CHOOSE_BLUE);
    await call.text;
    const next = post(agent.token, url, { id: 2, ...ASK }, headers);
    await eventually(async () => (await stateOf(ask)).state).toBe('delivered');
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    next.cut();
    await next.text.catch(() => {});
  });

  /** Another server on the same database, and how the agent's requests reach it. */
  const otherServer = async (agent: Agent) => {
    const { gateway } = server;
    const handler = createMcpHttpHandler({ gateway, version: '0', patience: PATIENCE, onError: () => {} });
    const { token_id } = await ok(server.get<{ token_id: string }>('/v1/me', { token: agent.token }));
    const actor = {
      name: 'agent',
      kind: 'bearer' as const,
      scope: 'agent' as const,
      tokenId: token_id,
      sessionId: agent.sessionId,
      person: 'agent',
      surface: 'mcp' as const,
    };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const wire = { connection: { isOpen: () => true }, cut: Promise.resolve(false) };
    return {
      handle: (message: Fields) => {
        const body = { jsonrpc: '2.0', ...message };
        const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
        return handler.handle(request, actor, body, wire);
      },
      close: () => handler.close(),
    };
  };
  const CANCEL = { method: 'notifications/cancelled', params: { requestId: 7 } };

  it('does not send the answer of a call that was cancelled at another server', async () => {
    const agent = await connect();
    const other = await otherServer(agent);
    const call = post(agent.token, await server.url(), { id: 7, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    await other.handle(CANCEL);
    await answer(server, ask, CHOOSE_BLUE);
    expect(await call.text).not.toContain('Blue');
    expect(await stateOf(ask)).toEqual(UNSENT);
    await other.close();
  });

  it('joins the open ask when a call is repeated that was cancelled at another server', async () => {
    const agent = await connect();
    const url = await server.url();
    const other = await otherServer(agent);
    const first = post(agent.token, url, { id: 7, ...ASK });
    const ask = await pendingAsk(server, agent.sessionId);
    await other.handle(CANCEL);
    const second = post(agent.token, url, { id: 8, ...ASK });
    expect(await first.text).not.toContain('result');
    await answer(server, ask, CHOOSE_BLUE);
    expect(await second.text).toContain('Blue');
    expect(await asksOf(agent)).toHaveLength(1);
    await other.close();
  });

  it('takes no call as a sign of an answer that was sent while a call waited at another server', async () => {
    const agent = await connect();
    const other = await otherServer(agent);
    const why = { name: 'ask_user', arguments: { questions: [{ question: 'Why?' }] } };
    const waiting = await other.handle({ id: 1, method: 'tools/call', params: why });
    await pendingAsk(server, agent.sessionId);
    const result = askUser(agent);
    await eventually(async () => (await asksOf(agent)).length).toBe(2);
    const ask = (await asksOf(agent))[1] as AskView;
    await answer(server, ask, CHOOSE_BLUE);
    await result;
    await checkAnswer(agent, { ask_id: 'ask_00000000' });
    expect(await stateOf(ask)).toEqual(SENT);
    await waiting.body?.cancel();
    await other.close();
  });
});
