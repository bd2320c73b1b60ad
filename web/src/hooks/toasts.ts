// Holds the toasts on the screen and the last sentence for screen readers. Owns how long they stay; ui/toasts.tsx draws them.
import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'warn';
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

export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  lastId += 1;
  const shown = { id: lastId, text, tone };
  toasts = [...toasts.slice(1 - MAX_TOASTS), shown];
  setTimeout(() => dismissToast(shown.id), SHOWN_MS);
  notifyListeners();
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
