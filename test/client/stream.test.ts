// The event stream of the client: every event once and in order, wherever and however often the connection breaks, until it
// is aborted.
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { HoldpointProblem } from '../../src/client/http.ts';
import type { EventView } from '../../src/core/views.ts';
import { clientForAll, serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();
const client = clientForAll(server);
let url: string;
beforeAll(async () => {
  url = await server.url();
});

/** Lets so many bytes through on each connection, then breaks it; after `times` it is left alone. */
function breaking(bytes: number, times: number) {
  let broken = 0;
  const connections: (string | null)[] = [];
  const fetchBroken: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers(init?.headers);
    if (headers.get('accept') !== 'text/event-stream') return response;
    connections.push(headers.get('last-event-id'));
    if (broken++ >= times) return response;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let left = bytes;
    const cut = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value = new Uint8Array() } = await reader.read();
        controller.enqueue(value.subarray(0, left));
        left -= value.length;
        if (left > 0) return;
        await reader.cancel();
        controller.error(new Error('cut'));
      },
    });
    return new Response(cut, { status: response.status, headers: response.headers });
  };
  return { client: createClient({ url, token: server.token, fetch: fetchBroken }), connections };
}

async function speak(count: number): Promise<{ sessionId: string; runId: string }> {
  const { session_id } = await client.sessions.create({ agent: 'external' });
  const { run_id } = await client.runs.start(session_id, { input: {} });
  for (let n = 0; n < count; n++) await client.runs.output(run_id, { text: `${n} ${'ü'.repeat(n)}` });
  await client.runs.complete(run_id);
  return { sessionId: session_id, runId: run_id };
}

async function collect(events: AsyncIterable<EventView>, until: (event: EventView) => boolean): Promise<EventView[]> {
  const seen: EventView[] = [];
  for await (const event of events) {
    seen.push(event);
    if (until(event)) break;
  }
  return seen;
}

describe('a stream that breaks', () => {
  it.each([700, 1500, 4001])('yields each event once and in order when it breaks every %i bytes', async (bytes) => {
    const { sessionId, runId } = await speak(30);
    const { client: broken, connections } = breaking(bytes, 200);
    const seen = await collect(broken.events.followSession(sessionId), (e) => e.type === 'completed');
    const { items } = await client.events.ofSession(sessionId, { limit: 500 });
    expect(seen).toEqual(items.slice(0, seen.length));
    expect(seen.at(-1)?.run_id).toBe(runId);
    expect(connections.length).toBeGreaterThan(2);
  });

  it('misses no event when it breaks before its first event', async () => {
    const { client: broken, connections } = breaking(1, 1);
    const seen = collect(broken.events.follow(), (e) => e.type === 'completed');
    await expect.poll(() => connections.length).toBeGreaterThan(0);
    const { sessionId } = await speak(3);
    const { items } = await client.events.ofSession(sessionId, { limit: 500 });
    expect((await seen).filter((e) => e.session_id === sessionId)).toEqual(items);
    expect(connections[0]).toBeNull();
    expect(connections[1]).toMatch(/^\d+$/);
  });
});

describe('a stream that ends', () => {
  it('ends when its signal is aborted', async () => {
    const stop = new AbortController();
    const seen = collect(client.events.follow({ after: 0, signal: stop.signal }), () => false);
    await speak(1);
    stop.abort();
    expect((await seen).length).toBeGreaterThan(0);
  });

  it('ends with the refusal when there is nothing to follow', async () => {
    const error = await collect(client.events.followRun('run_unknown'), () => false).catch((e: unknown) => e);
    expect((error as Error).cause).toBeInstanceOf(HoldpointProblem);
    expect((error as Error).cause).toMatchObject({ code: 'run_not_found' });
  });
});
