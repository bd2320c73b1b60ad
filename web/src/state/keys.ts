// Maps keys to commands, by what has the focus. Pure. A key decides nothing while text is typed, while it repeats, or right
// after the selection moved by itself: it may be meant for another ask.

export type Command =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'page-down'
  | 'page-up'
  | 'open'
  | 'back'
  | 'allow'
  | 'deny'
  | 'edit'
  | 'other'
  | 'session'
  | 'search'
  | 'new-run'
  | 'help'
  | { choose: number };

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
  o: 'other',
  s: 'session',
  n: 'new-run',
  '/': 'search',
  '?': 'help',
};
/** A focused control keeps these. */
const OPERATING = new Set(['Enter', ' ', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp']);
/** These repeat while the key is held down. */
const REPEATABLE = new Set<Command>(['next', 'previous', 'page-down', 'page-up']);
/** Long enough for a key that was pressed before the change was seen. */
export const JUST_MOVED_MS = 350;

export const isDecision = (command: Command): boolean =>
  typeof command === 'object' || ['allow', 'deny', 'edit', 'other'].includes(command);

/** Escape leaves a text field; a focused control keeps the keys that operate it. */
export function commandOf(pressed: Pressed, focus: 'text' | 'control' | 'page'): Command | undefined {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  if (focus === 'text') return pressed.key === 'Escape' ? 'back' : undefined;
  if (/^[1-9]$/.test(pressed.key)) return pressed.repeat ? undefined : { choose: Number(pressed.key) };
  const command = KEYS[pressed.key];
  if (command === undefined || (pressed.repeat && !REPEATABLE.has(command))) return undefined;
  if (focus === 'control' && OPERATING.has(pressed.key)) return undefined;
  return pressed.key === ' ' && pressed.shiftKey ? 'page-up' : command;
}

export const HELP: readonly (readonly [title: string, rows: readonly (readonly [keys: string[], does: string])[]])[] = [
  [
    'Anywhere',
    [
      [['j', 'k'], 'next and previous ask'],
      [['Enter'], 'go into the ask'],
      [['Space', 'Shift Space'], 'read on and back'],
      [['Esc'], 'back, without an answer'],
      [['/'], 'search and filter'],
      [['s'], 'open the session of the ask'],
      [['n'], 'start a run'],
      [['?'], 'this help'],
    ],
  ],
  [
    'Approvals',
    [
      [['a'], 'allow once what is shown'],
      [['e'], 'edit it, then allow'],
      [['d'], 'deny, with a reason if you like'],
    ],
  ],
  [
    'Questions',
    [
      [['1', '…', '9'], 'choose an option'],
      [['o'], 'Other: a text of your own'],
      [['a'], 'send the answer'],
      [['d'], 'decline to answer'],
      [['Ctrl', 'Enter'], 'send, while you type'],
    ],
  ],
];
