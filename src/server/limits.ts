// Limits per token: requests in a second, streams and polls open at once. Zero switches a limit off.
import { fail } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Actor } from '../core/token.ts';

export class Throttle {
  readonly #limits: Limits;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #open = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** People at the machine are not limited; agents are, so that a loop cannot flood the inbox. */
  request(actor: Actor, now: number): void {
    const { agentRequestsPerSecond: rate, agentBurst: burst } = this.#limits;
    if (actor.scope !== 'agent' || rate === 0) return;
    const bucket = this.#buckets.get(actor.tokenId) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * rate);
    bucket.at = now;
    this.#buckets.set(actor.tokenId, bucket);
    if (bucket.tokens < 1)
      throw fail('rate_limited', `An agent token may send ${rate} requests a second. Wait a little.`);
    bucket.tokens -= 1;
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
