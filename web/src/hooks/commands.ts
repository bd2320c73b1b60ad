// Dispatches keyboard commands to the components on the screen: each registers the commands it handles, and the one
// mounted last is asked first. Owns the page's only key listener; state/keys.ts owns what the keys mean.
import { useLayoutEffect, useRef } from 'react';
import { type Command, commandOf, isDecision, JUST_MOVED_MS } from '../state/keys.ts';
import { toast } from './toasts.ts';

type Name = Exclude<Command, object> | 'choose';
export type Handlers = Partial<Record<Name, (n: number) => void>>;

const stack: { current: Handlers }[] = [];
let movedAtMs = Number.NEGATIVE_INFINITY;

/** The selected ask changed without the person: a key pressed in this moment was meant for the one before. */
export const movedByItself = (): void => {
  movedAtMs = performance.now();
};

/** Handles these commands from the first render on, for as long as the component is mounted. */
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
  document.addEventListener('click', ignoreDoubleClick, { signal, capture: true });
}

/** The second click of a double click lands on the next ask, which has taken the place of the first. */
function ignoreDoubleClick(event: MouseEvent): void {
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
  // An open dialog has the keys; the browser closes it with Escape.
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
