// Dispatches keyboard commands to the components on the screen: each registers the commands it handles, and the one
// mounted last is asked first. Owns the page's only key listener; state/keys.ts owns what the keys mean.
import { useLayoutEffect, useRef } from 'react';
import { type Command, commandOf, isDecision } from '../state/keys.ts';
import { focusOf, hasJustMoved, isTypingOn } from './gesture.ts';
import { preferences } from './preferences.ts';
import { toast } from './toasts.ts';

type Name = Exclude<Command, object> | 'choose';
export type Handlers = Partial<Record<Name, (n: number) => void>>;

const stack: { current: Handlers }[] = [];

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

export const listenToKeys = (signal: AbortSignal): void => document.addEventListener('keydown', press, { signal });

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const focus = focusOf(event.target);
  const command = commandOf(event, focus, preferences().shortcuts);
  if (command === undefined) return;
  // An open dialog has the keys; the browser closes it with Escape.
  if (document.querySelector('dialog[open]')) return;
  if (focus !== 'text' && command !== 'palette' && isTypingOn(event.key)) sayTypedOn();
  else if (run(command)) event.preventDefault();
}

/** A sentence of typed letters is told once. */
const TOLD_MS = 5000;
let toldAtMs = Number.NEGATIVE_INFINITY;

function sayTypedOn(): void {
  if (performance.now() - toldAtMs < TOLD_MS) return;
  toldAtMs = performance.now();
  toast('Shortcuts are off while you type. Press Esc to use shortcuts.', 'warn');
}

const handlerOf = (name: Name) => stack.findLast(({ current }) => current[name])?.current[name];

/** Whether something on the screen handles the command now. */
export const isHandled = (name: Name): boolean => handlerOf(name) !== undefined;

/** Whether it was handled. Every way to give a command ends here: key, palette. */
export function run(command: Command): boolean {
  const handler = handlerOf(typeof command === 'object' ? 'choose' : command);
  if (!handler) return false;
  if (isDecision(command) && hasJustMoved()) toast('The list just changed. Check, then press again.', 'warn');
  else handler(typeof command === 'object' ? command.choose : 0);
  return true;
}
