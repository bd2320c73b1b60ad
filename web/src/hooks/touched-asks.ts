// What this person has begun here: asks they typed into or clicked. When somebody else is first, these stay in sight until
// the person has read who won; others leave by themselves. Nothing of it outlives the page.
import { useSyncExternalStore } from 'react';

/** Why a click did not count; empty where nothing was clicked. */
type Begun = ReadonlyMap<string, string>;

let begun: Begun = new Map();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const change = (next: Begun): void => {
  begun = next;
  for (const listener of listeners) listener();
};

export const useBegun = (): Begun => useSyncExternalStore(subscribe, () => begun);
export const isBegun = (askId: string): boolean => begun.has(askId);

/** The person typed something. */
export function begin(askId: string): void {
  if (!begun.has(askId)) change(new Map(begun).set(askId, ''));
}

/** A click came too late, for this reason. */
export const cameTooLate = (askId: string, why: string): void => change(new Map(begun).set(askId, why));

/** It is answered by this person, or they have read how it ended. */
export function leaveBegun(askId: string): void {
  const next = new Map(begun);
  if (next.delete(askId)) change(next);
}
