// Holds one wait for the end of one ask until an event or a poll ends it, or it is aborted. There may be very many, so
// it holds only what it needs to end. waits.ts decides when it is woken.
import type { EventView } from '../core/views.ts';
import { HoldpointProblem, sleep } from './http.ts';

export interface Wait<T> {
  /** The events that end the wait carry this ask id. */
  askId: string;
  signal?: AbortSignal | undefined;
  /** Asks the server; undefined when it is not there yet. May take up to `patienceMs` to find out. */
  look(patienceMs: number, signal: AbortSignal): Promise<T | undefined>;
  /** Takes it from the event itself, where that says enough. */
  read?(event: EventView): T | undefined;
}

const LOOK_AGAIN_MS = 1000;
const POLL_MS = 30_000;

export type Parked = Pick<ParkedWait<unknown>, 'wake' | 'poll' | 'fail'>;

export class ParkedWait<T> {
  readonly #wait: Wait<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #gate: Gate;
  readonly #left: () => void;
  #isOver = false;
  #look: AbortController | undefined;

  constructor(
    wait: Wait<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
    gate: Gate,
    left: () => void,
  ) {
    this.#wait = wait;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#gate = gate;
    this.#left = left;
    wait.signal?.addEventListener('abort', this);
  }

  handleEvent(): void {
    this.fail(this.#wait.signal?.reason);
  }

  wake(event?: EventView): void {
    const value = event && this.#wait.read?.(event);
    if (value !== undefined) this.#settle(value);
    else void this.#gate(() => this.#lookFor(0));
  }

  poll(): void {
    void this.#lookFor(POLL_MS);
  }

  fail(error: unknown): void {
    if (this.#leave()) this.#reject(error);
  }

  #settle(value: T): void {
    if (this.#leave()) this.#resolve(value);
  }

  #leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#look?.abort();
    this.#wait.signal?.removeEventListener('abort', this);
    this.#left();
    return true;
  }

  async #lookFor(patienceMs: number): Promise<void> {
    this.#look ??= new AbortController();
    const { signal } = this.#look;
    while (!this.#isOver) {
      try {
        const value = await this.#wait.look(patienceMs, signal);
        if (value !== undefined) return this.#settle(value);
        if (patienceMs === 0) return;
      } catch (error) {
        if (error instanceof HoldpointProblem && error.status < 500) return this.fail(error);
        await sleep(LOOK_AGAIN_MS, signal).catch(() => {});
      }
    }
  }
}

type Gate = (work: () => Promise<void>) => Promise<void>;

/** Runs at most so many at once; the others wait their turn. */
export function createGate(limit: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work: () => Promise<void>): Promise<void> => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
