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
  /** Where to read more. Such a toast stays until it is dismissed or followed. */
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
  const id = show({ text, tone, action, askId });
  setTimeout(() => dismissToast(id), action?.shownMs ?? SHOWN_MS);
  return id;
}

/** Stays until it is dismissed, for what happened while nobody looked. */
export const lastingToast = (text: string, link: ToastLink, askId?: string): number =>
  show({ text, tone: 'warn', link, askId });

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

/** The person opens something else: what only told of the last thing makes room. What can be acted on stays. */
export function dismissPassing(): void {
  toasts = toasts.filter(({ action, link }) => action || link);
  notifyListeners();
}

/** For screen readers only. */
export function announce(text: string): void {
  announcement = text;
  notifyListeners();
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);
export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announcement);
