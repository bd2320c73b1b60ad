// Remembers the asks that this person typed into or clicked. When one of them is answered by another person first, it stays
// on the screen until the person has read that; other settled asks leave by themselves. Nothing of it outlives the page.
import { useSyncExternalStore } from 'react';

/** Why a click had no effect, by ask; empty where nothing was clicked. */
type TouchedAsks = ReadonlyMap<string, string>;

let touched: TouchedAsks = new Map();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const change = (next: TouchedAsks): void => {
  touched = next;
  for (const listener of listeners) listener();
};

export const useTouchedAsks = (): TouchedAsks => useSyncExternalStore(subscribe, () => touched);
export const isTouched = (askId: string): boolean => touched.has(askId);

/** The person typed something. */
export function touch(askId: string): void {
  if (!touched.has(askId)) change(new Map(touched).set(askId, ''));
}

/** A click was refused because the ask had ended, for this reason. */
export const cameTooLate = (askId: string, why: string): void => change(new Map(touched).set(askId, why));

export const whyTooLate = (askId: string): string | undefined => touched.get(askId) || undefined;

/** This person answered it, or has read how it ended. */
export function forgetTouched(askId: string): void {
  const next = new Map(touched);
  if (next.delete(askId)) change(next);
}
