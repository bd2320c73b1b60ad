// Fault run of notices: two servers on one PostgreSQL, killed and started again, browsers and webhooks whose providers are
// down, slow, limit the rate, take a message without saying so, or get it twice. Then everything is let settle and audited.
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { DeviceView, NewWebhookView } from '../../src/core/notice-views.ts';
import type { AskView, NewTokenView, RunView } from '../../src/core/views.ts';
import { freePort, startPostgres } from '../support/postgres.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import { PushService, type TestBrowser } from '../support/push-service.ts';
import { randomOf } from '../support/seeded-random.ts';
import { SHARED } from '../support/shared-database.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { auditNotices } from './notices-audit.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: 'notices-1' },
    sessions: { type: 'string', default: '12' },
  },
});
const until = Date.now() + Number(values.minutes) * 60_000;
const random = randomOf(values.seed);
const between = (low: number, high: number) => random.int(low, high - 1);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const isRunning = () => Date.now() < until;
const counts = { kills: 0, moods: 0, retries: 0 };

const postgres = await startPostgres();
const database = await postgres.database();
const ports = [await freePort(), await freePort()];
const env = {
  ...SHARED,
  HOLDPOINT_DATABASE_URL: database.url,
  HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1',
  HOLDPOINT_LOG: 'fatal',
};
const startNode = (port: number) => startHoldpoint({ via: 'main', args: ['--port', String(port), '--no-worker'], env });
const nodes: Holdpoint[] = [];
for (const port of ports) nodes.push(await startNode(port));

