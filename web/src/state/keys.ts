// Maps keys to commands, by what has the focus. Pure. A key decides nothing while text is typed, while it repeats, or right
// after the selection moved by itself: it may be meant for another ask.

export type Command =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'page-down'
  | 'page-up'
  | 'line-down'
  | 'line-up'
  | 'top'
  | 'bottom'
  | 'open'
  | 'back'
  | 'allow'
  | 'deny'
  | 'edit'
  | 'always'
  | 'copy'
  | 'other'
  | 'session'
  | 'search'
  | 'new-run'
  | 'comment'
  | 'take'
  | 'snooze'
  | 'mark'
  | 'mark-all'
  | 'together'
  | 'undo'
  | 'palette'
  | 'help'
  | { choose: number };

export type Focus = 'text' | 'control' | 'list' | 'page';

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat: boolean;
}

const KEYS: Record<string, Exclude<Command, object>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Home: 'first',
  End: 'last',
  PageDown: 'page-down',
  ' ': 'page-down',
  PageUp: 'page-up',
  Enter: 'open',
  Escape: 'back',
  a: 'allow',
  d: 'deny',
  e: 'edit',
  w: 'always',
  y: 'copy',
  o: 'other',
  s: 'session',
  n: 'new-run',
  c: 'comment',
  i: 'take',
  h: 'snooze',
  x: 'mark',
  X: 'mark-all',
  g: 'together',
  z: 'undo',
  '/': 'search',
  '?': 'help',
};
/** Where the focus is not in the list, they scroll the card as they scroll any text. */
const SCROLLING: typeof KEYS = { ArrowDown: 'line-down', ArrowUp: 'line-up', Home: 'top', End: 'bottom' };
/** A focused control keeps these. */
const OPERATING = new Set(['Enter', ' ', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp']);
/** These repeat while the key is held down. */
const REPEATABLE = new Set<Command>(['next', 'previous', 'page-down', 'page-up', 'line-down', 'line-up']);
/** Long enough for a key that was pressed before the change was seen. */
export const JUST_MOVED_MS = 350;
/** A finger taps faster than anyone reads, and what it hits is under it: what is there must have been at rest for longer. */
export const JUST_MOVED_TAP_MS = 700;

/** It changes something about the request on the screen, so that it must have been meant for that one. */
export const isDecision = (command: Command): boolean =>
  typeof command === 'object' || ['allow', 'deny', 'edit', 'always', 'other', 'take', 'snooze'].includes(command);

/** Whether a key is a single character, which a person may switch off as a shortcut (WCAG 2.1.4). */
const isCharacter = ({ key }: Pressed): boolean => key.length === 1 && key !== ' ';

/**
 * Escape leaves a text field; a focused control keeps the keys that operate it. `hasShortcuts`: keys without Ctrl or Cmd do
 * something.
 */
export function commandOf(pressed: Pressed, focus: Focus, hasShortcuts = true): Command | undefined {
  if ((pressed.ctrlKey || pressed.metaKey) && !pressed.altKey && pressed.key.toLowerCase() === 'k')
    return pressed.repeat ? undefined : 'palette';
  if (!hasShortcuts && isCharacter(pressed)) return undefined;
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  if (focus === 'text') return pressed.key === 'Escape' ? 'back' : undefined;
  if (/^[1-9]$/.test(pressed.key)) return pressed.repeat ? undefined : { choose: Number(pressed.key) };
  const command = (focus !== 'list' && SCROLLING[pressed.key]) || KEYS[pressed.key];
  if (command === undefined || (pressed.repeat && !REPEATABLE.has(command))) return undefined;
  if (focus === 'control' && OPERATING.has(pressed.key)) return undefined;
  return pressed.key === ' ' && pressed.shiftKey ? 'page-up' : command;
}
