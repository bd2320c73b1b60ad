// The inbox, fed by the event stream. Changes are gathered and shown once a frame, so that a thousand asks cost one
// drawing. Tells whoever has fetched something which of it an event made stale.
import { useSyncExternalStore } from 'react';
import { type DraftNotice, followInbox } from '../../../src/client/inbox-feed.ts';
import { api } from '../api.ts';
import { EMPTY_INBOX, type Inbox, raised, sessionSeen, settled, sighted, swept } from '../state/inbox.ts';
import { isSignedOut } from '../text/failure.ts';
import { withdrawNotice } from './notifications.ts';
import { followShared } from './shared-stream.ts';
import { isBegun } from './touched-asks.ts';

const SWEEP_MS = 1000;
const STALE_MS = 150;
const AGAIN_MS = 2000;
/** A hidden page is not drawn, but its title still counts. */
const HIDDEN_MS = 100;

let inbox = EMPTY_INBOX;
let shown = EMPTY_INBOX;
let isPlanned = false;
let lookedAt: string | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useInbox = (): Inbox => useSyncExternalStore(subscribe, () => shown);

/** The ask that the person looks at does not leave the list under their eyes. */
export const lookAt = (askId: string | undefined): void => {
  lookedAt = askId;
};

/** Looked at, or begun and not yet seen how it ended. */
const isInSight = (askId: string): boolean => askId === lookedAt || isBegun(askId);

function show(next: Inbox): void {
  if (next === inbox) return;
  inbox = next;
  if (isPlanned) return;
  isPlanned = true;
  if (document.hidden) setTimeout(draw, HIDDEN_MS);
  else requestAnimationFrame(draw);
}

function draw(): void {
  isPlanned = false;
  shown = inbox;
  for (const listener of listeners) listener();
}

interface LiveListener {
  news(asks: Parameters<typeof raised>[1]): void;
  settled(askId: string, answer: Parameters<typeof settled>[2]): void;
  signedOut(): void;
}

/** Until the signal says so; starts over after a refusal that is not a sign-out. */
export async function live(signal: AbortSignal, listener: LiveListener): Promise<void> {
  const sweeping = setInterval(() => show(swept(inbox, Date.now(), isInSight)), SWEEP_MS);
  signal.addEventListener('abort', () => clearInterval(sweeping));
  while (!signal.aborted) {
    // What settled meanwhile was not told: everything is listed anew.
    show({ ...inbox, entries: [] });
    try {
      await followInbox(
        api,
        {
          raised(asks, isNews) {
            if (signal.aborted) return;
            show(raised(inbox, asks));
            if (isNews) listener.news(asks);
          },
          settled(askId, answer) {
            show(settled(inbox, askId, answer, Date.now()));
            void withdrawNotice(askId);
            listener.settled(askId, answer);
          },
          seen: (askId, sighting) => show(sighted(inbox, askId, sighting)),
          session: (session) => show(sessionSeen(inbox, session)),
          link(link) {
            show({ ...inbox, link, isLoaded: inbox.isLoaded || link === 'live' });
            // Nobody keeps what was typed elsewhere while nobody listened.
            if (link === 'live') makeStale([['draft']]);
          },
          event({ type, session_id, ask_id }) {
            // That somebody looked makes nothing stale: the inbox is told by itself.
            if (type === 'ask.seen') return;
            makeStale([['sessions'], ['session', session_id], ...(ask_id ? [['ask', ask_id]] : [])]);
          },
          draft: (notice) => tellDraft(notice),
        },
        signal,
        followShared,
      );
    } catch (error) {
      if (isSignedOut(error)) return listener.signedOut();
      show({ ...inbox, link: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

let tellDraft: (notice: DraftNotice) => void = () => {};

/** Called when another window of this person has typed. */
export const onDraft = (listener: (notice: DraftNotice) => void): void => {
  tellDraft = listener;
};

type Key = readonly string[];
const fetchers = new Set<(keys: readonly Key[]) => void>();
const stale = new Map<string, Key>();
let isTelling = false;

/** Called with what became stale, a moment later and once for many events. */
export const onStale = (fetcher: (keys: readonly Key[]) => void): void => {
  fetchers.add(fetcher);
};

function makeStale(keys: readonly Key[]): void {
  for (const key of keys) stale.set(key.join(' '), key);
  if (isTelling) return;
  isTelling = true;
  setTimeout(tellStale, STALE_MS);
}

function tellStale(): void {
  isTelling = false;
  const keys = [...stale.values()];
  stale.clear();
  for (const fetcher of fetchers) fetcher(keys);
}
