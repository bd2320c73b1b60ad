// Many waits over one stream: a parked ask costs a map entry, not a connection. The stream is opened by the first wait
// and closed when nothing waits any more. An event is a wake-up; after every (re)connect each parked wait looks on the
// server again, so that a missed event never loses an answer. Where streams are refused, each wait polls instead.
import type { EventView } from '../core/views.ts';
import { HoldpointProblem, type Http, sleep } from './http.ts';
import { follow, StreamRefused } from './stream.ts';

export interface Wait<T> {
  /** The events that end the wait carry this ask id. */
  askId: string;
  signal?: AbortSignal | undefined;
  /** Asks the server; undefined when it is not there yet. May take up to `patienceMs` to find out. */
  look(patienceMs: number, signal: AbortSignal): Promise<T | undefined>;
  /** Takes it from the event itself, where that says enough. */
  read?(event: EventView): T | undefined;
}

/** A call that raises an ask is under way: its answer may be heard before the call has returned. */
export interface Raising {
  heard(askId: string): EventView | undefined;
  /** Whether the stream has listened from before the call until now without a gap. */
  listened(): boolean;
  done(): void;
}

interface Parked {
  wake(event?: EventView): void;
  poll(): void;
  fail(error: unknown): void;
}
interface Stream {
  stop: AbortController;
  opens: number;
}

const LINGER_MS = 250;
const LOOK_AGAIN_MS = 1000;
const POLL_MS = 30_000;
const LOOKS_AT_ONCE = 8;
const RUN_ENDS = new Set(['completed', 'failed', 'interrupted', 'cancelled']);
const WAKES = new Set(['ask.claimed', 'mailbox.posted', 'mailbox.dead']);

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
      const over = new AbortController();
      const leave = () => {
        over.abort();
        wait.signal?.removeEventListener('abort', abort);
        drop(this.#parked, wait.askId, parked);
        this.#rest();
      };
      const settle = (value: T) => {
        leave();
        resolve(value);
      };
      const fail = (error: unknown) => {
        leave();
        reject(error);
      };
      const abort = () => fail(wait.signal?.reason);
      const look = async (patienceMs: number): Promise<void> => {
        while (!over.signal.aborted) {
          try {
            const value = await wait.look(patienceMs, over.signal);
            if (over.signal.aborted) return;
            if (value !== undefined) return settle(value);
            if (patienceMs === 0) return;
          } catch (error) {
            if (over.signal.aborted) return;
            if (error instanceof HoldpointProblem && error.status < 500) return fail(error);
            await sleep(LOOK_AGAIN_MS, over.signal).catch(() => {});
          }
        }
      };
      const parked: Parked = {
        wake: (event) => {
          const value = event && wait.read?.(event);
          if (value !== undefined) return settle(value);
          void this.#looks(() => look(0));
        },
        poll: () => void look(POLL_MS),
        fail,
      };
      if (wait.signal?.aborted) return reject(wait.signal.reason);
      wait.signal?.addEventListener('abort', abort, { once: true });
      add(this.#parked, wait.askId, parked);
      const early = raising?.heard(wait.askId);
      if (this.#polling) return parked.poll();
      const stream = this.#listen();
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

/** Runs at most so many at once; the others wait their turn. */
function createGate(limit: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work: () => Promise<void>): Promise<void> => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

function add<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

function drop<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  set?.delete(value);
  if (set?.size === 0) map.delete(key);
}
