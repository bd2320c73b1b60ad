// Sightings: the first time that each person saw an ask on each surface, while it was pending, stored with the ask and in
// the hash-linked log. A sighting changes nothing else and ends no wait.
// Covers: src/core/sighting.ts
import { describe, expect, it } from 'vitest';
import { Audit } from '../../src/core/audit.ts';
import { canonical } from '../../src/core/digest.ts';
import type { Event } from '../../src/core/event.ts';
import { Feed } from '../../src/gateway/feed.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { EPOCH, hash, outcomeOf, person } from '../support/gateway.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';

const open = gatewayForEach();

const lead = person('lead', 'web');
const mate = person('mate', 'cli');

async function asked(expires_after_ms?: number): Promise<{ askId: string; runId: string }> {
  await open.gateway.createSession({ session_id: 's', agent: 'external' });
  const started = await open.gateway.startRun({ sessionId: 's', body: { input: {} }, actor: lead });
  const runId = started.view.run_id;
  const input = { command: 'make' };
  const body = { kind: 'approval', tool_call_id: 'a', tool_name: 'Bash', input, expires_after_ms } as const;
  return { runId, askId: (await open.gateway.raiseAsk({ runId, body, actor: lead })).view.ask_id };
}
const allow = (runId: string, request_id: string) =>
  open.gateway.approveForRun({ runId, resolutions: [{ request_id, behavior: 'allow' }], actor: lead });
const seenBy = async (askId: string) => (await open.gateway.showAsk(askId, lead)).seen_by;
const log = () => open.store.read((r) => r.events({}, 0, 1000));
const sightings = async () => (await log()).filter(({ type }) => type === 'ask.seen');

describe('a sighting', () => {
  it('records the first sighting of each person and surface with its instant and one event', async () => {
    const { askId, runId } = await asked();
    expect(await seenBy(askId)).toEqual([]);
    await open.gateway.seeAsk(askId, lead);
    open.advance(1000);
    for (const actor of [lead, mate, person('lead', 'cli'), mate, lead]) await open.gateway.seeAsk(askId, actor);
    expect(await seenBy(askId)).toEqual([
      { by: 'lead', surface: 'web', at_ms: EPOCH },
      { by: 'mate', surface: 'cli', at_ms: EPOCH + 1000 },
      { by: 'lead', surface: 'cli', at_ms: EPOCH + 1000 },
    ]);
    expect(await sightings()).toMatchObject([
      { sessionId: 's', runId, askId, at: EPOCH, data: '{"by":"lead","surface":"web","token_id":"tok_lead"}' },
      { data: '{"by":"mate","surface":"cli","token_id":"tok_mate"}' },
      { data: '{"by":"lead","surface":"cli","token_id":"tok_lead"}' },
    ]);
  });

  it('records one sighting for each of many concurrent viewers', async () => {
    const { askId } = await asked();
    const people = Array.from({ length: 30 }, (_, n) => person(`person ${n % 10}`));
    await Promise.all(people.map((actor) => open.gateway.seeAsk(askId, actor)));
    expect(await sightings()).toHaveLength(10);
  });

  it('keeps sightings when the ask ends and records none afterwards', async () => {
    const { askId, runId } = await asked(60_000);
    await open.gateway.seeAsk(askId, mate);
    await allow(runId, askId);
    await open.gateway.seeAsk(askId, lead);
    expect(await seenBy(askId)).toEqual([{ by: 'mate', surface: 'cli', at_ms: EPOCH }]);
    await open.restart();
    expect(await seenBy(askId)).toEqual([{ by: 'mate', surface: 'cli', at_ms: EPOCH }]);
    expect(await sightings()).toHaveLength(1);
  });

  it('records none once the deadline has passed, also before the ask is expired', async () => {
    const { askId } = await asked(60_000);
    open.advance(60_000);
    await open.gateway.seeAsk(askId, mate);
    expect(await sightings()).toEqual([]);
  });

  it('refuses the sighting of an unknown ask', async () => {
    expect(await outcomeOf(open.gateway.seeAsk('ask_none', mate))).toBe('ask_not_found');
  });

  it('does not change the session', async () => {
    const { askId } = await asked();
    const before = await open.gateway.showSession('s');
    open.advance(5000);
    await open.gateway.seeAsk(askId, mate);
    expect(await open.gateway.showSession('s')).toEqual(before);
  });

  it('shows people the first twenty sightings and keeps all of them in the log', async () => {
    const { askId } = await asked();
    for (let n = 0; n < 25; n++) await open.gateway.seeAsk(askId, person(`person ${n}`));
    expect((await seenBy(askId))?.map(({ by }) => by)).toEqual(Array.from({ length: 20 }, (_, n) => `person ${n}`));
    expect(await sightings()).toHaveLength(25);
    const agent = { ...lead, scope: 'agent' as const, sessionId: 's' };
    expect(await open.gateway.showAsk(askId, agent)).not.toHaveProperty('seen_by');
  });

  it('ends no wait, and is sent to followers of the log', async () => {
    const { askId, runId } = await asked();
    const feed = new Feed(open.store);
    await feed.start();
    const heard: string[] = [];
    const following = feed.follow({ filter: {}, deliver: (events) => heard.push(...events.map((e) => e.type)) > 0 }, 0);
    let woken = 0;
    const waits = [`ask:${askId}`, `run:${runId}`, 'session:s', 'work'].map((topic) => feed.wait(topic, 60_000));
    for (const wait of waits) void wait.woken.then(() => woken++);
    await open.gateway.seeAsk(askId, mate);
    await expect.poll(() => heard).toContain('ask.seen');
    expect(woken).toBe(0);
    await allow(runId, askId);
    await Promise.all(waits.map((wait) => wait.woken));
    following.stop();
    await feed.stop();
  });
});

describe('the log of sightings', () => {
  const audited = (events: readonly Event[]) => {
    const audit = new Audit(hash, verifySignature);
    for (const event of events) audit.add(event);
    return audit.report().faults;
  };

  it('reveals a sighting that was altered, inserted or removed', async () => {
    const { askId } = await asked();
    await open.gateway.seeAsk(askId, mate);
    await open.gateway.seeAsk(askId, lead);
    const events = await log();
    const at = events.findIndex(({ type }) => type === 'ask.seen');
    const seen = events[at] as Event;
    const faulty = (changed: readonly Event[]) =>
      expect(audited(changed)).toEqual([expect.stringMatching(/session s/)]);
    expect(audited(events)).toEqual([]);
    faulty(events.with(at, { ...seen, data: canonical({ by: 'eve', surface: 'cli' }) }));
    faulty(events.with(at, { ...seen, at: seen.at - 1 }));
    faulty(events.toSpliced(at, 1));
    faulty(events.toSpliced(at, 0, seen));
  });
});
