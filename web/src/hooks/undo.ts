// Holds an allow back for a few seconds, in which it can be undone. Where the page is closed meanwhile it is not sent: an
// allow that nobody sees leaving is none. Whether the gesture was an accident is checked before, when it was made.
import { useSyncExternalStore } from 'react';
import { preferences } from './preferences.ts';
import { dismissToast, toast } from './toasts.ts';

export const UNDO_MS = 4000;

let heldIds: ReadonlySet<string> = new Set();
const undoing: (() => void)[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Requests whose allow has not left yet. */
export const useHeldBack = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => heldIds);

/** Resolves to whether it may be sent: at once where the pause is switched off. */
export function holdBack(askIds: readonly string[], text: string): Promise<boolean> {
  if (!preferences().undo) return Promise.resolve(true);
  return new Promise((resolve) => {
    hold(askIds, true);
    const end = (isSent: boolean) => {
      clearTimeout(timer);
      dismissToast(shown);
      const at = undoing.indexOf(undo);
      if (at >= 0) undoing.splice(at, 1);
      hold(askIds, false);
      resolve(isSent);
    };
    const undo = () => {
      end(false);
      toast('Undone. Nothing was sent.', 'warn');
    };
    undoing.push(undo);
    const shown = toast(text, 'good', { label: 'Undo', key: 'z', run: undo, shownMs: UNDO_MS });
    const timer = setTimeout(() => end(true), UNDO_MS);
  });
}

/** Undoes the last allow that has not left. */
export function undoLast(): void {
  const undo = undoing.at(-1);
  if (undo) undo();
  else toast('Nothing to undo: what was sent stays sent.', 'warn');
}

function hold(askIds: readonly string[], isHeld: boolean): void {
  const next = new Set(heldIds);
  for (const id of askIds)
    if (isHeld) next.add(id);
    else next.delete(id);
  heldIds = next;
  for (const listener of listeners) listener();
}
