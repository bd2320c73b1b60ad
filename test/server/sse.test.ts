// Live streams: a cursor over the log. No event is lost, repeated or out of order, whether a reader connects early or late,
// resumes, begins with a snapshot, is slow, or is one of hundreds.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/core/ports.ts';
import type { AskView, EventView } from '../../src/core/views.ts';
import { Feed } from '../../src/gateway/feed.ts';
import {
  answer,
  callId,
  eventsOfSession,
  eventually,
  held,
  newSession,
  ok,
  raiseApproval,
  raiseQuestion,
  resolution,
  startRun,
} from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';
import { openStream, type Stream } from '../support/stream.ts';

let server: Server;
const open: Stream[] = [];
beforeAll(async () => {
  server = await openServer();
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await server.close();
});

async function stream(path: string, headers: Record<string, string> = {}, token?: string): Promise<Stream> {
  const opened = await openStream(server, path, { headers, ...(token !== undefined && { token }) });
  open.push(opened);
  return opened;
}

const say = (runId: string, text: string) => ok(server.post(`/v1/runs/${runId}/output`, { text }));
const textsOf = (s: Stream) =>
  s
    .events()
    .filter((e) => e.type === 'output')
    .map((e) => e.data.text);
const seqsOf = (events: readonly EventView[]) => events.map((e) => e.seq);
const atWork = async () => {
  const { session_id: sessionId } = await newSession(server);
  return { sessionId, runId: (await startRun(server, sessionId)).run_id };
};

