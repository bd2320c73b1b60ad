// Feeds the inbox from the event stream. Changes are collected and rendered once per frame, so that a thousand asks cost
// one render. Also reports which cached queries an event made stale, and which drafts changed in another window.
import { useSyncExternalStore } from 'react';
import { type DraftNotice, followInbox } from '../../../src/client/inbox-feed.ts';
import {
  actedOn,
  completed,
  EMPTY_INBOX,
  type Inbox,
  raised,
  sessionSeen,
  settled,
  sighted,
  swept,
} from '../../../src/client/inbox-model.ts';
import { api } from '../api.ts';
import { isSignedOut } from '../text/failure.ts';
import { followShared } from './shared-stream.ts';
import { isTouched } from './touched-asks.ts';

const SWEEP_MS = 1000;
const STALE_MS = 150;
const RETRY_MS = 2000;
/** Browsers call no animation frames in a hidden tab, whose title must still be updated. */
const HIDDEN_MS = 100;

let inbox = EMPTY_INBOX;
let rendered = EMPTY_INBOX;
let isScheduled = false;
let selectedAskId: string | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useInbox = (): Inbox => useSyncExternalStore(subscribe, () => rendered);

/** The selected ask is not removed from the list while it is on the screen. */
export const keepSelected = (askId: string | undefined): void => {
  selectedAskId = askId;
};

const isInUse = (askId: string): boolean => askId === selectedAskId || isTouched(askId);

function update(next: Inbox): void {
  if (next === inbox) return;
  inbox = next;
  if (isScheduled) return;
  isScheduled = true;
  if (document.hidden) setTimeout(render, HIDDEN_MS);
  else requestAnimationFrame(render);
}

function render(): void {
  isScheduled = false;
  rendered = inbox;
  for (const listener of listeners) listener();
}

interface InboxListener {
  raised(asks: Parameters<typeof raised>[1]): void;
  settled(askId: string, answer: Parameters<typeof settled>[2]): void;
  signedOut(): void;
}

/** Runs until the signal aborts or the browser is signed out; any other refusal is retried. */
export async function followLiveInbox(signal: AbortSignal, listener: InboxListener): Promise<void> {
  const sweeping = setInterval(() => update(swept(inbox, Date.now(), isInUse)), SWEEP_MS);
  signal.addEventListener('abort', () => clearInterval(sweeping));
  while (!signal.aborted) {
    // Events may have been missed since the last attempt: all asks are listed anew.
    update({ ...inbox, entries: [] });
    try {
      await followInbox(
        api,
        {
          raised(asks, isNews) {
            if (signal.aborted) return;
            update(raised(inbox, asks));
            if (isNews) listener.raised(asks);
          },
          settled(askId, answer) {
            update(settled(inbox, askId, answer, Date.now()));
            import('./notifications.ts').then(({ closeNotification }) => closeNotification(askId)).catch(() => {});
            listener.settled(askId, answer);
          },
          completed: (ask) => update(completed(inbox, ask)),
          seen: (askId, sighting) => update(sighted(inbox, askId, sighting)),
          acted: (askId, type, act, atMs) => update(actedOn(inbox, askId, type, act, atMs)),
          session: (session) => update(sessionSeen(inbox, session)),
          link(link) {
            update({ ...inbox, link, isLoaded: inbox.isLoaded || link === 'live' });
            // Draft notices are not replayed after a reconnect.
            if (link === 'live') markStale([['draft']]);
          },
          event({ type, session_id, ask_id }) {
            // A sighting is applied to the inbox directly and changes nothing that was fetched.
            if (type === 'ask.seen') return;
            markStale([['sessions'], ['session', session_id], ...(ask_id ? [['ask', ask_id]] : [])]);
          },
          draft: (notice) => draftListener(notice),
        },
        signal,
        followShared,
      );
    } catch (error) {
      if (isSignedOut(error)) return listener.signedOut();
      update({ ...inbox, link: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

let draftListener: (notice: DraftNotice) => void = () => {};

/** Called when this person's draft changed in another window. */
export const onDraft = (listener: (notice: DraftNotice) => void): void => {
  draftListener = listener;
};

type QueryKey = readonly string[];
const staleListeners = new Set<(keys: readonly QueryKey[]) => void>();
const stale = new Map<string, QueryKey>();
let isReporting = false;

/** Called with the keys that became stale, shortly after and once for many events. */
export const onStale = (listener: (keys: readonly QueryKey[]) => void): void => {
  staleListeners.add(listener);
};

function markStale(keys: readonly QueryKey[]): void {
  for (const key of keys) stale.set(key.join(' '), key);
  if (isReporting) return;
  isReporting = true;
  setTimeout(reportStale, STALE_MS);
}

function reportStale(): void {
  isReporting = false;
  const keys = [...stale.values()];
  stale.clear();
  for (const listener of staleListeners) listener(keys);
}
