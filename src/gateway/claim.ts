// Lets a worker claim a run under a lease, renew the lease, and release it: at the end, or when the agent stopped cleanly
// and the run waits without a process. Only the holder of the lease hosts the agent.

import type { Ask } from '../core/ask.ts';
import type { ClaimRun, Heartbeat } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { isTerminal, type Run } from '../core/run.ts';
import { SKILL_IDENTITY_VARIABLE } from '../core/skill.ts';
import type { Actor } from '../core/token.ts';
import type { ClaimedRunView, RunView } from '../core/views.ts';
import { checkEpoch, holderOf, isHolder, notLeased } from './lease.ts';
import { DEFAULT_LEASE_MS, type LeaseGrace } from './lease-grace.ts';
import { type Ledger, openRun } from './ledger.ts';
import { type Key, mutate, ok, type Reply } from './mutate.ts';
import { recoverLost } from './recover.ts';
import { toolRulesFor } from './rule-sources.ts';
import { runIdentity } from './run-identity.ts';
import { identityOf } from './skill-identity.ts';
import { begin } from './slot.ts';
import { askView, runReply, runView, sessionView } from './views.ts';
import { claimedLabels } from './worker-rights.ts';

const CANDIDATES = 8;

export interface Claimant {
  actor?: Actor | undefined;
  /** Throws when the worker's token is not valid any more. */
  mayWork(): Promise<void>;
}

/** One run, or none when no run can be claimed. */
export async function claimRun(
  ports: Ports,
  grace: LeaseGrace,
  body: ClaimRun,
  { actor, mayWork }: Claimant,
): Promise<ClaimedRunView | undefined> {
  const labels = claimedLabels(body.labels, { actor });
  const agents = body.agents.map((a) => a.name);
  const claim = { agents, labels, isBuiltIn: actor?.isBuiltIn };
  await recoverLost(ports, grace, agents, labels);
  const offered = await ports.store.reader.claimable(claim, 1);
  if (offered.length === 0) return undefined;
  await mayWork();
  const claimed = await ports.store.write(async (tx) => {
    for (const { id } of await tx.claimable(claim, CANDIDATES)) {
      const { ledger, run } = await openRun(ports, tx, id);
      if (isFree(ledger, run)) return take(ledger, run, body, actor);
    }
    return undefined;
  });
  if (claimed) grace.renewed(claimed.run.run_id, body.lease_ms);
  return claimed;
}

const isFree = ({ session }: Ledger, run: Run): boolean =>
  run.lease === undefined &&
  (run.status === 'running' || (run.status === 'queued' && session.activeRunId === undefined));

async function take(ledger: Ledger, run: Run, body: ClaimRun, actor: Actor | undefined): Promise<ClaimedRunView> {
  const { ports, tx, session, now } = ledger;
  const resumed = run.leaseEpoch > 0;
  const until = now + (body.lease_ms ?? DEFAULT_LEASE_MS);
  run.lease = { workerId: body.worker_id, until };
  run.leaseEpoch += 1;
  run.leaseHolder = actor && holderOf(run.leaseEpoch, actor);
  const offer = body.agents.find((a) => a.name === run.agent);
  run.recovery = offer?.recovery ?? 'none';
  run.permissions = offer?.permissions;
  if (run.status === 'queued') await begin(ledger, run);
  else await tx.update('run', run);
  await ledger.close();
  const due = await tx.dueOfRun(run.id);
  const carried = run.carriesAskId === undefined ? undefined : await tx.get('ask', run.carriesAskId);
  if (carried && carried.status !== 'pending' && carried.delivery.state === 'due') due.push(carried);
  const tools = toolRulesFor(ports, session);
  return {
    run: await runView(tx, session, run),
    session: await sessionView(tx, session),
    input: { ...run.input, ...(await partialStateFor(ledger, carried)) },
    lease: { epoch: run.leaseEpoch, until_ms: until },
    env: await environmentOf(ledger, run),
    resumed,
    due: due.map((ask) => askView(ask, ports.sealer)),
    ...(tools.length > 0 && { tool_rules: tools }),
  };
}

/** Variables for the processes of the run, added to their worker's environment. */
async function environmentOf({ ports, tx, session }: Ledger, run: Run): Promise<Record<string, string>> {
  const identity = await identityOf(ports, tx, run);
  const own = { HOLDPOINT_TOKEN: runIdentity(ports, session, run) };
  return identity === undefined ? own : { ...own, [SKILL_IDENTITY_VARIABLE]: identity };
}

/** The partial state that the previous dispatch left. Read only when the run is claimed: it may be large. */
async function partialStateFor({ tx }: Ledger, carried: Ask | undefined): Promise<{ partial_state?: unknown }> {
  const left = carried?.mode === 'restart' ? await tx.get('partialState', carried.id) : undefined;
  return left ? { partial_state: JSON.parse(left.state) } : {};
}

export async function keepLease(
  ports: Ports,
  grace: LeaseGrace,
  runId: string,
  body: Heartbeat,
  key?: Key,
  actor?: Actor,
): Promise<Reply<RunView>> {
  const kept = await mutate(ports, key, async (tx) => {
    const { ledger, run } = await holder(ports, tx, runId, body, actor);
    // A lease that an older server gave has no holder yet.
    if (actor?.scope === 'worker') run.leaseHolder = holderOf(run.leaseEpoch, actor);
    run.lease = { workerId: body.worker_id, until: ledger.now + (body.lease_ms ?? DEFAULT_LEASE_MS) };
    await tx.update('run', run);
    return ok(await runView(tx, ledger.session, run));
  });
  grace.renewed(runId, body.lease_ms);
  return kept;
}

/** The agent stopped cleanly: the run waits without a process, or can be claimed by the next worker. */
export function releaseLease(
  ports: Ports,
  runId: string,
  body: Heartbeat,
  key?: Key,
  actor?: Actor,
): Promise<Reply<RunView>> {
  return mutate(ports, key, async (tx) => {
    const { ledger, run } = await holder(ports, tx, runId, body, actor);
    run.lease = undefined;
    await tx.update('run', run);
    ledger.note('run.released', { as: run.status }, run.id);
    return runReply(ledger, run);
  });
}

async function holder(ports: Ports, tx: Tx, runId: string, body: Heartbeat, actor: Actor | undefined) {
  const opened = await openRun(ports, tx, runId);
  const { run } = opened;
  checkEpoch(run, body.lease_epoch);
  if (actor?.scope === 'worker' && !isHolder(run, actor))
    throw notLeased(opened.ledger.session, { actor, leaseEpoch: body.lease_epoch });
  if (isTerminal(run.status) || run.lease?.workerId !== body.worker_id)
    throw fail('lease_lost', `Worker ${body.worker_id} does not hold run ${runId} (it is ${run.status}).`);
  return opened;
}
