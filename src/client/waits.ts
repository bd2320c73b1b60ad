// Shares one stream between many waits: a parked ask costs a map entry, not a connection. The first wait opens the
// stream and the last one closes it. An event is a wake-up; after every (re)connect each parked wait reads its ask
// again, so that a missed event never loses an answer. Where streams are refused, each wait polls instead.
import { add, drop } from '../core/sets.ts';
import type { EventView } from '../core/views.ts';
import { HoldpointProblem, type Http } from './http.ts';
import { createGate, type Parked, ParkedWait, type Wait } from './parked-wait.ts';
import { follow, StreamRefused } from './stream.ts';

/** A call that raises an ask is under way: its answer may be heard before the call has returned. */
export interface Raising {
  heard(askId: string): EventView | undefined;
  /** Whether the stream has listened from before the call until now without a gap. */
  listened(): boolean;
  done(): void;
}

interface Stream {
  stop: AbortController;
  opens: number;
}

const LINGER_MS = 250;
const LOOKS_AT_ONCE = 8;
const RUN_ENDS = new Set(['completed', 'failed', 'interrupted', 'cancelled']);
const WAKES = new Set(['ask.claimed', 'ask.commented', 'mailbox.posted', 'mailbox.dead']);

export class Waits {
  readonly #http: Http;
  readonly #parked = new Map<string, Set<Parked>>();
  readonly #raising = new Map<string, { calls: number; heard: Map<string, EventView> }>();
  readonly #runs = new Map<string, Set<(event: EventView) => void>>();
  readonly #looks = createGate(LOOKS_AT_ONCE);
  #stream: Stream | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #polling: boolean;

  constructor(http: Http, options: { polling?: boolean | undefined } = {}) {
    this.#http = http;
    this.#polling = options.polling ?? false;
  }

  /** Begin before the ask is raised: what is heard of this run meanwhile is kept until `done`. */
  raising(runId: string): Raising {
    const known = this.#raising.get(runId) ?? { calls: 0, heard: new Map<string, EventView>() };
    known.calls += 1;
    this.#raising.set(runId, known);
    const stream = this.#listen();
    const opens = stream?.opens;
    return {
      heard: (askId) => known.heard.get(askId),
      listened: () => stream !== undefined && stream === this.#stream && stream.opens === opens && opens > 0,
      done: () => {
        known.calls -= 1;
        if (known.calls === 0) this.#raising.delete(runId);
        this.#rest();
      },
    };
  }

  /** Resolves when the wait has what it waits for. `raising` says what was heard before. */
  until<T>(wait: Wait<T>, raising?: Raising): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (wait.signal?.aborted) return reject(wait.signal.reason);
      const parked: Parked = new ParkedWait(wait, resolve, reject, this.#looks, () => {
        drop(this.#parked, wait.askId, parked);
        this.#rest();
      });
      add(this.#parked, wait.askId, parked);
      if (this.#polling) return parked.poll();
      const stream = this.#listen();
      const early = raising?.heard(wait.askId);
      if (early) return parked.wake(early);
      if (!raising?.listened() && stream && stream.opens > 0) parked.wake();
    });
  }

  /** Calls back when the run has ended, by whomever. The returned function stops watching. */
  watchRun(runId: string, ended: (event: EventView) => void): () => void {
    add(this.#runs, runId, ended);
    this.#listen();
    return () => {
      drop(this.#runs, runId, ended);
      this.#rest();
    };
  }

  /** How many waits are parked. */
  get parked(): number {
    return this.#parked.size;
  }

  close(): void {
    clearTimeout(this.#linger);
    this.#stream?.stop.abort();
    this.#stream = undefined;
    for (const parked of this.#everyone()) parked.fail(new Error('The Holdpoint client was closed.'));
  }

  #listen(): Stream | undefined {
    clearTimeout(this.#linger);
    if (this.#polling) return undefined;
    if (this.#stream) return this.#stream;
    const stream: Stream = { stop: new AbortController(), opens: 0 };
    this.#stream = stream;
    follow(this.#http, {
      path: '/v1/events',
      signal: stream.stop.signal,
      onOpen: () => {
        stream.opens += 1;
        for (const parked of this.#everyone()) parked.wake();
      },
      onEvent: (event) => this.#hear(event),
    }).catch((error: unknown) => this.#withoutStream(stream, error));
    return stream;
  }

  #hear(event: EventView): void {
    if (event.run_id !== undefined && RUN_ENDS.has(event.type))
      for (const ended of this.#runs.get(event.run_id) ?? []) ended(event);
    if (event.ask_id === undefined || !WAKES.has(event.type)) return;
    if (event.run_id !== undefined) this.#raising.get(event.run_id)?.heard.set(event.ask_id, event);
    for (const parked of [...(this.#parked.get(event.ask_id) ?? [])]) parked.wake(event);
  }

  /** A token that is no good fails everyone; any other refusal leaves polling. */
  #withoutStream(stream: Stream, error: unknown): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    const problem = error instanceof StreamRefused ? error.problem : error;
    if (problem instanceof HoldpointProblem && problem.status === 401) {
      for (const parked of this.#everyone()) parked.fail(problem);
      return;
    }
    this.#polling = true;
    for (const parked of this.#everyone()) parked.poll();
  }

  /** Nothing waits: the stream is closed a little later, so that a script can end and a busy one need not reconnect. */
  #rest(): void {
    if (this.#parked.size > 0 || this.#raising.size > 0 || this.#runs.size > 0 || !this.#stream) return;
    clearTimeout(this.#linger);
    const { stop } = this.#stream;
    this.#linger = setTimeout(() => {
      if (this.#stream?.stop !== stop) return;
      this.#stream = undefined;
      stop.abort();
    }, LINGER_MS);
  }

  #everyone(): Parked[] {
    return [...this.#parked.values()].flatMap((set) => [...set]);
  }
}
