// Limits what each token may use: requests and bytes in a second, reads at once, streams and polls open at once. Zero
// switches a limit off. Operators are not limited; workers may use more than what agents can read.
import { fail } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Actor } from '../core/token.ts';
import { Buckets } from './buckets.ts';

/** Reads of one token that run at once; more wait. */
const READS = 2;
const WORKER_READS = 16;
const MOST_WAITING = 200;
/** A burst of bytes, in seconds of the rate. The hooks of attached agents send whole files. */
const BYTE_BURST_S = 8;
const ATTACHED_BYTE_BURST_S = 32;
const DAY_S = 24 * 60 * 60;

interface Rates {
  requests: number;
  burst: number;
  bytes: number;
  byteBurst: number;
}

export class Throttle {
  readonly #limits: Limits;
  readonly #requests = new Buckets();
  readonly #bytes = new Buckets();
  readonly #responses = new Buckets();
  readonly #wrongCodes = new Buckets();
  readonly #open = new Map<string, number>();
  readonly #reads = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Operators are not limited; every other token is, so that a loop cannot flood the inbox or stop the server. */
  request(actor: Actor, bodyBytes: number, now: number): void {
    const rates = this.#ratesOf(actor);
    if (!rates) return;
    const { requests, burst, bytes, byteBurst } = rates;
    if (requests > 0 && !this.#requests.take(actor.tokenId, now, requests, burst))
      throw fail(
        'rate_limited',
        `A token of scope "${actor.scope}" may send ${requests} requests a second. Wait a little.`,
      );
    if (bytes > 0 && this.#bytes.left(actor.tokenId, now, bytes, byteBurst) <= 0)
      throw fail(
        'rate_limited',
        `A token of scope "${actor.scope}" may send and receive ${bytes} bytes a second. Wait a little, or ask for less.`,
      );
    this.charge(actor, bodyBytes, now);
  }

  /** Bytes that the token sent or received. It may overdraw, and is refused until that is made up for. */
  charge(actor: Actor, bytes: number, now: number): void {
    const { bytes: rate, byteBurst } = this.#ratesOf(actor) ?? { bytes: 0, byteBurst: 0 };
    if (rate > 0 && bytes > 0) this.#bytes.draw(actor.tokenId, bytes, now, rate, byteBurst);
  }

  /** Responses stored for the keys of an agent: a repeat stores another one, which no session's limit would count. */
  mayUseKey({ scope, tokenId }: Actor, now: number): void {
    const { sessionBytesPerDay: most } = this.#limits;
    if (scope !== 'agent' || most === 0 || this.#responses.left(tokenId, now, most / DAY_S, most) > 0) return;
    throw fail(
      'rate_limited',
      `The responses to requests of this token with an idempotency key have ${most} bytes today. Leave the key out, or wait.`,
    );
  }

  storedResponse({ scope, tokenId }: Actor, bytes: number, now: number): void {
    const { sessionBytesPerDay: most } = this.#limits;
    if (scope === 'agent' && most > 0) this.#responses.draw(tokenId, bytes, now, most / DAY_S, most);
  }

  #ratesOf({ scope }: Actor): Rates | undefined {
    const { agentRequestsPerSecond, agentBurst, agentBytesPerSecond } = this.#limits;
    const { workerRequestsPerSecond, workerBurst, workerBytesPerSecond } = this.#limits;
    if (scope === 'operator') return undefined;
    const own =
      scope === 'worker'
        ? { requests: workerRequestsPerSecond, burst: workerBurst, bytes: workerBytesPerSecond }
        : { requests: agentRequestsPerSecond, burst: agentBurst, bytes: agentBytesPerSecond };
    return { ...own, byteBurst: own.bytes * (scope === 'attached' ? ATTACHED_BYTE_BURST_S : BYTE_BURST_S) };
  }

  /** Waits until the token has few enough reads running, so that no token delays the reads of others by many of its own. */
  async read(actor: Actor): Promise<() => void> {
    if (actor.scope === 'operator') return () => {};
    const own = this.#reads.get(actor.tokenId) ?? { running: 0, waiting: [] };
    this.#reads.set(actor.tokenId, own);
    if (own.waiting.length >= MOST_WAITING)
      throw fail('rate_limited', `This token already has ${MOST_WAITING} reads waiting. Wait for their replies.`);
    if (own.running >= (actor.scope === 'worker' ? WORKER_READS : READS))
      await new Promise<void>((resolve) => own.waiting.push(resolve));
    else own.running += 1;
    return once(() => {
      const next = own.waiting.shift();
      if (next) return next();
      own.running -= 1;
      if (own.running === 0) this.#reads.delete(actor.tokenId);
    });
  }

  /** Counts a wrong code. Right ones are not counted: one signs its person in, however many wrong ones others send. */
  wrongCode(address: string, now: number): void {
    const { signInsPerMinute: rate } = this.#limits;
    if (rate > 0 && !this.#wrongCodes.take(address, now, rate / 60, rate))
      throw fail('rate_limited', `An address may send ${rate} wrong codes a minute. Wait a little.`);
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
    return once(() => {
      const left = (this.#open.get(actor.tokenId) ?? 1) - 1;
      if (left === 0) this.#open.delete(actor.tokenId);
      else this.#open.set(actor.tokenId, left);
    });
  }

  get openStreams(): number {
    let sum = 0;
    for (const n of this.#open.values()) sum += n;
    return sum;
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}
