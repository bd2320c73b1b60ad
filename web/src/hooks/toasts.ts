// Holds the toasts on the screen and the last sentence for screen readers. Owns how long they stay; ui/toasts.tsx draws them.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  text: string;
  /** `wait`: it can still be taken back. */
  tone: 'good' | 'plain' | 'wait' | 'warn';
  /** The request that it is about. A later toast about the same one replaces it. */
  askId?: string | undefined;
  action?: ToastAction | undefined;
  /** When the action is gone. */
  untilMs?: number | undefined;
  /** Where to read more. Such a toast stays until it is dismissed, or until what it leads to is on the screen. */
  link?: ToastLink | undefined;
}

interface ToastLink {
  label: string;
  href: string;
}

interface ToastAction {
  label: string;
  /** The key that does the same. */
  key: string;
  run: () => void;
  /** How long the toast, and with it the action, is there. */
  shownMs: number;
}

const SHOWN_MS = 5000;
const MAX_TOASTS = 3;
let toasts: readonly Toast[] = [];
let announcement = '';
let lastId = 0;
const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The id of the toast, by which it can be dismissed. */
export function toast(
  text: string,
  tone: Toast['tone'] = 'good',
  { action, askId }: Pick<Toast, 'action' | 'askId'> = {},
): number {
  const id = show({ text, tone, action, askId, untilMs: action && Date.now() + action.shownMs });
  setTimeout(() => dismissToast(id), action?.shownMs ?? SHOWN_MS);
  return id;
}

/** For what happened while the person was elsewhere. */
export function lastingToast(text: string, link: ToastLink, askId?: string): number {
  const id = show({ text, tone: 'warn', link, askId });
  const cards = document.querySelectorAll<HTMLElement>('.card[data-ask]');
  for (const { dataset } of cards) endLink(dataset.ask ?? '');
  return id;
}

const leadsTo = ({ link }: Toast, askId: string): boolean => link?.href.endsWith(`/${askId}`) === true;

/** The request has ended, or is on the screen: what led to it has no link any more, and leaves like any other message. */
export function endLink(askId: string, leavesInMs: number = SHOWN_MS): void {
  toasts = toasts.map((each) => {
    if (!leadsTo(each, askId)) return each;
    setTimeout(() => dismissToast(each.id), leavesInMs);
    return { ...each, link: undefined };
  });
  notifyListeners();
}

function show(shown: Omit<Toast, 'id'>): number {
  lastId += 1;
  const others = toasts.filter(({ askId }) => askId === undefined || askId !== shown.askId);
  // A toast that can still be acted on makes room for no other.
  const least = others.findIndex(({ action, link }) => !action && !link);
  const room = others.length < MAX_TOASTS ? others : others.toSpliced(least, 1);
  toasts = [...room, { id: lastId, ...shown }];
  notifyListeners();
  return lastId;
}

export const isShown = (toastId: number): boolean => toasts.some(({ id }) => id === toastId);

export function dismissToast(toastId: number): void {
  toasts = toasts.filter(({ id }) => id !== toastId);
  notifyListeners();
}

/** The person opens a request: what led to it or only told of the last thing makes room. What can be acted on stays. */
export function dismissPassing(askId: string): void {
  toasts = toasts.filter((each) => (each.action || each.link) && !leadsTo(each, askId));
  notifyListeners();
}

/** For screen readers only. */
export function announce(text: string): void {
  announcement = text;
  notifyListeners();
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);
export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announcement);
