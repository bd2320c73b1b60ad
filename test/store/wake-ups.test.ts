// Two servers on one database: what one does the other shows at once, with notifications or, behind a transaction-mode
// pooler, without them; and both keep the database's time, however wrong their own clocks are.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { AskView, EventView, RunView } from '../../src/core/views.ts';
import { openStream, type Sent, send } from '../support/http.ts';
import { type Holdpoint, root, startHoldpoint } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';
import { Eavesdropper } from './eavesdropper.ts';

const SHARED = { HOLDPOINT_TOKEN: 'shared', HOLDPOINT_SECRET_KEY: Buffer.alloc(32, 3).toString('base64url') };
const QUESTION = { kind: 'question', questions: [{ id: 'which', question: 'Which?' }] };

const postgres = postgresForAll();

const caller =
  ({ url }: Holdpoint) =>
  <T>(sent: Sent) =>
    send<T>(url, { token: SHARED.HOLDPOINT_TOKEN, ...sent });
type Call = ReturnType<typeof caller>;

async function raise(call: Call, toolCallId: string, more: object = {}): Promise<AskView> {
  const session_id = `of-${toolCallId}`;
  await call({ path: '/v1/sessions', body: { session_id, agent: 'external' } });
  const path = `/v1/sessions/${session_id}/runs`;
  const run = await call<RunView>({ path, body: { input: { text: 'x' } } });
  const body = { ...QUESTION, tool_call_id: toolCallId, ...more };
  return (await call<AskView>({ path: `/v1/runs/${run.body.run_id}/asks`, body })).body;
}

const answer = (call: Call, { run_id, ask_id }: AskView) =>
  call<{ code?: string }>({
    path: `/v1/runs/${run_id}/questions`,
    body: { resolution: { request_id: ask_id, answers: [{ question_id: 'which', freeform_answer: 'this' }] } },
  });

describe.each([
  ['with notifications', false],
  ['behind a transaction-mode pooler', true],
])('two servers %s', (_, pooled) => {
  it('wake each other: a poll and a stream at one, the answer at the other', async () => {
    const database = await postgres.database();
    const line = await Eavesdropper.open(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.port = String(line.port);
    if (pooled) url.searchParams.set('pooled', 'true');
    const env = { ...SHARED, HOLDPOINT_DATABASE_URL: url.href };
    const servers = await Promise.all([1, 2].map(() => startHoldpoint({ via: 'main', env, args: ['--no-worker'] })));
    const [here, there] = servers as [Holdpoint, Holdpoint];
    const ask = await raise(caller(here), 'waking');
    const seen: string[] = [];
    const stream = await openStream(here.url, { path: '/v1/events', token: SHARED.HOLDPOINT_TOKEN });
    const heard = (async () => {
      for await (const { data } of stream.events) {
        const { type } = JSON.parse(data) as EventView;
        seen.push(type);
        if (type === 'ask.claimed') return;
      }
    })();
    const polled = caller(here)<AskView>({ path: `/v1/asks/${ask.ask_id}?wait_ms=30000` });
    await sleep(300);
    expect((await answer(caller(there), ask)).status).toBe(202);
    expect((await polled).body.status).toBe('answered');
    await heard;
    expect(seen.at(-1)).toBe('ask.claimed');
    stream.close();
    // A pooler gives each transaction another connection: neither may count on meeting the same one again.
    expect(line.listens > 0).toBe(!pooled);
    expect(line.named > 0).toBe(!pooled);
    for (const server of servers) await server.end('SIGKILL');
    line.close();
  }, 120_000);
});

it('keeps the time of the database on servers whose clocks are a minute off', async () => {
  const { url } = await postgres.database();
  const start = (offsetMs: number) =>
    startHoldpoint({
      via: 'main',
      args: ['--no-worker'],
      env: {
        ...SHARED,
        HOLDPOINT_DATABASE_URL: url,
        NODE_OPTIONS: `--import ${join(root, 'test', 'faults', 'skewed-clock.mjs')}`,
        FAULTS_CLOCK_OFFSET_MS: String(offsetMs),
      },
    });
  const servers = await Promise.all([start(60_000), start(-60_000)]);
  const [ahead, behind] = servers.map(caller) as [Call, Call];
  const long = [await raise(ahead, 'long-ahead', { expires_after_ms: 30_000 })];
  long.push(await raise(behind, 'long-behind', { expires_after_ms: 30_000 }));
  for (const ask of long) expect(Math.abs((ask.expires_at_ms ?? 0) - ask.created_at_ms - 30_000)).toBeLessThan(2);
  // This process has the same clock as the database. Half a minute is far from both of the wrong clocks.
  for (const ask of long) expect(Math.abs(ask.created_at_ms - Date.now())).toBeLessThan(30_000);
  // Raised by one clock, judged by the other: still open.
  expect((await answer(behind, long[0] as AskView)).status).toBe(202);
  expect((await answer(ahead, long[1] as AskView)).status).toBe(202);

  const short = [await raise(ahead, 'short-ahead', { expires_after_ms: 1200 })];
  short.push(await raise(behind, 'short-behind', { expires_after_ms: 1200 }));
  for (const call of [ahead, behind])
    for (const { ask_id } of short) {
      const ended = await call<AskView>({ path: `/v1/asks/${ask_id}?wait_ms=20000` });
      expect(ended.body.status).toBe('expired');
      expect(ended.body.answer?.answered_at_ms).toBeGreaterThanOrEqual(ended.body.expires_at_ms ?? 0);
    }
  for (const [call, ask] of [
    [ahead, short[1]],
    [behind, short[0]],
  ] as [Call, AskView][])
    expect((await answer(call, ask)).body.code).toBe('question_expired');
  for (const server of servers) await server.end('SIGKILL');
}, 120_000);

it('a client of the 2025 protocol asked at its own screen may reply to either of two servers', async () => {
  const database = await postgres.database();
  const env = { ...SHARED, HOLDPOINT_DATABASE_URL: database.url };
  const servers = await Promise.all([1, 2].map(() => startHoldpoint({ via: 'main', env, args: ['--no-worker'] })));
  const [here, there] = servers as [Holdpoint, Holdpoint];
  const call = caller(here);
  await call({ path: '/v1/sessions', body: { session_id: 'mcp', agent: 'external' } });
  const { body: made } = await call<{ token: string }>({
    path: '/v1/tokens',
    body: { scope: 'agent', session_id: 'mcp' },
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { which: 'this' } }));
  const served: string[] = [];
  // What the client is asked comes on the stream of its call; what it replies goes to the other server.
  const fetchFrom = (_: unknown, init?: RequestInit) => {
    const message = JSON.parse(String(init?.body ?? '{}')) as { method?: string; result?: unknown };
    const { url } = message.method === 'tools/call' ? here : there;
    served.push(`${message.method ?? (message.result ? 'reply' : 'listen')} ${url === here.url ? 'here' : 'there'}`);
    return fetch(`${url}/mcp`, init);
  };
  const requestInit = { headers: { authorization: `Bearer ${made.token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${here.url}/mcp`), { requestInit, fetch: fetchFrom }),
  );
  const questions = [{ id: 'which', question: 'Which?' }];
  const told = await client.callTool({ name: 'ask_user', arguments: { questions } }, { onprogress: () => {} });
  expect(JSON.stringify(told)).toContain('Which?: this');
  expect(served).toEqual(expect.arrayContaining(['initialize there', 'tools/call here', 'reply there']));
  await client.close();
}, 120_000);
