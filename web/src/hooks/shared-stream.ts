// One event stream for all tabs of a browser: a browser opens few connections to a server, and each tab with a stream of
// its own would soon leave none to answer with. The tab that holds the lock follows the server and passes every event on;
// when it closes, the next one goes on from the last event it has seen.
import type { Http } from '../../../src/client/http.ts';
import { type Follow, follow } from '../../../src/client/stream.ts';
import type { EventView } from '../../../src/core/views.ts';
import { api } from '../api.ts';

const NAME = 'holdpoint-events';
const PAGE = 500;

type Passed = { event: EventView } | { link: 'live' | 'lost' } | { notice: string; data: unknown };

/** In the place of `follow`, for the stream of all sessions. */
export async function followShared(http: Http, options: Follow<EventView>): Promise<void> {
  const { signal, onEvent, onNotice, onOpen, onLost } = options;
  const channel = new BroadcastChannel(NAME);
  let seen = Number(options.after ?? 0);
  let early: EventView[] | undefined = [];
  const take = (event: EventView): void => {
    if (early) early.push(event);
    if (early || event.seq <= seen) return;
    seen = event.seq;
    onEvent(event);
  };
  channel.onmessage = ({ data }: MessageEvent<Passed>) => {
    if ('event' in data) take(data.event);
    else if ('notice' in data) onNotice?.(data.notice, data.data);
    else if (data.link === 'live') onOpen?.();
    else onLost?.();
  };
  try {
    // What happened before the channel was open.
    const missed = await missedSince(seen, signal);
    const waiting = [...missed, ...early];
    early = undefined;
    for (const event of waiting) take(event);
    onOpen?.();
    const pass = (passed: Passed) => channel.postMessage(passed);
    await navigator.locks.request(NAME, { signal }, () =>
      follow<EventView>(http, {
        ...options,
        after: seen,
        onEvent(event) {
          take(event);
          pass({ event });
        },
        onNotice(notice, data) {
          onNotice?.(notice, data);
          pass({ notice, data });
        },
        onOpen() {
          onOpen?.();
          pass({ link: 'live' });
        },
        onLost() {
          onLost?.();
          pass({ link: 'lost' });
        },
      }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

async function missedSince(after: number, signal: AbortSignal): Promise<EventView[]> {
  const events: EventView[] = [];
  for (let at = after; !signal.aborted; ) {
    const { items, next } = await api.events.list({ after: at, limit: PAGE });
    events.push(...items);
    if (next === undefined) break;
    at = items.at(-1)?.seq ?? at;
  }
  return events;
}
