// Holds the toasts on the screen and the last sentence for screen readers. Owns how long they stay; ui/toasts.tsx draws them.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'warn';
  action?: ToastAction | undefined;
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
export function toast(text: string, tone: Toast['tone'] = 'good', action?: ToastAction): number {
  lastId += 1;
  const id = lastId;
  // A toast that can still be acted on makes room for no other.
  const room =
    toasts.length < MAX_TOASTS
      ? toasts
      : toasts.toSpliced(
          toasts.findIndex((shown) => !shown.action),
          1,
        );
  toasts = [...room, { id, text, tone, action }];
  setTimeout(() => dismissToast(id), action?.shownMs ?? SHOWN_MS);
  notifyListeners();
  return id;
}

export function dismissToast(toastId: number): void {
  toasts = toasts.filter(({ id }) => id !== toastId);
  notifyListeners();
}

/** For screen readers only. */
export function announce(text: string): void {
  announcement = text;
  notifyListeners();
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);
export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announcement);
