// Knows while a finger or a mouse button is down, until after the click that it ends as. What is arranged meanwhile is shown
// afterwards, so that nothing moves under the finger.
import { useRef, useSyncExternalStore } from 'react';

/** A click follows the release within this time, if it follows at all. */
const CLICK_WITHIN_MS = 300;

let isPressed = false;
let ending: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function set(next: boolean): void {
  clearTimeout(ending);
  if (next === isPressed) return;
  isPressed = next;
  for (const listener of listeners) listener();
}

const end = (inMs: number) => {
  clearTimeout(ending);
  ending = setTimeout(() => set(false), inMs);
};

/** The value as it was when the press began, for as long as it lasts. */
export function useStill<T>(value: T): T {
  const isHeld = useSyncExternalStore(subscribe, () => isPressed);
  const shown = useRef(value);
  if (!isHeld) shown.current = value;
  return shown.current;
}

/** They end a press without a click: the touch scrolls, something is dragged, a menu opens, the page is left. */
const WITHOUT_CLICK = ['pointercancel', 'dragend', 'contextmenu', 'visibilitychange'] as const;

export function listenToPresses(signal: AbortSignal): void {
  const options = { signal, capture: true, passive: true };
  document.addEventListener('pointerdown', ({ button }) => button === 0 && set(true), options);
  document.addEventListener('pointerup', () => end(CLICK_WITHIN_MS), options);
  // After the handlers of the click.
  for (const type of ['click', ...WITHOUT_CLICK]) document.addEventListener(type, () => end(0), options);
  signal.addEventListener('abort', () => set(false));
}
