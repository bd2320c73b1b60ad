// Limits what each token may use: requests in a second, streams and polls open at once. Zero switches a limit off.
import { fail } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Actor, Scope } from '../core/token.ts';

const MOST_BUCKETS = 10_000;
const TRUSTED: ReadonlySet<Scope> = new Set(['operator', 'worker']);

interface Bucket {
  tokens: number;
  at: number;
}

/** Whether the bucket of this name has one left, which is then gone. */
function spend(buckets: Map<string, Bucket>, name: string, now: number, perSecond: number, burst: number): boolean {
  const bucket = buckets.get(name) ?? { tokens: burst, at: now };
  bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond);
  bucket.at = now;
  buckets.set(name, bucket);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

export class Throttle {
  readonly #limits: Limits;
  readonly #buckets = new Map<string, Bucket>();
  readonly #signIns = new Map<string, Bucket>();
  readonly #open = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Operators and workers are not limited; tokens that agents can read are, so that a loop cannot flood the inbox. */
  request(actor: Actor, now: number): void {
    const { agentRequestsPerSecond: rate, agentBurst: burst } = this.#limits;
    if (TRUSTED.has(actor.scope) || rate === 0) return;
    if (this.#buckets.size > MOST_BUCKETS) this.#buckets.clear();
    if (!spend(this.#buckets, actor.tokenId, now, rate, burst))
      throw fail(
        'rate_limited',
        `A token of scope "${actor.scope}" may send ${rate} requests a second. Wait a little.`,
      );
  }

  /** A code cannot be guessed; this keeps those who try from costing more than a look at a map. */
  signIn(address: string, now: number): void {
    const { signInsPerMinute: rate } = this.#limits;
    if (rate === 0) return;
    if (this.#signIns.size > MOST_BUCKETS) this.#signIns.clear();
    if (!spend(this.#signIns, address, now, rate / 60, rate))
      throw fail('rate_limited', `Signing in is tried at most ${rate} times a minute. Wait a little.`);
  }

  /** Counts a stream or poll in; the returned function counts it out. */
  open(actor: Actor): () => void {
    const limit = actor.scope === 'agent' ? this.#limits.agentStreams : this.#limits.otherStreams;
    const open = this.#open.get(actor.tokenId) ?? 0;
    if (limit > 0 && open >= limit)
      throw fail(
        'too_many_streams',
        `This token already has ${limit} open streams and polls. Use one stream for all asks.`,
      );
    this.#open.set(actor.tokenId, open + 1);
    let closed = false;
    return () => {
      if (closed) return;
      closed = true;
      const left = (this.#open.get(actor.tokenId) ?? 1) - 1;
      if (left === 0) this.#open.delete(actor.tokenId);
      else this.#open.set(actor.tokenId, left);
    };
  }

  get openStreams(): number {
    let sum = 0;
    for (const n of this.#open.values()) sum += n;
    return sum;
  }
}
