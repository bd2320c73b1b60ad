// Knows which decisions have not arrived yet, and which group was undone and is to be opened again. undo.ts holds them back.
import { useSyncExternalStore } from 'react';

type Unsent = 'Allowing…' | 'Approving…' | 'Sending…';
let unsent: ReadonlyMap<string, Unsent> = new Map();
const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Requests whose decision is held back or on its way. */
export const useUnsent = (): ReadonlyMap<string, Unsent> => useSyncExternalStore(subscribe, () => unsent);

export function mark(askIds: readonly string[], how?: Unsent): void {
  const next = new Map(unsent);
  for (const id of askIds)
    if (how) next.set(id, how);
    else next.delete(id);
  unsent = next;
  notifyListeners();
}

/** Marks the requests until the call ends, also where the person has gone on to another one. */
export function onItsWay<T>(askIds: readonly string[], call: Promise<T>): Promise<T> {
  mark(askIds, 'Sending…');
  return call.finally(() => mark(askIds));
}

interface UndoneGroup {
  shape: string;
  /** Those that were checked. */
  askIds: readonly string[];
}

let undoneGroup: UndoneGroup | undefined;

/** Until the inbox has opened it again. */
export const useUndoneGroup = (): UndoneGroup | undefined => useSyncExternalStore(subscribe, () => undoneGroup);

export function setUndoneGroup(group: UndoneGroup | undefined): void {
  undoneGroup = group;
  notifyListeners();
}
