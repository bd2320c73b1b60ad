// Decides whether a lapsed lease proves that its worker is lost. A server that was away (starting, suspended, without its
// database) recorded no heartbeats meanwhile, so it grants every worker one lease of grace before it expires any. Runs
// renewed since are judged without grace. Leases renewed at other servers are in the database, so this state is local: a
// server that was awake expires them on time. Owns no lease and ends no run.
//
//   away ──tick──► in grace ──one lease, or the run was renewed──► may expire
//     ▲               └──────────── too long without a tick ───────────┐
//     └──────────────────────────────────────────────────────────────┘
import { LOST, type Run } from '../core/run.ts';

export const DEFAULT_LEASE_MS = 15_000;
/** A worker sends three heartbeats per lease: a server away for less than one interval has missed none of most workers. */
const AWAY_MS = DEFAULT_LEASE_MS / 3;

export interface LeaseGrace {
  /** The server is running, and its database answers. */
  tick(now: number): void;
  /** A worker has claimed a run or sent a heartbeat for it. */
  renewed(runId: string, leaseMs?: number): void;
  /** Whether a lapsed lease proves that its worker is lost. */
  mayExpire(run: Pick<Run, 'id' | 'lease'>, now: number): boolean;
}

/** `graceMs`: the grace before any longer lease is known; 0 turns it off. */
export function createLeaseGrace(graceMs = DEFAULT_LEASE_MS): LeaseGrace {
  const renewed = new Set<string>();
  let longestMs = graceMs;
  let tickedAt: number | undefined;
  /** When the grace of every worker is over. */
  let graceEndsAt = 0;

  /** A clock that was set back counts as away too: no lease would lapse until it has caught up. */
  const isAway = (now: number) => tickedAt === undefined || now < tickedAt || now - tickedAt > AWAY_MS;

  return {
    tick(now) {
      const isBack = isAway(now);
      if (isBack) graceEndsAt = now + longestMs;
      if (isBack || now >= graceEndsAt) renewed.clear();
      tickedAt = now;
    },
    renewed(runId, leaseMs = DEFAULT_LEASE_MS) {
      longestMs = Math.max(longestMs, leaseMs);
      renewed.add(runId);
    },
    mayExpire({ id, lease }, now) {
      if (graceMs === 0 || lease?.until === LOST.until) return true;
      return !isAway(now) && (renewed.has(id) || now >= graceEndsAt);
    },
  };
}
