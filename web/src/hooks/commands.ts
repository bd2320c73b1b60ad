// Dispatches keyboard commands to the components on the screen: each registers the commands it handles, and the one
// mounted last is asked first. Owns the page's only key listener; state/keys.ts owns what the keys mean.
import { useLayoutEffect, useRef } from 'react';
import { type Command, commandOf, isDecision } from '../state/keys.ts';
import { isDialogWanted } from './dialog.ts';
import { focusOf, hasJustMoved, isTypingOn } from './gesture.ts';
import { preferences } from './preferences.ts';
import { toast } from './toasts.ts';

type Name = Exclude<Command, object> | 'choose';
export type Handlers = Partial<Record<Name, (n: number) => void>>;

interface Entry {
  current: Handlers;
}

const stack: Entry[] = [];

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
  // The dialog has the keys, also before it is there; the browser closes it with Escape.
  if (isDialogWanted()) return;
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

const entryOf = (name: Name) => stack.findLast(({ current }) => current[name]);

/** Whether something on the screen handles the command now. */
export const isHandled = (name: Name): boolean => entryOf(name) !== undefined;

/** What the person has before them when they begin to give a command: the request that has the keys, and the page. */
export interface Aim {
  entryOf(name: Name): object | undefined;
  path: string;
}

export function aimNow(): Aim {
  const entries = stack.map((entry) => [entry, entry.current] as const);
  return {
    entryOf: (name) => entries.findLast(([, handlers]) => handlers[name])?.[0],
    path: location.pathname,
  };
}

/**
 * Whether it was handled. Every way to give a command ends here: key, palette. `aim`: it is given only where that is still
 * what it would be about.
 */
export function run(command: Command, aim?: Aim): boolean {
  const name = typeof command === 'object' ? 'choose' : command;
  const entry = entryOf(name);
  if (aim && (entry !== aim.entryOf(name) || location.pathname !== aim.path))
    toast('Nothing was done: another request is here now. Check, then do it again.', 'warn');
  else if (isDecision(command) && hasJustMoved()) toast('The list just changed. Check, then press again.', 'warn');
  else entry?.current[name]?.(typeof command === 'object' ? command.choose : 0);
  return entry !== undefined;
}
