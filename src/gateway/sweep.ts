// Runs periodic work: wakes at the next deadline, at most a second away, and handles overdue asks, lapsed leases, old mail,
// old idempotency keys and old drafts, and signs the log. All of it is safe to do late.
import { DRAFT_TTL_MS } from '../core/draft.ts';
import { KEY_TTL_MS } from '../core/idempotency.ts';
import type { Ports } from '../core/ports.ts';
import { signLog } from './checkpoint.ts';
import { expireOverdue } from './expire.ts';
import type { LeaseGrace } from './lease-grace.ts';
import { sweepMail } from './mailbox.ts';
import { recoverLapsed } from './recover.ts';

const LONGEST_SLEEP_MS = 1000;
const HOUSEKEEPING_MS = 60_000;
const CHECKPOINT_MS = 60_000;

export class Sweep {
  readonly #ports: Ports;
  readonly #grace: LeaseGrace;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #stopped = false;
  #houseKept = 0;
  #logSigned: number;

  constructor(ports: Ports, grace: LeaseGrace, onError: (error: unknown) => void) {
    this.#ports = ports;
    this.#grace = grace;
    this.#onError = onError;
    this.#logSigned = ports.clock.now();
  }

  start(): void {
    this.#turn = this.#once().then((isDone) => this.#schedule(isDone));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Retries a failed turn after the longest sleep, not in a tight loop. */
  async #schedule(isDone: boolean): Promise<void> {
    if (this.#stopped) return;
    const next = isDone ? await this.#ports.store.read((r) => r.nextDeadline()).catch(() => undefined) : undefined;
    const now = this.#ports.clock.now();
    const sleep = next === undefined ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(1, next - now));
    if (!this.#stopped) this.#timer = setTimeout(() => this.start(), sleep);
  }

  async #once(): Promise<boolean> {
    try {
      await expireOverdue(this.#ports);
      await recoverLapsed(this.#ports, this.#grace);
      this.#grace.tick(this.#ports.clock.now());
      await this.#keepHouse();
      await this.#signLog();
      this.#grace.tick(this.#ports.clock.now());
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  async #keepHouse(): Promise<void> {
    const now = this.#ports.clock.now();
    if (now - this.#houseKept < HOUSEKEEPING_MS) return;
    this.#houseKept = now;
    await sweepMail(this.#ports);
    await this.#ports.store.write(async (tx) => {
      await tx.forget('response', now - KEY_TTL_MS);
      await tx.forget('draft', now - DRAFT_TTL_MS);
    });
  }

  async #signLog(): Promise<void> {
    const now = this.#ports.clock.now();
    if (now - this.#logSigned < CHECKPOINT_MS) return;
    this.#logSigned = now;
    await signLog(this.#ports, () => this.#stopped);
  }
}
