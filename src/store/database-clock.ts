// Reads the database's clock, so that servers whose clocks differ agree on deadlines. Between two readings it counts with
// the monotonic clock of this process: a wall clock that is wrong, or is set while the server runs, has no effect.
import type pg from 'pg';
import type { Clock } from '../core/ports.ts';

const READ_EVERY_MS = 10_000;
const RETRY_MS = 1000;
/** The reading may be from any moment of its round trip; a slow one is imprecise. */
const PRECISE_MS = 100;
/** Clocks drift slowly: an old precise reading is better than a new imprecise one, up to this age. */
const OLD_MS = 300_000;

export class DatabaseClock implements Clock {
  readonly #pool: pg.Pool;
  readonly #onError: (error: unknown) => void;
  #offset = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(pool: pg.Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#schedule(await this.#read());
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  now(): number {
    return Math.round(performance.now() + this.#offset);
  }

  #schedule(isPrecise: boolean): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#again(), isPrecise ? READ_EVERY_MS : RETRY_MS);
    this.#timer.unref();
  }

  async #again(): Promise<void> {
    const isPrecise = await this.#read().catch((error: unknown) => {
      if (!this.#stopped) this.#onError(error);
      return false;
    });
    this.#schedule(isPrecise);
  }

  /** Resolves to whether the reading was precise. An imprecise one is used only if there is no better one. */
  async #read(): Promise<boolean> {
    const before = performance.now();
    const { rows } = await this.#pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at');
    const after = performance.now();
    const isPrecise = after - before <= PRECISE_MS;
    if (!isPrecise && after - this.#readAt < OLD_MS) return false;
    this.#offset = Number(rows[0].at) - (before + after) / 2;
    this.#readAt = after;
    return isPrecise;
  }
}
