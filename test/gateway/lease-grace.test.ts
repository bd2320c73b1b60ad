// A server that was away judges no lease before its workers could be heard again; one that was awake judges as ever, and
// a worker that is really lost is found. The clock moves only when told to; the sweep's look is made by hand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimRun, keepLease } from '../../src/gateway/claim.ts';
import { createLeaseGrace, type LeaseGrace } from '../../src/gateway/lease-grace.ts';
import { recoverLapsed } from '../../src/gateway/recover.ts';
import { type OpenGateway, openGateway, person } from '../support/gateway.ts';

const LEASE_MS = 15_000;
const SECOND_MS = 1000;
const lead = person('lead');

let open: OpenGateway;
beforeEach(async () => {
  open = await openGateway();
});
afterEach(() => open.close());

const work = (recovery: 'none' | 'replay') => ({
  worker_id: 'w1',
  agents: [{ name: 'mock', recovery }],
  lease_ms: LEASE_MS,
});

async function takes(grace: LeaseGrace, recovery: 'none' | 'replay' = 'replay') {
  const { view: session } = await open.gateway.createSession({ agent: 'mock' });
  await open.gateway.startRun({ sessionId: session.session_id, body: { input: { text: 'go' } }, actor: lead });
  const claimed = await claimRun(open.ports, grace, work(recovery), async () => {});
  if (!claimed) throw new Error('there was no run to take');
  return { runId: claimed.run.run_id, epoch: claimed.lease.epoch };
}
const beats = (grace: LeaseGrace, { runId, epoch }: { runId: string; epoch: number }) =>
  keepLease(open.ports, grace, runId, { worker_id: 'w1', lease_epoch: epoch, lease_ms: LEASE_MS });
const statusOf = async (runId: string) => (await open.store.read((r) => r.run(runId)))?.status;

/** Time passes for servers that are awake: each looks every second. */
async function passes(ms: number, ...awake: LeaseGrace[]): Promise<void> {
  for (let left = ms; left > 0; left -= SECOND_MS) {
    open.advance(Math.min(left, SECOND_MS));
    for (const grace of awake) await recoverLapsed(open.ports, grace);
  }
}
async function awake(): Promise<LeaseGrace> {
  const grace = createLeaseGrace();
  await recoverLapsed(open.ports, grace);
  await passes(LEASE_MS, grace);
  return grace;
}

describe('a server that was away for longer than a lease', () => {
  it.each([
    ['slept', (before: LeaseGrace) => before],
    ['was started again', () => createLeaseGrace()],
  ])('and %s: the worker that is heard keeps its run', async (_, back) => {
    const before = await awake();
    const run = await takes(before);
    open.advance(LEASE_MS + 2000);
    const grace = back(before);
    // Whoever is first, the sweep or the worker's own wait for work, takes nothing away.
    await claimRun(open.ports, grace, work('replay'), async () => {});
    await passes(5000, grace);
    expect(await statusOf(run.runId)).toBe('running');
    await beats(grace, run);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(run.runId)).toBe('running');
  });

  it('finds a worker that is really lost one lease after its return', async () => {
    const grace = await awake();
    const { runId } = await takes(grace);
    open.advance(LEASE_MS + 2000);
    await recoverLapsed(open.ports, grace);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(runId)).toBe('running');
    await passes(1, grace);
    expect(await statusOf(runId)).toBe('queued');
  });

  it('judges what it has heard since as ever', async () => {
    const grace = createLeaseGrace();
    await recoverLapsed(open.ports, grace);
    await passes(2000, grace);
    const { runId } = await takes(grace);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(runId)).toBe('running');
    await passes(1, grace);
    expect(await statusOf(runId)).toBe('queued');
  });

  it('gives those time whose lease is longer, as far as it knows them', async () => {
    const grace = await awake();
    const { runId, epoch } = await takes(grace);
    const body = { worker_id: 'w1', lease_epoch: epoch, lease_ms: 60_000 };
    await keepLease(open.ports, grace, runId, body);
    open.advance(70_000);
    await recoverLapsed(open.ports, grace);
    await passes(59_000, grace);
    expect(await statusOf(runId)).toBe('running');
    await passes(1000, grace);
    expect(await statusOf(runId)).toBe('queued');
  });

  it('leaves it to one that was awake all the time, which judges at once', async () => {
    const slept = await awake();
    const other = createLeaseGrace();
    await recoverLapsed(open.ports, other);
    await passes(LEASE_MS, slept, other);
    const kept = await takes(slept);
    const lost = await takes(slept);
    await passes(10_000, other);
    await beats(other, kept);
    await passes(4999, other);
    expect(await statusOf(lost.runId)).toBe('running');
    await passes(2, other, slept);
    expect(await statusOf(lost.runId)).toBe('queued');
    expect(await statusOf(kept.runId)).toBe('running');
  });
});

it('a clock that is set back stops no judgement for longer than a lease', async () => {
  const grace = await awake();
  const { runId } = await takes(grace);
  await passes(10_000, grace);
  open.advance(-3000);
  await recoverLapsed(open.ports, grace);
  await passes(LEASE_MS - 1, grace);
  expect(await statusOf(runId)).toBe('running');
  await passes(1, grace);
  expect(await statusOf(runId)).toBe('queued');
});
