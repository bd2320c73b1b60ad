// Tracks the tool calls of this process: which ask a call waits for, and which answers it was sent and has not yet shown to
// have. SPEC.md (MCP tools) has the states; the store keeps what another server must know.
import { setImmediate } from 'node:timers/promises';
import type { ToolBackend } from './tool-backend.ts';
import type { Patience } from './wait.ts';

/** Who calls on a transport: request ids are unique within `client`. */
export interface Caller {
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
}

interface Handover {
  call: OpenCall;
  askId: string;
  confirm(): Promise<void>;
  giveBack(): Promise<void>;
}

const MOST_HANDOVERS = 10_000;
const SHORTEST_WAIT_MS = 1000;

export class Calls {
  readonly #byKey = new Map<string, OpenCall>();
  readonly #waiting = new Map<string, number>();
  readonly #handovers = new Set<Handover>();
  /** How long a client waits, where one of its calls has timed out. */
  readonly #timeouts = new Map<string, number>();

  begin({ client, connection }: Caller, requestId: unknown): Call {
    const key = callKey(client, requestId);
    const abort = new AbortController();
    const call = { client, connection, key, abort, signal: abort.signal, startedAt: performance.now() };
    this.#byKey.set(key, call);
    return call;
  }

  /** What the call was sent can still be given back. */
  end(call: Call): void {
    if (this.#byKey.get(call.key) === call && !this.#sentTo(call)) this.#byKey.delete(call.key);
  }

  /** The caller has given up or hung up. False where this process knows no such call. */
  async cancel(key: string, reason = ''): Promise<boolean> {
    const call = this.#byKey.get(key);
    if (!call) return false;
    if (/time/i.test(reason)) this.#noteTimeout(call);
    call.abort.abort();
    this.#byKey.delete(key);
    for (const handover of [...this.#handovers]) if (handover.call === call) await this.#giveBack(handover);
    return true;
  }

  /** Before the result is written. A call that was cancelled meanwhile gives it back. */
  async sent(call: Call, handover: Omit<Handover, 'call'>): Promise<void> {
    const whole = { ...handover, call: call as OpenCall };
    this.#handovers.add(whole);
    if (this.#handovers.size > MOST_HANDOVERS)
      this.#handovers.delete(this.#handovers.values().next().value as Handover);
    if (call.signal.aborted) await this.#giveBack(whole);
  }

  /** The client calls again: it has what it was sent before, except what it asks for once more. */
  async confirm(call: Call, exceptAskId?: string): Promise<void> {
    // A connection that was cut before this call was made is seen to be closed by now.
    await setImmediate();
    const isShown = ({ askId, call: { client, connection } }: Handover) =>
      client === call.client && connection.isOpen() && askId !== exceptAskId;
    for (const handover of [...this.#handovers].filter(isShown)) {
      this.#handovers.delete(handover);
      this.end(handover.call);
      await handover.confirm();
    }
  }

  waitsFor(askId: string): boolean {
    return this.#waiting.has(askId);
  }

  async waiting<T>(askId: string, wait: () => Promise<T>): Promise<T> {
    this.#waiting.set(askId, (this.#waiting.get(askId) ?? 0) + 1);
    try {
      return await wait();
    } finally {
      const others = (this.#waiting.get(askId) ?? 1) - 1;
      if (others === 0) this.#waiting.delete(askId);
      else this.#waiting.set(askId, others);
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

  #sentTo = (call: Call): boolean => [...this.#handovers].some((handover) => handover.call === call);

  async #giveBack(handover: Handover): Promise<void> {
    if (this.#handovers.delete(handover)) await handover.giveBack();
  }
}

export const callKey = (client: string, requestId: unknown): string => `${client} ${JSON.stringify(requestId)}`;

/** What every tool works with. */
export interface Backed {
  backend: ToolBackend;
  calls: Calls;
  patience: Patience;
}
