// Knows which decisions have not arrived at the server yet: held back (undo.ts), or on their way.
import { useSyncExternalStore } from 'react';

type Unsent = 'Allowing…' | 'Sending…';
let unsent: ReadonlyMap<string, Unsent> = new Map();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Requests whose decision is held back or on its way. */
export const useUnsent = (): ReadonlyMap<string, Unsent> => useSyncExternalStore(subscribe, () => unsent);

/** Marks the requests until the call ends, also where the person has gone on to another one. */
export function onItsWay<T>(askIds: readonly string[], call: Promise<T>): Promise<T> {
  mark(askIds, 'Sending…');
  return call.finally(() => mark(askIds));
}

export function mark(askIds: readonly string[], how?: Unsent): void {
  const next = new Map(unsent);
  for (const id of askIds)
    if (how) next.set(id, how);
    else next.delete(id);
  unsent = next;
  for (const listener of listeners) listener();
}
