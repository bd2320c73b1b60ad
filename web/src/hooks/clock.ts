// Provides one clock for all ages and deadlines on the page. It ticks each second, and only while a component reads it.
import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

const COARSE_MS = 10_000;

/** For what need not be computed anew each second. */
export const useCoarseNow = (): number =>
  useSyncExternalStore(subscribe, () => Math.floor(nowMs / COARSE_MS) * COARSE_MS);
