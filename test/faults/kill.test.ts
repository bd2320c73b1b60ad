// kill -9 at random moments under load: what was acknowledged is stored, each agent receives each answer once, every log is
// complete. The auditor judges; auditor.test.ts tests the auditor.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { SYSTEM_SESSION } from '../../src/core/session.ts';
import type { AskView } from '../../src/core/views.ts';
import { endEverything } from '../support/process.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { audit, auditAttempts } from './auditor.ts';
import { type Account, accountOf, type Knowledge } from './knowledge.ts';
import { startLoad } from './load.ts';
import { Phoenix } from './phoenix.ts';

const KILLS = 52;
const AGENTS = 8;
const ANSWERERS = 4;
const CHECKED_AFTER_EACH_KILL = 40;

afterAll(endEverything);

it('loses no acknowledged answer, applies none twice and keeps every log whole over more than 50 kills', async () => {
  const random = seeded('kill');
  const server = await Phoenix.rise();
  const load = await startLoad(server, random, AGENTS, ANSWERERS);
  const { knowledge } = load;
  await killAgainAndAgain(server, knowledge, random.fork('kills'));
  const account = await load.rest();
  expect([...server.defects, ...audit(knowledge, account)]).toEqual([]);

  await server.kill();
  server.spawn();
  await server.up();
  expect(withoutOwn(await accountOf(server.call))).toEqual(withoutOwn(account));
  report(server, knowledge, account.asks, account.events.length);
  expect(server.kills).toBeGreaterThanOrEqual(50);
  expect(knowledge.applied.length).toBeGreaterThan(20);
  await server.kill();
}, 600_000);

/** A server that starts makes a sign-in link and says so in its own session. */
const withoutOwn = (account: Account): Account => ({
  ...account,
  events: account.events.filter((event) => event.session_id !== SYSTEM_SESSION),
});

async function killAgainAndAgain(server: Phoenix, knowledge: Knowledge, random: Random): Promise<void> {
  let checked = 0;
  for (let i = 0; i < KILLS; i++) {
    // At a moment that means nothing, just after something was sent, or while it is still starting.
    const how = random.pick(['moment', 'sent', 'sent', 'starting'] as const);
    if (how === 'moment') await applied(knowledge, 3);
    if (how === 'moment') await sleep(random.int(0, 250));
    if (how === 'sent') await server.nthChange(random.int(1, 60), 1000);
    if (how === 'sent') await sleep(random.int(0, 4));
    await server.kill();
    server.spawn();
    if (how === 'starting') {
      await sleep(random.int(50, 450));
      await server.kill();
      server.spawn();
      i++;
    }
    await server.up();
    checked = await checkAcknowledged(server, knowledge, checked);
  }
}

/** Until agents have that many answers more: a slow machine is to work between its crashes as a fast one does. */
async function applied(knowledge: Knowledge, more: number): Promise<void> {
  const wanted = knowledge.applied.length + more;
  while (knowledge.applied.length < wanted && knowledge.faults.length === 0) await sleep(10);
}

/** What was acknowledged since the last time is there, and nobody is shown it as open. */
async function checkAcknowledged(server: Phoenix, knowledge: Knowledge, from: number): Promise<number> {
  const fresh = knowledge.attempts.slice(from).filter((attempt) => attempt.result === 'acknowledged');
  const some = fresh.slice(-CHECKED_AFTER_EACH_KILL);
  const ids = new Set(some.flatMap((attempt) => attempt.decisions.map((decision) => decision.askId)));
  const pending = await server.call<AskView[]>({ path: '/v1/asks?status=pending&limit=500' });
  for (const { ask_id } of pending.body)
    if (ids.has(ask_id)) knowledge.faults.push(`ask ${ask_id} is answered, acknowledged, and listed as pending`);
  const found = await Promise.all([...ids].map((id) => server.call<AskView>({ path: `/v1/asks/${id}` })));
  knowledge.faults.push(...auditAttempts(some, { asks: found.map((response) => response.body) }));
  // Attempts that are still open are looked at again next time.
  const open = knowledge.attempts.findIndex((attempt, i) => i >= from && attempt.result === 'sent');
  return open === -1 ? knowledge.attempts.length : open;
}

function report(server: Phoenix, knowledge: Knowledge, asks: readonly AskView[], events: number): void {
  const results = Object.groupBy(knowledge.attempts, (attempt) => attempt.result);
  const ends = Object.entries(Object.groupBy(asks, (ask) => ask.status)).map(
    ([status, list]) => `${list.length} ${status}`,
  );
  console.log(
    `${server.kills} kills, ${server.lost} lost connections, ${asks.length} asks (${ends.join(', ')}), ` +
      `${results.acknowledged?.length ?? 0} answers acknowledged, ${results.refused?.length ?? 0} refused, ` +
      `${knowledge.mail.length} clarifications, ${events} events`,
  );
}
