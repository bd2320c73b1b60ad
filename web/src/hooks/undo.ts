// Holds an allow back for a few seconds, in which it can be undone. Where the page is closed, left or suspended meanwhile it
// is not sent: an allow that nobody sees leaving is none. Whether the gesture was an accident is checked before, when it was
// made. Knows which decisions have not arrived yet.
import { useSyncExternalStore } from 'react';
import { preferences } from './preferences.ts';
import { dismissToast, lastingToast, toast } from './toasts.ts';

export const UNDO_MS = 4000;
/** A timer that fires later than this was stopped with its page: a locked phone, a laptop asleep, a page gone back to. */
const LATE_MS = 3000;

type Unsent = 'Allowing…' | 'Sending…';
let unsent: ReadonlyMap<string, Unsent> = new Map();
const undoing: (() => void)[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Requests whose decision is held back or on its way. */
export const useUnsent = (): ReadonlyMap<string, Unsent> => useSyncExternalStore(subscribe, () => unsent);

/** Marks the requests until the call ends, also where the person has gone on to another one. */
export function onItsWay<T>(askIds: readonly string[], call: Promise<T>): Promise<T> {
  hold(askIds, 'Sending…');
  return call.finally(() => hold(askIds));
}

/** Resolves to whether it may be sent: at once where the pause is switched off. `what` is allowed. */
export function holdBack(askIds: readonly string[], what: string): Promise<boolean> {
  if (!preferences().undo) return Promise.resolve(true);
  return new Promise((resolve) => {
    hold(askIds, 'Allowing…');
    const end = (isSent: boolean) => {
      clearTimeout(timer);
      removeEventListener('pagehide', lapse);
      dismissToast(shown);
      const at = undoing.indexOf(undo);
      if (at >= 0) undoing.splice(at, 1);
      hold(askIds);
      resolve(isSent);
    };
    const undo = () => {
      end(false);
      toast('Undone. Nothing was sent.', 'warn');
    };
    const lapse = () => {
      end(false);
      const [askId] = askIds;
      const href = askIds.length === 1 ? `/asks/${askId}` : '/';
      lastingToast(`Not sent, because this page was suspended: ${what}`, { label: 'Open', href });
    };
    undoing.push(undo);
    addEventListener('pagehide', lapse);
    const dueAtMs = Date.now() + UNDO_MS;
    const shown = toast(`Allowing: ${what}`, 'good', { label: 'Undo', key: 'z', run: undo, shownMs: UNDO_MS });
    const timer = setTimeout(() => (Date.now() - dueAtMs < LATE_MS ? end(true) : lapse()), UNDO_MS);
  });
}

/** Undoes the last allow that has not left. */
export function undoLast(): void {
  const undo = undoing.at(-1);
  if (undo) undo();
  else toast('Nothing to undo. What was sent cannot be taken back.', 'warn');
}

function hold(askIds: readonly string[], how?: Unsent): void {
  const next = new Map(unsent);
  for (const id of askIds)
    if (how) next.set(id, how);
    else next.delete(id);
  unsent = next;
  for (const listener of listeners) listener();
}
