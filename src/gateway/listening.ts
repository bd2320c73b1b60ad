// Whether this server has listened long enough to call a worker silent. One that was away (it starts, the machine slept,
// its database could not be reached) heard nobody meanwhile, and has kept no lease: it gives every worker a lease's time
// to be heard before it judges. What is heard from then on is judged as ever. Leases that were kept at another server are
// in the database, so nothing here is shared: a server that was awake judges at once.
//
//   away ──look──► listening ──one lease, or the run was heard──► judges
//     ▲               └──────────── too long without a look ─────────┐
//     └──────────────────────────────────────────────────────────────┘
import { LOST, type Run } from '../core/run.ts';

export const DEFAULT_LEASE_MS = 15_000;
/** A worker beats three times a lease: a server that misses less than one beat of most of them has missed nothing. */
const AWAY_MS = DEFAULT_LEASE_MS / 3;

export interface Listening {
  /** The server is at work, and its database answers. */
  look(now: number): void;
  /** A worker has taken a run, or kept it. */
  heard(runId: string, leaseMs?: number): void;
  /** Whether a lease that has lapsed says that its worker is lost. */
  mayJudge(run: Pick<Run, 'id' | 'lease'>, now: number): boolean;
}

/** `hearMs`: how long workers are listened to first, where none is known to take longer; 0: not at all. */
export function createListening(hearMs = DEFAULT_LEASE_MS): Listening {
  const heard = new Set<string>();
  let longestMs = hearMs;
  let looked: number | undefined;
  /** When everybody has had the time to be heard. */
  let judgesFrom = 0;

  /** A clock that was set back counts as a sleep too: nothing would be judged until it has caught up. */
  const isAway = (now: number) => looked === undefined || now < looked || now - looked > AWAY_MS;

  return {
    look(now) {
      const isBack = isAway(now);
      if (isBack) judgesFrom = now + longestMs;
      if (isBack || now >= judgesFrom) heard.clear();
      looked = now;
    },
    heard(runId, leaseMs = DEFAULT_LEASE_MS) {
      longestMs = Math.max(longestMs, leaseMs);
      heard.add(runId);
    },
    mayJudge({ id, lease }, now) {
      if (hearMs === 0 || lease?.until === LOST.until) return true;
      return !isAway(now) && (heard.has(id) || now >= judgesFrom);
    },
  };
}
