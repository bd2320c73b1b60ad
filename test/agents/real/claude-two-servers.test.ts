// A person's own Claude Code whose hook calls are spread over two servers on one PostgreSQL, call by call, as a load
// balancer would: it asks, is answered and settles as with one server. The real binary in a real pseudo-terminal.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../../support/process.ts';
import { endTerminals, hasPty, KEYS } from '../../support/pty.ts';
import { claude, claudeVersion } from './binaries.ts';
import { asksColour, BLUE, touch } from './claude-calls.ts';
import { ClaudeTerminal } from './claude-terminal.ts';
import { ClaudeTestBed } from './claude-test-bed.ts';

const SHARED = {
  HOLDPOINT_TOKEN: 'operator-of-both-servers',
  HOLDPOINT_SECRET_KEY: Buffer.from('one secret key for both servers!').toString('base64url'),
};
const servers: Holdpoint[] = [];
/** Which server received which events. */
const received: string[][] = [[], []];
let calls = 0;
const balancer = createServer((request, response) => void pass(request, response));

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const at = calls++ % 2;
  received[at]?.push(JSON.parse(body).hook_event_name);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = { authorization: String(request.headers.authorization), 'content-type': 'application/json' };
  const to = `${servers[at]?.url}${request.url}`;
  const reply = await fetch(to, { method: 'POST', headers, body, signal: gone.signal }).catch(() => undefined);
  if (!reply) return void response.destroy();
  response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
}

let postgres: PostgresServer;
let testBed: ClaudeTestBed;
let own: ClaudeTerminal;
beforeAll(async () => {
  postgres = await startPostgres();
  const env = { ...SHARED, HOLDPOINT_DATABASE_URL: (await postgres.database()).url };
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  testBed = await ClaudeTestBed.open({ concurrency: 0 });
  const through = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  own = await ClaudeTerminal.open(testBed, { env, through });
  servers.push(own.server, await startHoldpoint({ via: 'main', env }));
}, 180_000);
afterAll(async () => {
  endTerminals();
  balancer.close();
  balancer.closeAllConnections();
  await endEverything();
  await postgres.stop();
  await testBed.close();
});

describe.skipIf(!claude || !hasPty)(`Claude Code ${claudeVersion}: attached to two servers`, () => {
  it('asks, is answered here and at its terminal, and every ask is settled', async () => {
    testBed.model.play([
      [touch('x', 'toolu_b1')],
      [touch('y', 'toolu_b2')],
      asksColour('toolu_b3'),
      [touch('z', 'toolu_b4')],
      [{ text: 'All done.' }],
    ]);
    const { terminal, folder } = own.start('make x and y');
    const first = await own.pending();
    await own.bed.decide(first, { behavior: 'allow' });
    const second = await own.pending(({ ask_id }) => ask_id !== first.ask_id);
    await own.bed.decide(second, { behavior: 'deny', reason: 'not y' });
    await own.bed.answer(await own.pending(({ kind }) => kind === 'question'), BLUE);
    const last = await own.pending(({ kind }) => kind === 'approval');
    await terminal.shows('❯ 1. Yes');
    await sleep(500);
    terminal.type(KEYS.enter);
    await terminal.shows('All done.');
    expect(testBed.files({ folder })).toEqual(['x', 'z']);
    expect(testBed.result('toolu_b2')?.text).toContain('not y');
    expect(testBed.result('toolu_b3')?.text).toContain('"Which colour?"="Blue"');
    expect(await own.bed.over(first.run_id)).toMatchObject({ status: 'completed' });
    const { items } = await own.bed.api.asks.list({ session_id: first.session_id });
    expect(items.map(({ status, delivery }) => [status, delivery.state])).toEqual([
      ['answered', 'delivered'],
      ['answered', 'delivered'],
      ['answered', 'delivered'],
      ['cancelled', 'delivered'],
    ]);
    expect(new Set(items.map(({ run_id }) => run_id))).toEqual(new Set([last.run_id]));
    for (const events of received) expect(events.length).toBeGreaterThan(3);
    await terminal.end();
  });
});
