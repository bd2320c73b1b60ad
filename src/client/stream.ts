// Follows an event stream over reconnects: resumes after the last event it has seen, backs off, and takes a silent
// connection for a dead one. Owns the connection; its caller interprets the events.
import { createParser } from 'eventsource-parser';
import type { EventView } from '../core/views.ts';
import { backoffMs, HoldpointProblem, type Http, sleep } from './http.ts';

export interface Follow<T> {
  path: string;
  /** What comes after this one; without it a stream of all sessions begins now. */
  after?: number | string | undefined;
  signal: AbortSignal;
  /** Called each time the stream is open, before its first event. */
  onOpen?: (() => void) | undefined;
  /** Called when the stream has ended or could not be opened, before it is tried again. */
  onLost?: (() => void) | undefined;
  onEvent(event: T): void;
  /** What the stream says besides its events, by its name. */
  onNotice?: ((name: string, data: unknown) => void) | undefined;
}

/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000;

/** The server does not give this caller a stream; trying again would not help. */
export class StreamRefused extends Error {
  readonly problem: unknown;

  constructor(problem: unknown) {
    super('The server does not offer this stream.', { cause: problem });
    this.name = 'StreamRefused';
    this.problem = problem;
  }
}

/** Follows until the signal says stop. Rejects only when the stream is refused for good. */
export async function follow<T = EventView>(http: Http, options: Follow<T>): Promise<void> {
  const { signal } = options;
  let cursor = options.after;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (cursor !== undefined) headers['last-event-id'] = String(cursor);
      await connection(http, options, headers, (place, isEvent) => {
        cursor = place;
        if (isEvent) failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error instanceof StreamRefused ? error : new StreamRefused(error);
    }
    options.onLost?.();
    await sleep(backoffMs(failures), signal).catch(() => {});
  }
}

type Seen = (place: string, isEvent: boolean) => void;

/** One connection, until it ends. `seen` is told every position that the stream has passed. */
async function connection<T>(
  http: Http,
  options: Follow<T>,
  headers: Record<string, string>,
  seen: Seen,
): Promise<void> {
  const own = new AbortController();
  const stop = () => own.abort(options.signal.reason);
  options.signal.addEventListener('abort', stop, { once: true });
  let silence = setTimeout(() => own.abort(), SILENCE_MS);
  try {
    options.signal.throwIfAborted();
    const response = await http.open({ method: 'GET', path: options.path, headers, signal: own.signal });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      own.abort();
      throw new StreamRefused(new Error(`got ${response.headers.get('content-type')} instead of an event stream`));
    }
    const begin = response.headers.get('holdpoint-cursor');
    if (begin !== null) seen(begin, false);
    options.onOpen?.();
    const parser = createParser({
      onEvent: ({ event, data, id }) => {
        if (event === undefined) options.onEvent(JSON.parse(data) as T);
        else options.onNotice?.(event, JSON.parse(data));
        if (id) seen(id, true);
      },
    });
    const decoder = new TextDecoder();
    // Not `for await`: not every browser can iterate over a body.
    const reader = response.body.getReader();
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(), SILENCE_MS);
      parser.feed(decoder.decode(value as Uint8Array, { stream: true }));
    }
  } finally {
    clearTimeout(silence);
    options.signal.removeEventListener('abort', stop);
    own.abort();
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof StreamRefused) return true;
  return error instanceof HoldpointProblem && error.status < 500 && error.code !== 'rate_limited';
}

/** The same as an async iteration. Ends when the signal says so or the loop is left. */
export async function* iterate<T = EventView>(
  http: Http,
  options: Omit<Follow<T>, 'onEvent' | 'onNotice'>,
): AsyncGenerator<T> {
  const own = new AbortController();
  const signal = AbortSignal.any([own.signal, options.signal]);
  const queue: T[] = [];
  let wake: () => void = () => {};
  let over = false;
  let failure: unknown;
  const onEvent = (event: T) => {
    queue.push(event);
    wake();
  };
  const following = follow(http, { ...options, signal, onEvent })
    .catch((error) => {
      failure = error;
    })
    .finally(() => {
      over = true;
      wake();
    });
  try {
    for (;;) {
      for (let next = queue.shift(); next; next = queue.shift()) yield next;
      if (over) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure) throw failure;
  } finally {
    own.abort();
    await following;
  }
}
