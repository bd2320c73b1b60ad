// Knows the pending asks of which nobody could be notified. Fetched when asks come and go, and now and then while there are
// contacts or routes: notices fail late.
import { useEffect, useSyncExternalStore } from 'react';
import { api } from '../api.ts';

const FIRST_LOOK_MS = 2000;
const LOOK_MS = 30_000;
const NONE: ReadonlySet<string> = new Set();
let unreached = NONE;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsUnreached = (askId: string): boolean => useSyncExternalStore(subscribe, () => unreached.has(askId));

/** Resolves to whether looking again makes sense. */
async function look(): Promise<boolean> {
  const found = await api.notices.settings().catch(() => undefined);
  if (!found) return true;
  if (found.unreached.length > 0 || unreached.size > 0) {
    unreached = new Set(found.unreached);
    for (const listener of listeners) listener();
  }
  return found.is_active;
}

/** While there are pending asks, and contacts or routes. */
export function useUnreachedWatch(count: number): void {
  useEffect(() => {
    if (count === 0) return;
    let timer: ReturnType<typeof setTimeout>;
    const next = (ms: number) => {
      timer = setTimeout(() => void look().then((isActive) => isActive && next(LOOK_MS)), ms);
    };
    next(FIRST_LOOK_MS);
    return () => clearTimeout(timer);
  }, [count]);
}
