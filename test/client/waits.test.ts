// Many waits over one stream: how many connections they cost, answers that arrive before the call that asked returns, and
// polling where streams are refused.
// Covers: src/client/parked-wait.ts
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askQuestion } from '../../src/client/asking.ts';
import { createClient } from '../../src/client/client.ts';
import { HoldpointProblem } from '../../src/client/http.ts';
import { Waits } from '../../src/client/waits.ts';
import type { AskView, RunView } from '../../src/core/views.ts';
import { clientForAll, serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const person = clientForAll(server);
let url: string;
beforeAll(async () => {
  url = await server.url();
});

interface Sent {
  path: string;
  isStream: boolean;
}
const open: Waits[] = [];
afterEach(() => {
  for (const waits of open.splice(0)) waits.close();
});

/** A client whose requests are counted, and may be held up or refused by the test. */
function counted(
  meddle: (sent: Sent, go: () => Promise<Response>) => Promise<Response> = (_, go) => go(),
  token = server.token,
) {
  const sent: Sent[] = [];
  const client = createClient({
    url,
    token,
    fetch: (input, init) => {
      const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream';
      const one = { path: new URL(String(input)).pathname + new URL(String(input)).search, isStream };
      sent.push(one);
      return meddle(one, () => fetch(input, init));
    },
  });
  const waits = new Waits(client.http);
  open.push(waits);
  return { client, waits, sent, streams: () => sent.filter((s) => s.isStream).length };
}

async function external(): Promise<RunView> {
  const { session_id } = await person.sessions.create({ agent: 'external' });
  return person.runs.start(session_id, { input: { text: 'x' } });
}
const question = (n: number) => ({
  kind: 'question' as const,
  tool_call_id: `t${n}`,
  questions: [{ id: 'q', question: `Question ${n}?` }],
});
const reply = (ask: AskView, text: string) =>
  person.questions.answerRun(ask.run_id, {
    resolution: { request_id: ask.ask_id, answers: [{ question_id: 'q', freeform_answer: text }] },
  });
async function pending(runId: string, count: number): Promise<AskView[]> {
  for (;;) {
    const { items } = await person.asks.list({ run_id: runId, status: 'pending', limit: 500 });
    if (items.length === count) return items;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const ask = ({ client, waits }: ReturnType<typeof counted>, run: RunView, n: number, signal?: AbortSignal) =>
  askQuestion({ calls: client, waits, runId: run.run_id, workFolder: undefined, signal }, question(n));

describe('a hundred asks parked in one client', () => {
  it('use one stream and no poll, and each gets its own answer', async () => {
    const agent = counted();
    const run = await external();
    const looks = () => agent.sent.filter(({ path, isStream }) => !isStream && !/\/(asks|delivered)$/.test(path));
    // The first one is raised before the stream is open, and looked at when it is. No other ask needs that.
    const first = ask(agent, run, 0);
    await expect.poll(() => looks().length).toBe(1);
    const answers = Promise.all([first, ...Array.from({ length: 99 }, (_, n) => ask(agent, run, n + 1))]);
    const asks = await pending(run.run_id, 100);
    await expect.poll(() => agent.waits.parked).toBe(100);
    await Promise.all(asks.map((a) => reply(a, `answer to ${a.tool_call_id}`)));
    const heard = await answers;
    expect(heard.map((o) => (o.status === 'answered' ? o.answer : o.status))).toEqual(
      Array.from({ length: 100 }, (_, n) => `answer to t${n}`),
    );
    expect(agent.streams()).toBe(1);
    expect(agent.waits.parked).toBe(0);
    expect(looks()).toHaveLength(1);
  });

  it('close the stream when nothing waits any more, and open it again for the next ask', async () => {
    const agent = counted();
    for (const expected of [1, 2]) {
      const run = await external();
      const waiting = ask(agent, run, 1);
      const [only] = await pending(run.run_id, 1);
      await reply(only as AskView, 'yes');
      expect(await waiting).toMatchObject({ status: 'answered', answer: 'yes' });
      expect(agent.streams()).toBe(expected);
      await expect
        .poll(async () => /^holdpoint_streams_open (\d+)$/m.exec(await person.system.metrics())?.[1])
        .toBe('0');
    }
  });
});

describe('an early answer', () => {
  it('is returned when it arrives before the call that asked has returned', async () => {
    const agent = counted(async (sent, go) => {
      const response = await go();
      if (!sent.path.endsWith('/asks')) return response;
      const run = sent.path.split('/')[3] ?? '';
      const { items } = await person.asks.list({ run_id: run, status: 'pending' });
      for (const a of items.filter((i) => i.tool_call_id === 't2')) await reply(a, 'quick');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return response;
    });
    const run = await external();
    const parked = ask(agent, run, 1);
    await pending(run.run_id, 1);
    await expect.poll(() => agent.streams()).toBe(1);
    expect(await ask(agent, run, 2)).toMatchObject({ status: 'answered', answer: 'quick' });
    const [first] = await pending(run.run_id, 1);
    await reply(first as AskView, 'slow');
    expect(await parked).toMatchObject({ answer: 'slow' });
  });

  it('is returned when it arrives before the stream is open', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const agent = counted(async (sent, go) => {
      if (sent.isStream) await held;
      return go();
    });
    const run = await external();
    const waiting = ask(agent, run, 1);
    const [only] = await pending(run.run_id, 1);
    await reply(only as AskView, 'early');
    release();
    expect(await waiting).toMatchObject({ status: 'answered', answer: 'early' });
  });

  it('is returned without a wait when the ask had ended before it was asked again', async () => {
    const agent = counted();
    const run = await external();
    const waiting = ask(agent, run, 1);
    await reply((await pending(run.run_id, 1))[0] as AskView, 'kept');
    await waiting;
    expect(await ask(counted(), run, 1)).toMatchObject({ status: 'answered', answer: 'kept' });
    expect((await person.events.ofRun(run.run_id)).items.filter((e) => e.type === 'ask.delivered')).toHaveLength(1);
  });
});

describe('refused streams', () => {
  it('are replaced by one poll per ask', async () => {
    const refuse = new Response('{"code":"too_many_streams"}', {
      status: 429,
      headers: { 'content-type': 'application/json' },
    });
    const agent = counted(async (sent, go) => (sent.isStream ? refuse.clone() : go()));
    const run = await external();
    const waiting = Promise.all([1, 2, 3].map((n) => ask(agent, run, n)));
    for (const a of await pending(run.run_id, 3)) await reply(a, a.tool_call_id);
    expect((await waiting).map((o) => (o.status === 'answered' ? o.answer : ''))).toEqual(['t1', 't2', 't3']);
    expect(agent.streams()).toBe(1);
    expect(agent.sent.some((s) => s.path.endsWith('?wait_ms=30000'))).toBe(true);
  });

  it('include a reply that is not an event stream', async () => {
    const page = new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const agent = counted(async (sent, go) => (sent.isStream ? page.clone() : go()));
    const run = await external();
    const waiting = ask(agent, run, 1);
    await reply((await pending(run.run_id, 1))[0] as AskView, 'polled');
    expect(await waiting).toMatchObject({ answer: 'polled' });
  });

  it('end the waits with the refusal when the token is revoked', async () => {
    const run = await external();
    const { token, token_id } = await server.makeToken('agent', run.session_id);
    let broken: (() => void) | undefined;
    const agent = counted(async (sent, go) => {
      const response = await go();
      if (!sent.isStream || broken || !response.ok) return response;
      const body = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TransformStream());
      const reader = body.getReader();
      const cut = new Promise<void>((resolve) => {
        broken = resolve;
      });
      const passed = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue((await reader.read()).value ?? new Uint8Array());
          await cut;
          await reader.cancel();
          controller.error(new Error('cut'));
        },
      });
      return new Response(passed, { status: response.status, headers: response.headers });
    }, token);
    const waiting = ask(agent, run, 1).catch((error: unknown) => error);
    await pending(run.run_id, 1);
    await expect.poll(() => broken !== undefined).toBe(true);
    await person.tokens.revoke(token_id);
    broken?.();
    const error = await waiting;
    expect(error).toBeInstanceOf(HoldpointProblem);
    expect(error).toMatchObject({ status: 401 });
  });
});

describe('an aborted wait', () => {
  it('ends with the reason of its signal and leaves the ask open', async () => {
    const agent = counted();
    const run = await external();
    const stop = new AbortController();
    const waiting = ask(agent, run, 1, stop.signal).catch((error: unknown) => error);
    await pending(run.run_id, 1);
    await expect.poll(() => agent.waits.parked).toBe(1);
    stop.abort(new Error('changed my mind'));
    expect(await waiting).toMatchObject({ message: 'changed my mind' });
    expect(agent.waits.parked).toBe(0);
    expect(await pending(run.run_id, 1)).toHaveLength(1);
  });
});
