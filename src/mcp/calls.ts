// Tracks the tool calls of this process: which ask a call waits for, and which answers it was sent and has not yet shown to
// have. SPEC.md (MCP tools) has the states; the store keeps what another server must know.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ToolBackend } from './tool-backend.ts';
import type { Patience } from './wait.ts';

/** Who calls on a transport: request ids are unique within `client`. */
export interface Caller {
  sessionId: string;
  client: string;
  connection: Connection;
}

/** A pipe or a socket. One that closed after a result may not have carried all of it to the client. */
export interface Connection {
  isOpen(): boolean;
}

export interface Call extends Caller {
  key: string;
  signal: AbortSignal;
}

interface OpenCall extends Call {
  abort: AbortController;
  startedAt: number;
  /** The ask it waits for. */
  askId?: string;
}

interface Handover {
  call: OpenCall;
  sentAt: number;
  /** The client calls in parallel, or cancelled the call late: its next call may be that of another agent, or a repeat. */
  isShared: boolean;
  askId: string;
  confirm(): Promise<void>;
  giveBack(): Promise<void>;
}

const MOST_HANDOVERS = 10_000;
/** How much later than a repeat a cancellation, or the end of a connection, may arrive: they travel side by side. */
const CROSSING_MS = 1000;
const CROSSING_STEP_MS = 50;
/** A cancellation that was sent before a call may arrive so much later than it, however long ago the result was sent. */
const ARRIVAL_MS = 250;
const LATE_CANCEL_MS = 2000;
const SHORTEST_WAIT_MS = 1000;
/**
 * A client whose calls overlapped so recently runs several agents, also while only one of them calls: another may be stuck
 * on a broken connection until its own timeout.
 */
const PARALLEL_MS = 10 * 60_000;

export class Calls {
  readonly #byKey = new Map<string, OpenCall>();
  readonly #open = new Set<OpenCall>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #handovers = new Set<Handover>();
  /** How long a client waits, where one of its calls has timed out. */
  readonly #timeouts = new Map<string, number>();
  readonly #comments = new Map<string, number>();
  /** When two calls of a client were last under way at the same time. */
  readonly #overlaps = new Map<string, number>();

  begin(caller: Caller, requestId: unknown): Call {
    const key = callKey(caller.client, requestId);
    const abort = new AbortController();
    const call: OpenCall = { ...caller, key, abort, signal: abort.signal, startedAt: performance.now() };
    this.#byKey.set(key, call);
    this.#open.add(call);
    this.#noteOverlap(call);
    return call;
  }

