// Follows the event log and notifies waiters: a stream, a long poll or a parked worker is a cursor over the table plus an
// advisory wake-up. A waiter reads missed events from the table.
import { type Event, type EventType, isOnlyLooking } from '../core/event.ts';
import type { EventFilter, Store } from '../core/ports.ts';
import { add, drop } from '../core/sets.ts';
import { eventPage } from './event-page.ts';

const PAGE = 500;
const SAFETY_NET_MS = 1000;
const RETRY_MS = 250;
/** Events of another server may arrive after later ones of this server. A number that stays out was never given to one. */
const GAP_MS = 20;
const MOST_AHEAD = 10_000;

export interface Follower {
  filter: EventFilter;
  /** New events after the cursor, oldest first. False pauses the delivery until `resume`. */
  deliver(events: readonly Event[]): boolean;
}

export interface Following {
  /** Continue after a pause, reading what was missed. */
  resume(): void;
  stop(): void;
}

export class Feed {
  readonly #store: Store;
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #live = new Map<string, Set<Cursor>>();
  /** Every event up to this number is committed and was announced. */
  #head = 0;
  /** Committed events after a number that has not been heard of yet. */
  readonly #ahead = new Map<number, Event>();
  #gap: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #released = false;

  constructor(store: Store) {
    this.#store = store;
  }

  async start(): Promise<void> {
    this.#head = await this.#store.read((r) => r.lastSeq());
    this.#store.onCommit((appended) => this.#take(appended));
    this.#timer = setInterval(() => this.wake(), SAFETY_NET_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#gap);
    await this.#pumping;
    for (const cursors of this.#live.values()) cursors.clear();
    this.release();
  }

  /** Ends every wait with the current state; later waits end at once. */
  release(): void {
    this.#released = true;
    for (const waiting of this.#waiters.values()) for (const wake of [...waiting]) wake();
  }

  get released(): boolean {
    return this.#released;
  }

  /** Announces committed events without a read as soon as none before them is missing; otherwise the table is read. */
  #take(appended: readonly Event[] = []): void {
    for (const event of appended) if (event.seq > this.#head) this.#ahead.set(event.seq, event);
    if (!this.#pumping) this.#announceNext();
    if (appended.length === 0 || this.#ahead.size > MOST_AHEAD) this.wake();
    else if (this.#ahead.size > 0) this.#awaitGap();
  }

  #announceNext(): void {
    const next: Event[] = [];
    for (let event = this.#ahead.get(this.#head + 1); event; event = this.#ahead.get(this.#head + 1)) {
      next.push(event);
      this.#ahead.delete(event.seq);
      this.#head = event.seq;
    }
    if (next.length === 0) return;
    this.#store.shown(this.#head);
    this.#announce(next);
  }

  #awaitGap(): void {
    this.#gap ??= setTimeout(() => {
      this.#gap = undefined;
      if (this.#ahead.size > 0) this.wake();
    }, GAP_MS);
  }

  wake(): void {
    this.#again = true;
    this.#pumping ??= this.#pump();
  }

  /** Ends in the same step as its last check of `#again`: a wake-up in between would wait for the safety net. */
  async #pump(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        const { events, hasMore } = await this.#store
          .read((r) => eventPage(r, {}, this.#head, PAGE))
          .catch(() => ({ events: [], hasMore: false }));
        const last = events.at(-1);
        if (!last) continue;
        this.#head = last.seq;
        for (const seq of this.#ahead.keys()) if (seq <= last.seq) this.#ahead.delete(seq);
        if (hasMore) this.#again = true;
        this.#announce(events);
      }
    } finally {
      this.#pumping = undefined;
    }
    this.#announceNext();
    if (this.#ahead.size > 0) this.#awaitGap();
  }

  /** A sighting wakes no waiter: it changes nothing that a waiter looks for. */
  #announce(events: readonly Event[]): void {
    const woken = new Set<() => void>();
    const fresh = new Map<Cursor, Event[]>();
    for (const event of events) {
      for (const topic of topicsOf(event)) {
        if (!isOnlyLooking(event.type)) for (const wake of this.#waiters.get(topic) ?? []) woken.add(wake);
        for (const cursor of this.#live.get(topic) ?? []) {
          const list = fresh.get(cursor);
          if (list) list.push(event);
          else fresh.set(cursor, [event]);
        }
      }
    }
    for (const [cursor, list] of fresh) cursor.offer(list);
    for (const wake of woken) wake();
  }

  /** Resolves on an event of the topic, after the timeout, or on abort. */
  wait(topic: string, ms: number, signal?: AbortSignal): { woken: Promise<void>; cancel: () => void } {
    let wake: () => void = () => {};
    const woken = new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), ms);
      wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        drop(this.#waiters, topic, wake);
        resolve();
      };
      add(this.#waiters, topic, wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
    return { woken, cancel: () => wake() };
  }

  follow(follower: Follower, after: number): Following {
    const topic = topicOf(follower.filter);
    let position = after;
    let stopped = false;
    let reading = false;
    let announced = false;
    const cursor: Cursor = {
      offer: (events) => {
        announced = true;
        const unseen = reading ? [] : events.filter((e) => e.seq > position);
        if (unseen.length > 0) show(unseen);
      },
    };
    const show = (events: readonly Event[]): boolean => {
      position = events.at(-1)?.seq ?? position;
      const wantsMore = events.length === 0 || follower.deliver(events);
      if (!wantsMore) drop(this.#live, topic, cursor);
      return wantsMore;
    };

    /**
     * Reads until nothing is missing. Events announced meanwhile are read from the table: the read may contain them too.
     * No `await` between the last read and being live again, so that no announcement is lost.
     */
    const resume = async (): Promise<void> => {
      if (stopped || reading) return;
      reading = true;
      add(this.#live, topic, cursor);
      try {
        for (let missing = true; missing; ) {
          announced = false;
          const { events, hasMore } = await this.#store.read((r) => eventPage(r, follower.filter, position, PAGE));
          missing = !stopped && show(events) && (announced || hasMore);
        }
      } catch {
        drop(this.#live, topic, cursor);
        setTimeout(resume, RETRY_MS).unref();
      } finally {
        reading = false;
      }
    };
    resume();
    return {
      resume,
      stop: () => {
        stopped = true;
        drop(this.#live, topic, cursor);
      },
    };
  }
}

interface Cursor {
  offer(events: readonly Event[]): void;
}

/** Events after which a run may be claimable: new, answered, released, or next in a queue whose head has ended. */
const MAKES_WORK = new Set<EventType>([
  'accepted',
  'ask.claimed',
  'run.released',
  'run.recovered',
  'completed',
  'failed',
  'interrupted',
  'cancelled',
]);

function topicsOf(event: Event): string[] {
  const topics = ['all', `session:${event.sessionId}`];
  if (event.runId !== undefined) topics.push(`run:${event.runId}`);
  if (event.askId !== undefined) topics.push(`ask:${event.askId}`);
  if (MAKES_WORK.has(event.type)) topics.push('work');
  return topics;
}

function topicOf(filter: EventFilter): string {
  if (filter.runId !== undefined) return `run:${filter.runId}`;
  if (filter.sessionId !== undefined) return `session:${filter.sessionId}`;
  return 'all';
}
