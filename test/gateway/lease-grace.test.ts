// The grace period of leases: a server that was away recovers no run before its workers had time to renew their leases;
// one that was awake recovers at once, and a lost worker is found. The clock and the sweep move only by hand.
import { describe, expect, it } from 'vitest';
import { claimRun, keepLease } from '../../src/gateway/claim.ts';
import { createLeaseGrace, type LeaseGrace } from '../../src/gateway/lease-grace.ts';
import { recoverLapsed } from '../../src/gateway/recover.ts';
import { person } from '../support/gateway.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';

const LEASE_MS = 15_000;
const SECOND_MS = 1000;
const lead = person('lead');

const open = gatewayForEach();

const work = (recovery: 'none' | 'replay') => ({
  worker_id: 'w1',
  agents: [{ name: 'mock', recovery }],
  lease_ms: LEASE_MS,
});

async function takes(grace: LeaseGrace, recovery: 'none' | 'replay' = 'replay') {
  const { view: session } = await open.gateway.createSession({ agent: 'mock' });
  await open.gateway.startRun({ sessionId: session.session_id, body: { input: { text: 'go' } }, actor: lead });
  const claimed = await claimRun(open.ports, grace, work(recovery), { mayWork: async () => {} });
  if (!claimed) throw new Error('there was no run to take');
  return { runId: claimed.run.run_id, epoch: claimed.lease.epoch };
}
const beats = (grace: LeaseGrace, { runId, epoch }: { runId: string; epoch: number }) =>
  keepLease(open.ports, grace, runId, { worker_id: 'w1', lease_epoch: epoch, lease_ms: LEASE_MS });
const statusOf = async (runId: string) => (await open.store.read((r) => r.get('run', runId)))?.status;

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
  ])('keeps the run of a worker that renews its lease after the server %s', async (_, back) => {
    const before = await awake();
    const run = await takes(before);
    open.advance(LEASE_MS + 2000);
    const grace = back(before);
    // Whoever is first, the sweep or the worker's own wait for work, takes nothing away.
    await claimRun(open.ports, grace, work('replay'), { mayWork: async () => {} });
    await passes(5000, grace);
    expect(await statusOf(run.runId)).toBe('running');
    await beats(grace, run);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(run.runId)).toBe('running');
  });

  it('recovers the run of a lost worker one lease after the return of the server', async () => {
    const grace = await awake();
    const { runId } = await takes(grace);
    open.advance(LEASE_MS + 2000);
    await recoverLapsed(open.ports, grace);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(runId)).toBe('running');
    await passes(1, grace);
    expect(await statusOf(runId)).toBe('queued');
  });

  it('recovers a run that was claimed since the return as soon as its lease lapses', async () => {
    const grace = createLeaseGrace();
    await recoverLapsed(open.ports, grace);
    await passes(2000, grace);
    const { runId } = await takes(grace);
    await passes(LEASE_MS - 1, grace);
    expect(await statusOf(runId)).toBe('running');
    await passes(1, grace);
    expect(await statusOf(runId)).toBe('queued');
  });

  it('waits longer for a lease that it knows to be longer', async () => {
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

  it('leaves recovery to a server that was awake all the time, which recovers at once', async () => {
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

it('recovers within one lease after the clock was set back', async () => {
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
