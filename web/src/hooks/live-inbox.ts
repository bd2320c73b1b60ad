// Holds the inbox that the event stream feeds (inbox-stream.ts). Changes are collected and rendered once per frame, so that
// a thousand asks cost one render. Also reports which cached queries an event made stale, and which drafts changed in
// another window.
import { useSyncExternalStore } from 'react';
import type { DraftNotice } from '../../../src/client/inbox-feed.ts';
import { EMPTY_INBOX, type Inbox } from '../../../src/client/inbox-model.ts';
import { isTypedInto } from './gesture.ts';
import { isTouched } from './touched-asks.ts';

const STALE_MS = 150;
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

let rowIds: ReadonlySet<string> = new Set();

let isListPointedAt = (): boolean => false;

/** Rows that would move others if they left while a finger or a mouse points at the list. */
export const keepRows = (askIds: ReadonlySet<string>, isPointedAt: () => boolean): void => {
  rowIds = askIds;
  isListPointedAt = isPointedAt;
};

export const isInUse = (askId: string): boolean =>
  askId === selectedAskId || (rowIds.has(askId) && isListPointedAt()) || isTouched(askId) || isTypedInto(askId);

/** The inbox as it is, also what is not rendered yet. */
export const currentInbox = (): Inbox => inbox;

export function update(next: Inbox): void {
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

let draftListener: (notice: DraftNotice) => void = () => {};
export const tellDraft = (notice: DraftNotice): void => draftListener(notice);

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

export function markStale(keys: readonly QueryKey[]): void {
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