/** At any server, until one replies. */
async function call<T>(path: string, body: object, token = SHARED.HOLDPOINT_TOKEN): Promise<T> {
  for (;;) {
    try {
      const url = `http://127.0.0.1:${ports[between(0, ports.length)]}${path}`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5000),
      });
      if (reply.ok || reply.status === 409) return (await reply.json()) as T;
      if (reply.status < 500) throw new Refused(`${path}: ${reply.status} ${await reply.text()}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    counts.retries += 1;
    await pause(50);
  }
}
class Refused extends Error {}

const service = await PushService.start();
const browsers = new Map<string, TestBrowser>();
for (const name of ['ana', 'ben', 'cleo']) {
  const browser = service.browser();
  const { token } = await call<NewTokenView>('/v1/tokens', { scope: 'operator', name });
  const body = { subscription: browser.subscription, label: name };
  browsers.set((await call<DeviceView>('/v1/notices/devices', body, token)).device_id, browser);
}
const receivers = new Map<string, WebhookReceiver>();
for (const name of ['ops', 'log']) {
  const receiver = await WebhookReceiver.start();
  const events = ['ask.raised', 'ask.ended'];
  const { webhook_id, secret } = await call<NewWebhookView>('/v1/webhooks', { url: receiver.url, name, events });
  receiver.secret = secret;
  receivers.set(webhook_id, receiver);
}

type Provider = { mood: (response: import('node:http').ServerResponse, take: () => void) => void };
const ready: Provider['mood'] = (response, take) => {
  take();
  response.writeHead(201).end();
};
const MOODS: Provider['mood'][] = [
  ready,
  ready,
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(429, { 'retry-after': '2' }).end(),
  (response) => response.destroy(),
  (response, take) => {
    take();
    response.destroy();
  },
  (response, take) => {
    take();
    take();
    response.writeHead(201).end();
  },
  (response, take) => void setTimeout(() => ready(response, take), 3000),
  (_, take) => take(),
];

async function mischief(provider: Provider): Promise<void> {
  while (isRunning()) {
    provider.mood = MOODS[between(0, MOODS.length)] ?? ready;
    counts.moods += 1;
    await pause(between(500, 4000));
  }
  provider.mood = ready;
}

async function killing(): Promise<void> {
  while (isRunning()) {
    await pause(between(4000, 12_000));
    const victim = between(0, nodes.length);
    await nodes[victim]?.end('SIGKILL');
    counts.kills += 1;
    await pause(between(0, 3000));
    nodes[victim] = await startNode(ports[victim] ?? 0);
  }
}

const asks: { askId: string; sessionId: string }[] = [];
async function session(n: number): Promise<void> {
  const sessionId = `faulty-${n}`;
  await call('/v1/sessions', { session_id: sessionId, agent: 'external', title: `Session ${n}` });
  const { run_id } = await call<RunView>(`/v1/sessions/${sessionId}/runs`, {
    input: { text: 'x' },
    idempotency_key: `run-${n}`,
  });
  for (let i = 0; isRunning(); i++) {
    // Several at once become one message on a device, unless they are answered before it is sent.
    const together = random.chance(0.4) ? between(2, 5) : 1;
    const raised: string[] = [];
    for (let j = 0; j < together; j++) {
      const toolCallId = `call-${i}-${j}`;
      const body = { kind: 'approval', tool_call_id: toolCallId, tool_name: 'Bash', input: { command: toolCallId } };
      const { ask_id: askId } = await call<AskView>(`/v1/runs/${run_id}/asks`, body);
      asks.push({ askId, sessionId });
      raised.push(askId);
    }
    await pause(together > 1 ? between(0, 16_000) : between(0, 6000));
    for (const askId of raised) {
      const resolutions = [{ request_id: askId, behavior: random.chance(0.5) ? 'allow' : 'deny' }];
      await call(`/v1/runs/${run_id}/approvals`, { resolutions });
      await pause(between(0, 1500));
    }
  }
}

await Promise.all([
  ...[service, ...receivers.values()].map((provider) => mischief(provider as Provider)),
  killing(),
  ...Array.from({ length: Number(values.sessions) }, (_, n) => session(n)),
]);

/** Backoffs grow to an hour: what waits is due now, as if that time had passed. */
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const settleUntil = Date.now() + 5 * 60_000;
for (;;) {
  await client.query(`UPDATE notices SET due_at = 1 WHERE state = 'due' AND due_at > 1`);
  const { rows } = await client.query(
    `SELECT (SELECT COUNT(*) FROM notices WHERE due_at IS NOT NULL) AS open,
       (SELECT MAX(seq) FROM events WHERE type IN ('ask.raised', 'ask.claimed')) <= (SELECT seq FROM notice_cursor) AS planned`,
  );
  if ((Number(rows[0].open) === 0 && rows[0].planned) || Date.now() > settleUntil) break;
  await pause(500);
}
const { rows } = await client.query(
  `SELECT id, event, ask_id AS "askId", contact_id AS "contactId", channel, handle, state, attempts, reason, created_at AS "createdAt" FROM notices`,
);
const { rows: events } = await client.query(
  `SELECT session_id AS "sessionId", ask_id AS "askId", type FROM events WHERE type IN ('ask.raised', 'ask.claimed') ORDER BY seq`,
);
const ended = await client.query(`SELECT id, (answer::json ->> 'answered_at_ms')::float8 AS at FROM asks`);
const endedAt = new Map<string, number>(ended.rows.map(({ id, at }) => [id, Number(at)]));
await client.end();

const problems = auditNotices({ asks, events, endedAt, notices: rows, browsers, receivers });
const pushes = [...browsers.values()].reduce((sum, { received }) => sum + received.length, 0);
const hooks = [...receivers.values()].reduce((sum, { received }) => sum + received.length, 0);
const distinct = [...receivers.values()].reduce((sum, receiver) => sum + receiver.distinct().length, 0);
const of = (state: string) => rows.filter((row) => row.state === state).length;
console.log(
  JSON.stringify({
    seed: values.seed,
    minutes: Number(values.minutes),
    asks: asks.length,
    notices: rows.length,
    accepted: of('accepted'),
    cancelled: of('cancelled'),
    attempts: rows.reduce((sum, row) => sum + Number(row.attempts), 0),
    most_attempts: Math.max(...rows.map((row) => Number(row.attempts))),
    pushes_received: pushes,
    webhooks_received: hooks,
    webhooks_distinct: distinct,
    messages_of_several: new Set(rows.map((row) => row.handle).filter((handle) => handle.startsWith('several '))).size,
    never_told: asks.filter(({ askId }) => !rows.some((row) => row.askId === askId && row.channel === 'push')).length,
    ...counts,
    problems: problems.length,
  }),
);
for (const problem of problems.slice(0, 50)) console.error(problem);
await endEverything();
await service.stop();
for (const receiver of receivers.values()) await receiver.stop();
await postgres.stop();
process.exit(problems.length === 0 ? 0 : 1);
