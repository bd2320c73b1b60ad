// Waits, with a timeout, for the end of an ask, a pause of a run, or work for a worker: check, wait for a wake-up, check
// again. The first check sees an answer that came before the wait began.
import { personComments } from '../core/activity.ts';
import type { Ask } from '../core/ask.ts';
import type { ClaimRun } from '../core/bodies.ts';
import type { MaybePromise, Ports } from '../core/ports.ts';
import { isTerminal, isWaiting, type Run } from '../core/run.ts';
import type { ClaimedRunView } from '../core/views.ts';
import { type Claimant, claimRun } from './claim.ts';
import type { Feed } from './feed.ts';
import type { LeaseGrace } from './lease-grace.ts';

/** The shortest time between two checks of a worker: in a flood of answers most do not concern it. */
const PACE_MS = { first: 20, most: 100 };

interface Waiting<T> {
  topic: string;
  ms: number;
  /** The shortest time between two checks; it doubles while wake-ups come faster than that. */
  paceMs?: { first: number; most: number };
  signal?: AbortSignal | undefined;
  check(): Promise<{ value: T; done: boolean }>;
}

/** Registers for the wake-up before each check, so that no event is missed. */
async function until<T>(feed: Feed, wanted: Waiting<T>): Promise<T> {
  // Monotonic: a wall clock that is set back must not make a caller wait longer.
  const end = performance.now() + wanted.ms;
  const { first, most } = wanted.paceMs ?? { first: 0, most: 0 };
  let paceMs = first;
  for (;;) {
    const left = end - performance.now();
    if (left <= 0 || wanted.signal?.aborted || feed.released) return (await wanted.check()).value;
    const { woken, cancel } = feed.wait(wanted.topic, left, wanted.signal);
    const checkedAt = performance.now();
    const found = await ifDone(wanted);
    if (found) {
      cancel();
      return found.value;
    }
    await woken;
    const early = checkedAt + paceMs - performance.now();
    paceMs = early > 0 ? Math.min(2 * paceMs, most) : first;
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
}

/** Retains no value while waiting: thousands of waiters may be parked, each with an ask of any size. */
async function ifDone<T>(wanted: Waiting<T>): Promise<{ value: T } | undefined> {
  const { value, done } = await wanted.check();
  return done ? { value } : undefined;
}

export interface AskWait {
  ms: number;
  /** Further comments of people end the wait too. */
  commentsRead?: number | undefined;
}

export function waitForAsk(
  feed: Feed,
  askId: string,
  { ms, commentsRead = Number.POSITIVE_INFINITY }: AskWait,
  load: () => Promise<Ask>,
  signal?: AbortSignal,
): Promise<Ask> {
  const check = async () => {
    const value = await load();
    return { value, done: value.status !== 'pending' || personComments(value.activity).length > commentsRead };
  };
  return until(feed, { topic: `ask:${askId}`, ms, check, signal });
}

/** Until the run pauses or ends: what `settle_ms` asks for. */
export function waitForPause(feed: Feed, run: () => MaybePromise<Run | undefined>, runId: string, ms: number) {
  const check = async () => {
    const value = await run();
    return { value, done: value === undefined || isWaiting(value.status) || isTerminal(value.status) };
  };
  return until(feed, { topic: `run:${runId}`, ms, check });
}

/** Whether the worker's token is still valid is checked before a run is returned. */
export async function waitForWork(
  ports: Ports,
  feed: Feed,
  grace: LeaseGrace,
  body: ClaimRun,
  claimant: Claimant,
  signal?: AbortSignal,
): Promise<ClaimedRunView | undefined> {
  /** A worker that has disconnected must not get a run: it would be idle until the lease lapses. */
  const check = async () => {
    if (signal?.aborted) return { value: undefined, done: true };
    const value = await claimRun(ports, grace, body, claimant);
    return { value, done: value !== undefined };
  };
  const found = await until(feed, { topic: 'work', ms: body.wait_ms ?? 0, paceMs: PACE_MS, check, signal });
  if (!found) await claimant.mayWork();
  return found;
}
