// The streams of the door, read by the published SDK: what is asked and how it ends, live, by folder and for all folders,
// over a restart of the server.
import { createOpencodeClient } from '@opencode-ai/sdk/v2';
import { expect, it, vi } from 'vitest';
import {
  allow,
  answer,
  decide,
  held,
  newSession,
  ok,
  picks,
  raiseApproval,
  raiseQuestion,
  startRun,
} from '../../support/api-calls.ts';
import { openServer } from '../../support/server.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { openStream } from '../../support/stream.ts';
import { basic, follow, permissionId, questionId, sdk } from './test-bed.ts';

const server = serverForAll();

it('begins with server.connected and sends what is asked and replied, in the order of the log', async () => {
  const client = await sdk(server, { directory: '/srv/live' });
  const stream = await follow(client);
  expect(stream.events[0]).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type: 'server.connected',
    properties: {},
  });
  const h = await held(server, { kind: 'approval' }, { work_folder: '/srv/live' });
  const asked = await stream.until('permission.asked');
  expect((await client.permission.list()).data).toEqual([asked.properties]);
  const call = stream.events.find((event) => event.type === 'message.part.updated');
  expect(stream.events.indexOf(call ?? asked)).toBeLessThan(stream.events.indexOf(asked));
  expect(call).toMatchObject({ properties: { part: { messageID: asked.properties.tool?.messageID } } });
  await client.permission.reply({ requestID: asked.properties.id, reply: 'once' });
  const replied = await stream.until('permission.replied');
  expect(replied.properties).toEqual({ sessionID: h.sessionId, requestID: asked.properties.id, reply: 'once' });

  const question = await raiseQuestion(server, h.runId);
  const { properties } = await stream.until('question.asked');
  expect((await client.question.list()).data).toEqual([properties]);
  await ok(answer(server, { ...h, ask: question }, picks('local')));
  const answered = await stream.until('question.replied');
  expect(answered.properties).toEqual({ sessionID: h.sessionId, requestID: properties.id, answers: [['Local']] });
  const second = await raiseQuestion(server, h.runId);
  await client.question.reject({ requestID: questionId(second.ask_id) });
  await stream.until('question.rejected', (e) => e.properties.requestID === questionId(second.ask_id));
  stream.stop();
});

it('tells a client that an ask ended elsewhere: cancelled, expired and withdrawn asks are rejected', async () => {
  const stream = await follow(await sdk(server));
  const h = await held(server, { kind: 'approval' });
  const withdrawn = await raiseQuestion(server, h.runId);
  await ok(server.post(`/v1/asks/${withdrawn.ask_id}/withdraw`));
  await stream.until('question.rejected', (e) => e.properties.requestID === questionId(withdrawn.ask_id));
  await ok(server.post(`/v1/runs/${h.runId}/cancel`));
  const { properties } = await stream.until(
    'permission.replied',
    (e) => e.properties.requestID === permissionId(h.ask.ask_id),
  );
  expect(properties.reply).toBe('reject');
  await stream.until('session.status', (e) => e.properties.status.type === 'idle');
  stream.stop();
});

it('shows a stream with a directory nothing of other folders, and the global stream every folder', async () => {
  const here = await follow(await sdk(server, { directory: '/srv/here' }));
  const client = await sdk(server);
  const { stream } = await client.global.event();
  const first = await stream.next();
  expect(first.value).toEqual({ payload: { id: expect.any(String), type: 'server.connected', properties: {} } });
  const there = await held(server, { kind: 'approval' }, { work_folder: '/srv/there/' });
  const own = await held(server, { kind: 'approval' }, { work_folder: '/srv/here' });
  await here.until('permission.asked');
  expect(JSON.stringify(here.events)).not.toContain(there.sessionId);
  const raised = [there, own].map(({ ask }) => permissionId(ask.ask_id));
  const directories = new Map<string, string>();
  for await (const event of stream) {
    const { directory, payload } = event as {
      directory: string;
      payload: { type: string; properties: { id: string } };
    };
    if (raised.includes(payload.properties.id)) directories.set(payload.properties.id, directory);
    if (directories.size === 2) break;
  }
  expect(Object.fromEntries(directories)).toEqual({
    [permissionId(there.ask.ask_id)]: '/srv/there',
    [permissionId(own.ask.ask_id)]: '/srv/here',
  });
  here.stop();
});

