// Tells whether the window is as narrow as a phone, and follows it as it is turned or resized.
import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 700px)');

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
