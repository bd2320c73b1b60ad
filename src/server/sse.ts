// Serves live event streams. A stream is a cursor over the log: it begins after a given event, resumes where it
// stopped, and sends a slow reader nothing more until it has read what it was sent.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Event } from '../core/event.ts';
import type { EventFilter } from '../core/ports.ts';
import type { Actor } from '../core/token.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { eventJson } from '../gateway/views.ts';

const HEARTBEAT_MS = 15_000;
/** Of all streams of one token together. */
const MOST_UNREAD = 8 * 1024 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Open {
  actor: Actor;
  wantsDrafts: boolean;
  end: () => void;
  check: () => void;
  /** Whether it had unread frames at the last heartbeat. Twice in a row ends it: they are held in memory. */
  wasUnread: boolean;
}

/** Without a revision the draft is gone. */
interface DraftNotice {
  ask_id: string;
  saved_by: string;
  revision?: number;
  saved_at_ms?: number;
}

interface Beginning {
  filter: EventFilter;
  after: number;
  /** Sent before any event. */
  first?: string | undefined;
  wantsDrafts?: boolean | undefined;
  /** Which events are sent; all of them otherwise. */
  isShown?: ((event: Event) => boolean) | undefined;
  /** The texts that follow from an event, where they are not the event itself; none, where there is nothing to show. */
  framesOf?: (event: Event) => string;
  /** As `framesOf`, for texts that need a look-up. Nothing is delivered meanwhile, so that the order stays. */
  lookUp?: ((events: readonly Event[]) => Promise<string>) | undefined;
  /** Where the stream begins, as its reader writes it. */
  cursor?: string;
}

export class Streams {
  readonly #open = new Map<ServerResponse, Open>();
  readonly #frames = new WeakMap<Event, string>();
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;

  constructor() {
    this.#heartbeat = setInterval(() => {
      for (const [response, stream] of this.#open) {
        if (!response.writableNeedDrain) response.write(':\n\n');
        else if (stream.wasUnread) response.destroy();
        stream.wasUnread = response.writableNeedDrain;
        stream.check();
      }
    }, HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Takes over the reply. `done` is called once, when the stream is over. */
  open(gateway: Gateway, request: FastifyRequest, reply: FastifyReply, begin: Beginning, done: () => void): void {
    const { filter, after, first, wantsDrafts = false, isShown } = begin;
    const { actor } = request;
    reply.hijack();
    const response = reply.raw;
    request.raw.socket.setNoDelay(true);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'holdpoint-cursor': begin.cursor ?? String(after),
    });
    response.write(first ?? ':\n\n');
    const framesOf = begin.framesOf ?? ((event: Event) => this.#frame(event));
    const write = (frames: string) => {
      if (frames === '') return !response.writableNeedDrain;
      // Its reader comes back and continues after the last event it has.
      if (this.#unreadOf(actor) > MOST_UNREAD) response.destroy();
      return response.write(frames);
    };
    let isLookingUp = false;
    const resume = () => {
      if (!isLookingUp) following.resume();
    };
    const lookUp = async (events: readonly Event[]) => {
      isLookingUp = true;
      const frames = await begin.lookUp?.(events).catch(() => undefined);
      isLookingUp = false;
      if (!this.#open.has(response)) return;
      if (frames === undefined) return end();
      if (write(frames)) resume();
    };
    const deliver = (events: readonly Event[]) => {
      const shown = isShown ? events.filter(isShown) : events;
      if (!begin.lookUp || shown.length === 0) return write(shown.map(framesOf).join(''));
      void lookUp(shown);
      return false;
    };
    const following = gateway.follow({ filter, deliver }, after);
    // Nothing may be written after the end, however long a slow reader takes to see it: that would be an error of ours.
    const end = () => {
      following.stop();
      this.#open.delete(response);
      response.end();
    };
    const check = () => void gateway.checkStillGood(actor).catch(end);
    const left = actor.expiresAt === undefined ? undefined : actor.expiresAt - gateway.now();
    const expiry = left === undefined || left > LONGEST_TIMER_MS ? undefined : setTimeout(end, left);
    this.#open.set(response, { actor, wantsDrafts, end, check, wasUnread: false });
    check();
    response.on('drain', resume);
    response.on('error', end);
    response.once('close', () => {
      clearTimeout(expiry);
      following.stop();
      this.#open.delete(response);
      done();
    });
    if (this.#closed) end();
  }

  /** What the streams of a token hold in memory; an operator's are not limited. */
  #unreadOf({ tokenId, scope }: Actor): number {
    if (scope === 'operator') return 0;
    let bytes = 0;
    for (const [response, { actor }] of this.#open) if (actor.tokenId === tokenId) bytes += response.writableLength;
    return bytes;
  }

  /** One text for all streams that show the event. */
  #frame(event: Event): string {
    let frame = this.#frames.get(event);
    if (frame === undefined) {
      frame = `id: ${event.seq}\ndata: ${eventJson(event)}\n\n`;
      this.#frames.set(event, frame);
    }
    return frame;
  }

  /** To its author's devices that asked for it: another one typed. What, they read themselves. */
  tellDraft(notice: DraftNotice, person: string): void {
    const frame = `event: draft\ndata: ${JSON.stringify(notice)}\n\n`;
    for (const [response, { actor, wantsDrafts }] of this.#open)
      if (wantsDrafts && actor.person === person && !response.writableNeedDrain) response.write(frame);
  }

  /** A token that was revoked hears nothing more. */
  endOf(tokenId: string): void {
    for (const { actor, end } of [...this.#open.values()]) if (actor.tokenId === tokenId) end();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const { end } of [...this.#open.values()]) end();
  }
}

/** Where a stream begins: the larger of the header and the query, else what the route says. */
export function cursorOf(request: FastifyRequest, after: number | undefined): number | undefined {
  const header = Number(request.headers['last-event-id']);
  const seen =
    Number.isSafeInteger(header) && header >= 0 && request.headers['last-event-id'] !== '' ? header : undefined;
  if (seen === undefined) return after;
  return Math.max(seen, after ?? 0);
}

export const wantsStream = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/event-stream');