it('begins the global stream with what is pending, each approval after its tool call', async () => {
  const approval = await held(server, { kind: 'approval' }, { work_folder: '/srv/before' });
  const question = await held(server);
  const { stream } = await (await sdk(server)).global.event();
  const seen: string[] = [];
  for await (const event of stream) {
    const { payload } = event as { payload: { type: string; properties: { id?: string; part?: { callID: string } } } };
    seen.push(String(payload.properties.id ?? payload.properties.part?.callID ?? payload.type));
    if (seen.includes(questionId(question.ask.ask_id))) break;
  }
  expect(seen[0]).toBe('server.connected');
  const asked = seen.indexOf(permissionId(approval.ask.ask_id));
  expect(seen[asked - 1]).toBe(approval.ask.tool_call_id);
});

it('sends nothing about an approval that a rule decides when it is raised', async () => {
  const stream = await follow(await sdk(server));
  const session = await newSession(server, { permissions: 'autonomous' });
  const run = await startRun(server, session.session_id);
  const decided = await raiseApproval(server, run.run_id);
  const h = await held(server, { kind: 'approval' });
  await stream.until('permission.asked', (e) => e.properties.id === permissionId(h.ask.ask_id));
  expect(JSON.stringify(stream.events)).not.toContain(permissionId(decided.ask_id));
  stream.stop();
});

it('lets a client come back after a restart and find what was asked and settled meanwhile', async () => {
  const own = await openServer();
  try {
    const before = await follow(await sdk(own));
    const h = await held(own, { kind: 'approval' });
    await before.until('permission.asked');
    await own.restart();
    await expect.poll(() => before.isOver()).toBe(true);
    const missed = await raiseApproval(own, h.runId);
    await ok(decide(own, h.runId, allow(h.ask.ask_id)));
    const client = await sdk(own);
    const after = await follow(client);
    expect((await client.permission.list()).data?.map(({ id }) => id)).toEqual([permissionId(missed.ask_id)]);
    await client.permission.reply({ requestID: permissionId(missed.ask_id), reply: 'once' });
    await after.until('permission.replied', (e) => e.properties.requestID === permissionId(missed.ask_id));
    after.stop();
  } finally {
    await own.close();
  }
});

it('reconnects the SDK by itself when its connection breaks', async () => {
  const broken: AbortController[] = [];
  const fetchOnce = async (input: string | URL | Request, init?: RequestInit) => {
    const cut = new AbortController();
    broken.push(cut);
    return fetch(input, { ...init, signal: AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]) });
  };
  const client = createOpencodeClient({
    baseUrl: `${await server.url()}/opencode`,
    headers: { authorization: basic(server.token) },
    fetch: fetchOnce as typeof fetch,
  });
  const stop = new AbortController();
  const { stream } = await client.event.subscribe({}, { signal: stop.signal, sseDefaultRetryDelay: 1 });
  const types: string[] = [];
  for await (const event of stream) {
    types.push((event as { type: string }).type);
    if (types.length === 1) broken[0]?.abort();
    if (types.filter((type) => type === 'server.connected').length === 2) break;
  }
  expect(types).toEqual(['server.connected', 'server.connected']);
  stop.abort();
});

it('sends server.heartbeat every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const own = await openServer();
  try {
    const stream = await openStream(own, '/opencode/event');
    const types = () => stream.frames.map(({ data }) => (JSON.parse(data) as { type: string }).type);
    await stream.until((s) => s.frames.length === 1);
    vi.advanceTimersByTime(10_000);
    await stream.until((s) => s.frames.length === 2);
    expect(types()).toEqual(['server.connected', 'server.heartbeat']);
    stream.close();
  } finally {
    vi.useRealTimers();
    await own.close();
  }
});

it('ends the stream of a token that is revoked, and counts streams as streams, not as reads', async () => {
  const { token, token_id } = await server.makeToken('viewer');
  const client = await sdk(server, { token });
  const streams = [await follow(client), await follow(client), await follow(client)];
  expect((await client.permission.list()).response?.status).toBe(200);
  await ok(server.call('DELETE', `/v1/tokens/${token_id}`));
  for (const stream of streams) await expect.poll(() => stream.isOver()).toBe(true);
});
