// Knows the pending asks of which nobody could be notified. Asked for when asks come and go, and now and then: notices fail
// late. While nobody wants to be notified the list is empty.
import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api.ts';

const LOOK_MS = 30_000;
const NONE: ReadonlySet<string> = new Set();
let unreached = NONE;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsUnreached = (askId: string): boolean => useSyncExternalStore(subscribe, () => unreached.has(askId));

async function look(): Promise<void> {
  const found = await api.notices.settings().catch(() => undefined);
  if (!found || (found.unreached.length === 0 && unreached.size === 0)) return;
  unreached = new Set(found.unreached);
  for (const listener of listeners) listener();
}

/** While there are pending asks. */
export function useUnreachedWatch(count: number): void {
  useEffect(() => {
    if (count === 0) return;
    const first = setTimeout(look, 2000);
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [count]);
}
