// Shares one event stream among all tabs of a browser, which opens only a few connections to a server. The tab that holds
// a lock follows the server and broadcasts each event; when it closes, the next one continues after its last event.
import type { Http } from '../../../src/client/http.ts';
import { type Follow, follow } from '../../../src/client/stream.ts';
import type { EventView } from '../../../src/core/views.ts';
import { api } from '../api.ts';

/** Of the lock and of the channel. */
const NAME = 'holdpoint-events';
const PAGE_SIZE = 500;

type Message = { event: EventView } | { link: 'live' | 'lost' } | { notice: string; data: unknown };

/** Replaces `follow` for the stream of all sessions. */
export async function followShared(http: Http, options: Follow<EventView>): Promise<void> {
  const { signal, onEvent, onNotice, onOpen, onLost } = options;
  const channel = new BroadcastChannel(NAME);
  let lastSeq = Number(options.after ?? 0);
  let buffered: EventView[] | undefined = [];
  const receive = (event: EventView): void => {
    if (buffered) buffered.push(event);
    if (buffered || event.seq <= lastSeq) return;
    lastSeq = event.seq;
    onEvent(event);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('event' in data) receive(data.event);
    else if ('notice' in data) onNotice?.(data.notice, data.data);
    else if (data.link === 'live') onOpen?.();
    else onLost?.();
  };
  try {
    // Events from before the channel was open.
    const missed = await eventsAfter(lastSeq, signal);
    const waiting = [...missed, ...buffered];
    buffered = undefined;
    for (const event of waiting) receive(event);
    onOpen?.();
    const broadcast = (message: Message) => channel.postMessage(message);
    await navigator.locks.request(NAME, { signal }, () =>
      follow<EventView>(http, {
        ...options,
        after: lastSeq,
        onEvent(event) {
          receive(event);
          broadcast({ event });
        },
        onNotice(notice, data) {
          onNotice?.(notice, data);
          broadcast({ notice, data });
        },
        onOpen() {
          onOpen?.();
          broadcast({ link: 'live' });
        },
        onLost() {
          onLost?.();
          broadcast({ link: 'lost' });
        },
      }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

async function eventsAfter(seq: number, signal: AbortSignal): Promise<EventView[]> {
  const events: EventView[] = [];
  for (let after = seq; !signal.aborted; ) {
    const { items, next } = await api.events.list({ after, limit: PAGE_SIZE });
    events.push(...items);
    if (next === undefined) break;
    after = items.at(-1)?.seq ?? after;
  }
  return events;
}
