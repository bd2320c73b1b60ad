// Holds which dialog the person has asked for. From then on the keys belong to it, also while its script is fetched: what is
// typed until it is open is dropped, and Escape gives it up.
import { useSyncExternalStore } from 'react';
import type { Aim } from './commands.ts';

type Dialog = { name: 'help' | 'run' | 'more' } | { name: 'palette'; aim: Aim };

let wanted: Dialog | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const dialog = (): Dialog | undefined => wanted;

export const useDialog = (): Dialog | undefined => useSyncExternalStore(subscribe, dialog);
export const isDialogWanted = (): boolean => wanted !== undefined;

export function openDialog(next: Dialog | undefined): void {
  wanted = next;
  for (const listener of listeners) listener();
}

export const closeDialog = (): void => openDialog(undefined);

/** They press what has the focus, or are typed into it. Others, such as F5, are the browser's. */
const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey && (key.length === 1 || ['Enter', 'Backspace', 'Delete'].includes(key));

/** Before every other listener for keys: once the dialog is open, the browser keeps them in it. */
export function listenForDialog(signal: AbortSignal): void {
  const drop = (event: KeyboardEvent) => {
    if (!wanted || document.querySelector('dialog[open]')) return;
    if (isTyped(event)) event.preventDefault();
    if (event.type === 'keyup') return;
    event.stopImmediatePropagation();
    if (event.key === 'Escape') closeDialog();
  };
  document.addEventListener('keydown', drop, { signal, capture: true });
  document.addEventListener('keyup', drop, { signal, capture: true });
  // The page is left for the sign-in, or a script could not be fetched.
  signal.addEventListener('abort', closeDialog);
}
