// Stores this browser's preferences: single-key shortcuts, the pause before an allow is sent, a sound for new requests, and
// saved views of the inbox. Kept in the browser, because they belong to a desk and not to a person.
import { useSyncExternalStore } from 'react';

export interface SavedView {
  name: string;
  /** The search part of the inbox's address. */
  search: string;
}

export interface Preferences {
  /** Keys without Ctrl or Cmd do something. Enter, Esc, Tab and the arrows always do. */
  shortcuts: boolean;
  /** An allow is sent after a few seconds, in which it can be undone. */
  undo: boolean;
  sound: boolean;
  views: readonly SavedView[];
}

const STORAGE_KEY = 'holdpoint-preferences';
const DEFAULTS: Preferences = { shortcuts: true, undo: true, sound: false, views: [] };

let current = read();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const preferences = (): Preferences => current;
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // Without storage they last until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** What is stored may be of another version, or damaged. */
function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Preferences>;
    const flag = (name: 'shortcuts' | 'undo' | 'sound') =>
      typeof stored[name] === 'boolean' ? stored[name] : DEFAULTS[name];
    const isView = (view: SavedView) => typeof view?.name === 'string' && typeof view.search === 'string';
    const views = Array.isArray(stored.views) ? stored.views.filter(isView) : [];
    return { shortcuts: flag('shortcuts'), undo: flag('undo'), sound: flag('sound'), views };
  } catch {
    return DEFAULTS;
  }
}
