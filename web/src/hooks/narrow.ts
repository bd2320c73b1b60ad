// Tells whether the window is as narrow as a phone, or too narrow for two columns, and follows it as it is turned or resized.
import { useSyncExternalStore } from 'react';

function follow(query: MediaQueryList) {
  const subscribe = (listener: () => void): (() => void) => {
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  };
  return (): boolean => useSyncExternalStore(subscribe, () => query.matches);
}

/** A phone: one question at a time. */
export const useIsNarrow = follow(matchMedia('(max-width: 700px)'));

/** A phone or tablet: one column, as in the style sheets. */
export const useIsOneColumn = follow(matchMedia('(max-width: 1000px)'));
