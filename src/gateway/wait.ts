// Waiting for something to happen, with a limit: an ask to end, a run to pause, work for a worker. Look, then wait for
// a wake-up, then look again: an answer that came before the wait began is seen by the first look.
import type { Ask } from '../core/ask.ts';
import type { ClaimRun } from '../core/bodies.ts';
import type { Ports } from '../core/ports.ts';
import { isTerminal, isWaiting, type Run } from '../core/run.ts';
import type { ClaimedRunView } from '../core/views.ts';
import { claimRun } from './claim.ts';
import type { Feed } from './feed.ts';
import type { LeaseGrace } from './lease-grace.ts';

/** How long a worker that found nothing is not woken again: in a flood of answers most are none of its business. */
const PACE_MS = 20;

interface Waiting<T> {
  topic: string;
  ms: number;
  /** Not to look again sooner than this after a look. */
  paceMs?: number;
  signal?: AbortSignal | undefined;
  look(): Promise<{ value: T; done: boolean }>;
}

/** Registers for the wake-up before it looks, so that nothing falls between. */
async function until<T>(feed: Feed, wanted: Waiting<T>): Promise<T> {
  // Counted by the machine, not by the calendar: a clock that is set back must not make a caller wait longer.
  const end = performance.now() + wanted.ms;
  for (;;) {
    const left = end - performance.now();
    if (left <= 0 || wanted.signal?.aborted || feed.released) return (await wanted.look()).value;
    const { woken, cancel } = feed.wait(wanted.topic, left, wanted.signal);
    const lookedAt = performance.now();
    const found = await ifDone(wanted);
    if (found) {
      cancel();
      return found.value;
    }
    await woken;
    const early = lookedAt + (wanted.paceMs ?? 0) - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
}

/** Keeps nothing of what it saw while the wait goes on: thousands may be parked, each with an ask of any size. */
async function ifDone<T>(wanted: Waiting<T>): Promise<{ value: T } | undefined> {
  const { value, done } = await wanted.look();
  return done ? { value } : undefined;
}

export function waitForAsk(
  feed: Feed,
  askId: string,
  ms: number,
  load: () => Promise<Ask>,
  signal?: AbortSignal,
): Promise<Ask> {
  const look = async () => {
    const value = await load();
    return { value, done: value.status !== 'pending' };
  };
  return until(feed, { topic: `ask:${askId}`, ms, look, signal });
}

/** Until the run pauses or ends: what `settle_ms` asks for. */
export function waitForPause(feed: Feed, run: () => Promise<Run | undefined>, runId: string, ms: number) {
  const look = async () => {
    const value = await run();
    return { value, done: value === undefined || isWaiting(value.status) || isTerminal(value.status) };
  };
  return until(feed, { topic: `run:${runId}`, ms, look });
}

/** `mayWork` throws when the worker is not to be told anything any more. It is asked when there is something to tell. */
export async function waitForWork(
  ports: Ports,
  feed: Feed,
  grace: LeaseGrace,
  body: ClaimRun,
  mayWork: () => Promise<void>,
  signal?: AbortSignal,
): Promise<ClaimedRunView | undefined> {
  /** A worker that has hung up must not be given a run: nobody would work on it until the lease is over. */
  const look = async () => {
    if (signal?.aborted) return { value: undefined, done: true };
    const value = await claimRun(ports, grace, body, mayWork);
    return { value, done: value !== undefined };
  };
  const found = await until(feed, { topic: 'work', ms: body.wait_ms ?? 0, paceMs: PACE_MS, look, signal });
  if (!found) await mayWork();
  return found;
}