describe('a stream', () => {
  it('tells an agent nothing of who has looked, in pages neither', async () => {
    const h = await held(server);
    const { token } = await server.makeToken('agent', h.sessionId);
    const path = `/v1/sessions/${h.sessionId}/events`;
    const [agent, operator] = [await stream(path, {}, token), await stream(path)];
    await server.post(`/v1/asks/${h.ask.ask_id}/seen`, {});
    await say(h.runId, 'after');
    await eventually(() => expect(textsOf(agent)).toEqual(['after']));
    await eventually(() => expect(operator.events().map((e) => e.type)).toContain('ask.seen'));
    expect(agent.events().map((e) => e.type)).not.toContain('ask.seen');
    const page = await ok(server.get<EventView[]>(path, { token }));
    expect(page.map((e) => e.type)).not.toContain('ask.seen');
  });

  it('sends text/event-stream with seq as id and the events of the pages', async () => {
    const h = await held(server);
    const s = await stream(`/v1/sessions/${h.sessionId}/events`);
    expect(s.status).toBe(200);
    expect(s.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(s.headers['cache-control']).toBe('no-store');
    await ok(answer(server, h));
    const pages = await eventsOfSession(server, h.sessionId);
    await s.until((x) => x.frames.length >= pages.length);
    expect(s.events()).toEqual(pages);
    expect(s.frames.map((f) => f.id)).toEqual(pages.map((e) => String(e.seq)));
  });

  it('begins at the first event for a session or a run, and at the present for all sessions', async () => {
    const { sessionId, runId } = await atWork();
    const [all, session, run] = await Promise.all([
      stream('/v1/events'),
      stream(`/v1/sessions/${sessionId}/events`),
      stream(`/v1/runs/${runId}/events`),
    ]);
    await say(runId, 'hello');
    for (const s of [all, session, run]) await s.until((x) => textsOf(x).length === 1);
    expect(all.events().every((e) => e.type === 'output' || e.type === 'item.posted')).toBe(true);
    expect(session.events()[0]?.type).toBe('session.created');
    expect(run.events()[0]?.type).toBe('accepted');
  });

  it('resumes by Last-Event-ID or ?after, the larger one winning', async () => {
    const { sessionId, runId } = await atWork();
    for (const text of ['a', 'b', 'c']) await say(runId, text);
    const events = await eventsOfSession(server, sessionId);
    const path = `/v1/sessions/${sessionId}/events`;
    const [low, high] = [events[2]?.seq ?? 0, events.at(-3)?.seq ?? 0];
    const cases: [string, Record<string, string>, number][] = [
      [path, { 'last-event-id': String(low) }, low],
      [`${path}?after=${low}`, {}, low],
      [`${path}?after=${low}`, { 'last-event-id': String(high) }, high],
      [`${path}?after=${high}`, { 'last-event-id': String(low) }, high],
      [`${path}?after=${low}`, { 'last-event-id': 'garbage' }, low],
    ];
    for (const [at, headers, after] of cases) {
      const s = await stream(at, headers);
      const expected = seqsOf(events.filter((e) => e.seq > after));
      await s.until((x) => x.frames.length >= expected.length);
      expect(seqsOf(s.events())).toEqual(expected);
    }
  });

  it('sends every event once when it is cut at any point and resumed', async () => {
    const { sessionId, runId } = await atWork();
    const path = `/v1/sessions/${sessionId}/events`;
    const seen: EventView[] = [];
    for (let round = 0; round < 6; round++) {
      const s = await stream(path, seen.length > 0 ? { 'last-event-id': String(seen.at(-1)?.seq) } : {});
      await say(runId, `round ${round}`);
      await s.until((x) => textsOf(x).includes(`round ${round}`));
      s.close();
      seen.push(...s.events());
      await say(runId, `between ${round}`);
    }
    const all = await eventsOfSession(server, sessionId);
    expect(seqsOf(seen)).toEqual(seqsOf(all).slice(0, seen.length));
  });

  it('resumes by its cursor after a restart', async () => {
    const { sessionId, runId } = await atWork();
    const path = `/v1/sessions/${sessionId}/events`;
    const before = await stream(path);
    await say(runId, 'before');
    await before.until((x) => textsOf(x).length === 1);
    await server.restart();
    await before.ended;
    await say(runId, 'after');
    const last = before.events().at(-1)?.seq;
    const s = await stream(path, { 'last-event-id': String(last) });
    await s.until((x) => textsOf(x).length === 1);
    expect([...before.events(), ...s.events()].map((e) => e.seq)).toEqual(
      seqsOf(await eventsOfSession(server, sessionId)).slice(0, before.events().length + s.events().length),
    );
  });
});

describe('a stream with snapshot=true', () => {
  it('begins with the pending asks and the cursor they are true for', async () => {
    const h = await held(server);
    const s = await stream(`/v1/sessions/${h.sessionId}/events?snapshot=true`);
    await s.until((x) => x.frames.length > 0);
    const [first] = s.frames;
    const snapshot = JSON.parse(first?.data ?? '{}') as { cursor: number; asks: AskView[]; more: boolean };
    expect(first).toMatchObject({ event: 'snapshot', id: String(snapshot.cursor) });
    expect(snapshot).toMatchObject({ asks: [{ ask_id: h.ask.ask_id, status: 'pending' }], more: false });
    await ok(answer(server, h));
    await s.until((x) => x.events().some((e) => e.type === 'ask.claimed'));
    expect(s.events().every((e) => e.seq > snapshot.cursor)).toBe(true);
  });

  it('neither loses nor repeats an ask between snapshot and live events', async () => {
    const { sessionId, runId } = await atWork();
    const raising = Array.from({ length: 40 }, async () => {
      const ask = await raiseQuestion(server, runId);
      if (Math.random() < 0.5) await ok(server.post(`/v1/runs/${runId}/questions`, resolution(ask.ask_id)));
    });
    const streams = await Promise.all(
      Array.from({ length: 8 }, () => stream(`/v1/sessions/${sessionId}/events?snapshot=true`)),
    );
    await Promise.all(raising);
    const pending = await ok(server.get<AskView[]>(`/v1/asks?session_id=${sessionId}&status=pending&limit=500`));
    const log = await eventsOfSession(server, sessionId);
    for (const s of streams) {
      await s.until((x) => x.events().at(-1)?.seq === log.at(-1)?.seq || x.frames[0]?.id === String(log.at(-1)?.seq));
      const { cursor, asks } = JSON.parse(s.frames[0]?.data ?? '{}') as { cursor: number; asks: AskView[] };
      expect(seqsOf(s.events())).toEqual(seqsOf(log.filter((e) => e.seq > cursor)));
      const inbox = new Set(asks.map((a) => a.ask_id));
      for (const event of s.events()) {
        if (event.type === 'ask.raised') inbox.add(String(event.ask_id));
        if (event.type === 'ask.claimed') inbox.delete(String(event.ask_id));
      }
      expect([...inbox].sort()).toEqual(pending.map((a) => a.ask_id).sort());
    }
  });

  it('repeats no event after a snapshot that exceeds the buffer of the socket', async () => {
    const { sessionId, runId } = await atWork();
    const bulk = { questions: [{ question: 'x'.repeat(15_000) }] };
    await Promise.all(Array.from({ length: 20 }, () => raiseQuestion(server, runId, bulk)));
    const s = await stream(`/v1/sessions/${sessionId}/events?snapshot=true`);
    s.pause();
    const talking = Array.from({ length: 50 }, (_, i) => say(runId, `${i}`));
    s.resume();
    await Promise.all(talking);
    await s.until((x) => textsOf(x).length >= 50);
    expect(new Set(seqsOf(s.events())).size).toBe(s.events().length);
    expect(textsOf(s)).toHaveLength(50);
  });

  it('begins every new stream of a session with all of its pending asks, also after a restart', async () => {
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

  it('leaves an ask that was answered meanwhile out of the snapshot of a client without a cursor', async () => {
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

it('sends no event twice to a follower that resumes while it is live, also with slow reads of the store', async () => {
  const { sessionId, runId } = await atWork();
  const { store } = server.ports;
  /** The real store, with the latency of a database behind a socket: a result is already old when it arrives. */
  const distant: Store = {
    reader: store.reader,
    read: async (unit) => {
      const result = await store.read(unit);
      for (let ticks = Math.floor(Math.random() * 4); ticks > 0; ticks--) await new Promise(setImmediate);
      return result;
    },
    write: (unit) => store.write(unit),
    onCommit: () => {},
    shown: () => {},
    close: async () => {},
  };
  const feed = new Feed(distant);
  await feed.start();
  const seen: number[] = [];
  const deliver = (events: readonly { seq: number }[]): boolean => {
    seen.push(...events.map((e) => e.seq));
    return seen.length % 3 !== 0;
  };
  const following = feed.follow({ filter: { sessionId }, deliver }, 0);
  let busy = true;
  const poking = (async () => {
    while (busy) {
      feed.wake();
      following.resume();
      await new Promise(setImmediate);
    }
  })();
  for (let i = 0; i < 150; i++) await say(runId, `${i}`);
  const all = seqsOf(await eventsOfSession(server, sessionId));
  await eventually(() => seen.at(-1)).toBe(all.at(-1));
  busy = false;
  await poking;
  following.stop();
  await feed.stop();
  expect(seen).toEqual(all);
});

it('keeps a slow reader connected and sends it every event', async () => {
  const { sessionId, runId } = await atWork();
  const s = await stream(`/v1/sessions/${sessionId}/events`);
  await s.until((x) => x.frames.length > 0);
  s.pause();
  const text = 'y'.repeat(450_000);
  for (let i = 0; i < 30; i++) await say(runId, `${i} ${text}`);
  const before = s.frames.length;
  s.resume();
  await s.until((x) => textsOf(x).length === 30);
  expect(before).toBeLessThan(s.frames.length);
  expect(seqsOf(s.events())).toEqual(seqsOf(await eventsOfSession(server, sessionId)).slice(0, s.events().length));
  await say(runId, 'still here');
  await s.until((x) => textsOf(x).includes('still here'));
});

it('sends one answer to 300 open streams', async () => {
  const h = await held(server);
  const kinds = [`/v1/sessions/${h.sessionId}/events`, `/v1/runs/${h.runId}/events`, '/v1/events'];
  const streams = await Promise.all(Array.from({ length: 300 }, (_, i) => stream(String(kinds[i % 3]))));
  await ok(answer(server, h));
  const isClaim = (e: EventView) => e.type === 'ask.claimed' && e.ask_id === h.ask.ask_id;
  await Promise.all(streams.map((s) => s.until((x) => x.events().some(isClaim))));
  for (const s of streams) {
    expect(s.events().filter(isClaim)).toHaveLength(1);
    s.close();
  }
});

it('ends a stream when its token is revoked', async () => {
  const h = await held(server);
  const { token, token_id } = await server.makeToken('viewer');
  const other = await stream(`/v1/sessions/${h.sessionId}/events`);
  const s = await stream(`/v1/sessions/${h.sessionId}/events`, {}, token);
  await s.until((x) => x.frames.length > 0);
  await ok(server.call('DELETE', `/v1/tokens/${token_id}`));
  await s.ended;
  await ok(answer(server, h));
  await other.until((x) => x.events().some((e) => e.type === 'ask.claimed'));
  expect(s.events().some((e) => e.type === 'ask.claimed')).toBe(false);
});

it('sends a heartbeat comment at once and every fifteen seconds, and none to an expired token', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const own = await openServer();
  try {
    const s = await openStream(own, '/v1/events');
    await s.until((x) => x.comments.length === 1);
    vi.advanceTimersByTime(15_000);
    await s.until((x) => x.comments.length === 2);
    vi.advanceTimersByTime(30_000);
    await s.until((x) => x.comments.length === 4);
    expect(s.frames).toEqual([]);
    const { token } = await own.makeToken('viewer', undefined, { expires_after_ms: 60_000 });
    const short = await openStream(own, '/v1/events', { token });
    own.advance(60_001);
    vi.advanceTimersByTime(15_000);
    await short.ended;
    await s.until((x) => x.comments.length === 5);
    s.close();
  } finally {
    vi.useRealTimers();
    await own.close();
  }
});

describe('resuming a stream', () => {
  it('sends a client that resumes with its cursor the end of an ask that was answered meanwhile', async () => {
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
});

it('shows an event on a stream only after its commit: another connection reads the ask, and it can be answered at once', async () => {
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
