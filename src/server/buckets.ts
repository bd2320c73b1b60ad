// Counts what callers use, by name, in token buckets: each refills with time up to its burst. A full bucket is as good as
// none, so full ones are dropped and the memory is bounded by the callers of the last seconds.

const MOST = 10_000;

interface Bucket {
  left: number;
  at: number;
}

export class Buckets {
  readonly #known = new Map<string, Bucket>();

  /** Whether the bucket has one left, which is then gone. */
  take(name: string, now: number, perSecond: number, burst: number): boolean {
    const isThere = this.left(name, now, perSecond, burst) >= 1;
    if (isThere) this.draw(name, 1, now, perSecond, burst);
    return isThere;
  }

  /** May overdraw the bucket. */
  draw(name: string, amount: number, now: number, perSecond: number, burst: number): void {
    const left = this.left(name, now, perSecond, burst) - amount;
    if (this.#known.size >= MOST) this.#dropFull(now, perSecond, burst);
    this.#known.delete(name);
    this.#known.set(name, { left, at: now });
  }

  left(name: string, now: number, perSecond: number, burst: number): number {
    const bucket = this.#known.get(name);
    return bucket ? refilled(bucket, now, perSecond, burst) : burst;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Without a full one the oldest is dropped. */
  #dropFull(now: number, perSecond: number, burst: number): void {
    for (const [name, bucket] of this.#known)
      if (refilled(bucket, now, perSecond, burst) >= burst) this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
  }
}

const refilled = ({ left, at }: Bucket, now: number, perSecond: number, burst: number): number =>
  Math.min(burst, left + (Math.max(0, now - at) / 1000) * perSecond);
