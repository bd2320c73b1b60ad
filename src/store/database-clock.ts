// The database's clock, so that servers whose clocks differ agree on deadlines. Between two looks it counts with the
// monotonic clock of this process: a wall clock that is wrong, or is set while the server runs, changes nothing.
import type pg from 'pg';
import type { Clock } from '../core/ports.ts';

const LOOK_EVERY_MS = 10_000;
const LOOK_AGAIN_MS = 1000;
/** The answer may have come from any moment of its round trip; a slow one says too little. */
const GOOD_ENOUGH_MS = 100;
/** Machines drift apart slowly: an old good look is better than a new poor one, but not for ever. */
const OLD_MS = 300_000;

export class DatabaseClock implements Clock {
  readonly #pool: pg.Pool;
  readonly #onError: (error: unknown) => void;
  #offset = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(pool: pg.Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#schedule(await this.#look());
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  now(): number {
    return Math.round(performance.now() + this.#offset);
  }

  #schedule(isGood: boolean): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#again(), isGood ? LOOK_EVERY_MS : LOOK_AGAIN_MS);
    this.#timer.unref();
  }

  async #again(): Promise<void> {
    const isGood = await this.#look().catch((error: unknown) => {
      if (!this.#stopped) this.#onError(error);
      return false;
    });
    this.#schedule(isGood);
  }

  /** Resolves to whether the look was a good one. A poor one counts only while there is nothing better. */
  async #look(): Promise<boolean> {
    const before = performance.now();
    const { rows } = await this.#pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const after = performance.now();
    const isGood = after - before <= GOOD_ENOUGH_MS;
    if (!isGood && after - this.#lookedAt < OLD_MS) return false;
    this.#offset = Number(rows[0].at) - (before + after) / 2;
    this.#lookedAt = after;
    return isGood;
  }
}
