// Who acts on a key: whatever is on the screen says which commands it takes, and the last one to say so is asked first.
// Owns the one listener of the page; what keys mean is in keys.ts.
import { useLayoutEffect, useRef } from 'react';
import { type Command, commandOf, isDecision, JUST_MOVED_MS } from '../state/keys.ts';
import { toast } from '../ui/toasts.tsx';

type Name = Exclude<Command, object> | 'choose';
export type Handlers = Partial<Record<Name, (n: number) => void>>;

const stack: { current: Handlers }[] = [];
let movedAtMs = Number.NEGATIVE_INFINITY;

/** The ask on the screen changed by itself: a key that was on its way is not meant for the new one. */
export const movedByItself = (): void => {
  movedAtMs = performance.now();
};

/** While the component is on the screen, these commands are its own: from its first drawing on. */
export function useCommands(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useLayoutEffect(() => {
    stack.push(latest);
    return () => {
      stack.splice(stack.indexOf(latest), 1);
    };
  }, []);
}

export function listenToKeys(signal: AbortSignal): void {
  document.addEventListener('keydown', press, { signal });
  document.addEventListener('click', onlyOnce, { signal, capture: true });
}

/** The second of a double click finds the next ask under the pointer: it decides nothing. */
function onlyOnce(event: MouseEvent): void {
  if (
    event.detail < 2 ||
    !(event.target instanceof Element) ||
    !event.target.closest('.actions button, .suggestion button')
  )
    return;
  event.preventDefault();
  event.stopPropagation();
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const command = commandOf(event, focusOf(event.target));
  if (command === undefined) return;
  // An open dialog has the keys; it closes itself with Escape.
  if (document.querySelector('dialog[open]')) return;
  const name: Name = typeof command === 'object' ? 'choose' : command;
  const handler = stack.findLast(({ current }) => current[name])?.current[name];
  if (!handler) return;
  event.preventDefault();
  const hasJustMoved = isDecision(command) && performance.now() - movedAtMs < JUST_MOVED_MS;
  if (hasJustMoved) toast('The list has just moved. Look again, then press it again.', 'warn');
  else handler(typeof command === 'object' ? command.choose : 0);
}

function focusOf(target: EventTarget | null): 'text' | 'control' | 'page' {
  if (!(target instanceof HTMLElement)) return 'page';
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return 'text';
  if (target instanceof HTMLInputElement)
    return ['radio', 'checkbox', 'button'].includes(target.type) ? 'control' : 'text';
  return target.closest('button, a, summary, pre') ? 'control' : 'page';
}