  /** What the call was sent can still be given back. */
  end(call: Call): void {
    this.#open.delete(call as OpenCall);
    if (this.#byKey.get(call.key) === call && !this.#sentTo(call)) this.#byKey.delete(call.key);
  }

  /** The caller has given up or hung up. False where this process knows no such call. */
  async cancel(key: string, reason = ''): Promise<boolean> {
    const call = this.#byKey.get(key);
    if (!call) return false;
    if (/time/i.test(reason)) this.#noteTimeout(call);
    call.abort.abort();
    this.#byKey.delete(key);
    this.#open.delete(call);
    for (const handover of [...this.#handovers].filter((sent) => sent.call === call)) {
      if (isLost(handover)) await this.#giveBack(handover);
      else handover.isShared = true;
    }
    return true;
  }

  /** Before the result is written. A call that was cancelled meanwhile gives it back. */
  async sent(call: Call, handover: Omit<Handover, 'call' | 'sentAt'>): Promise<void> {
    const isShared = handover.isShared || this.#hasOverlapped(call);
    const whole = { ...handover, call: call as OpenCall, sentAt: performance.now(), isShared };
    this.#handovers.add(whole);
    if (this.#handovers.size > MOST_HANDOVERS)
      this.#handovers.delete(this.#handovers.values().next().value as Handover);
    if (call.signal.aborted) await this.#giveBack(whole);
  }

  /** The client calls again: it has what it was sent before, except what it asks for once more. */
  async confirm(call: Pick<Caller, 'client'>, exceptAskId?: string): Promise<void> {
    const before = [...this.#handovers].filter(
      (h) => h.call.client === call.client && !h.isShared && h.askId !== exceptAskId,
    );
    if (before.length === 0) return;
    const lastSentAt = Math.max(...before.map(({ sentAt }) => sentAt));
    await sleep(Math.max(ARRIVAL_MS, lastSentAt + CROSSING_MS - performance.now()));
    // On a busy machine the timer may fire before what arrived meanwhile, such as the end of a connection, was read.
    await setImmediate();
    await setImmediate();
    for (const handover of before) {
      if (handover.isShared || !handover.call.connection.isOpen() || !this.#handovers.delete(handover)) continue;
      this.end(handover.call);
      await handover.confirm();
    }
  }

  /** The call waits for the ask from now on, until it ends. */
  hold(call: Call, askId: string): void {
    (call as OpenCall).askId = askId;
  }

  /** Whether another call waits for the ask, and not one that is just being cancelled, here or at another server. */
  async waitsFor(askId: string, self: Call, isCancelled: ToolBackend['isCancelled']): Promise<boolean> {
    const holders = () => [...this.#open].filter((call) => call.askId === askId && call !== self);
    for (let left = CROSSING_MS; left > 0 && holders().length > 0; left -= CROSSING_STEP_MS) {
      for (const { key } of holders()) if (await isCancelled(key)) await this.cancel(key);
      await sleep(CROSSING_STEP_MS);
    }
    return holders().length > 0;
  }

  /** How many comments of people the results of this process have shown of an ask: a further one ends a wait. */
  commentsShown = (askId: string): number => this.#comments.get(askId) ?? 0;

  showComments(askId: string, count: number): void {
    if (count === 0) return;
    this.#comments.set(askId, count);
    if (this.#comments.size > MOST_HANDOVERS) this.#comments.delete(this.#comments.keys().next().value as string);
  }

  /** One call of a session after the other. */
  async inTurn<T>({ sessionId }: Caller, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(sessionId) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => {});
    this.#turns.set(sessionId, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(sessionId) === settled) this.#turns.delete(sessionId);
    }
  }

  /** At most so long, and less than this client has been seen to wait. */
  limit({ client }: Caller, limitMs: number): number {
    return Math.min(limitMs, this.#timeouts.get(client) ?? limitMs);
  }

  #noteTimeout({ client, startedAt }: OpenCall): void {
    const seen = Math.max(SHORTEST_WAIT_MS, (performance.now() - startedAt) * 0.8);
    this.#timeouts.set(client, Math.min(seen, this.#timeouts.get(client) ?? seen));
    if (this.#timeouts.size > MOST_HANDOVERS) this.#timeouts.delete(this.#timeouts.keys().next().value as string);
  }

  #noteOverlap(call: OpenCall): void {
    if (![...this.#open].some((other) => other !== call && other.client === call.client)) return;
    this.#overlaps.set(call.client, performance.now());
    if (this.#overlaps.size > MOST_HANDOVERS) this.#overlaps.delete(this.#overlaps.keys().next().value as string);
  }

  #hasOverlapped = ({ client }: Call): boolean =>
    performance.now() - (this.#overlaps.get(client) ?? Number.NEGATIVE_INFINITY) < PARALLEL_MS;

  #sentTo = (call: Call): boolean => [...this.#handovers].some((handover) => handover.call === call);

  async #giveBack(handover: Handover): Promise<void> {
    if (this.#handovers.delete(handover)) await handover.giveBack();
  }
}

/** Some clients cancel calls whose result they have. One that crossed it arrives soon, or its connection has closed. */
const isLost = ({ sentAt, call }: Handover): boolean =>
  performance.now() - sentAt < LATE_CANCEL_MS || !call.connection.isOpen();

export const callKey = (client: string, requestId: unknown): string => `${client} ${JSON.stringify(requestId)}`;

/** What every tool works with. */
export interface Backed {
  backend: ToolBackend;
  calls: Calls;
  patience: Patience;
}
