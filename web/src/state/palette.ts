// Lists the commands and pages of the palette, and finds them by parts of their words. Pure.
import type { Command } from './keys.ts';

interface PaletteCommand {
  command: Exclude<Command, object>;
  label: string;
  key: string;
  /** It is not about a request. */
  isAnywhere?: true;
}

export const PALETTE_COMMANDS: readonly PaletteCommand[] = [
  { command: 'comment', label: 'Comment on this request', key: 'c' },
  { command: 'take', label: 'I’m on it', key: 'i' },
  { command: 'snooze', label: 'Snooze this request', key: 'h' },
  { command: 'together', label: 'Review similar requests together', key: 'g' },
  { command: 'mark', label: 'Select this request', key: 'x' },
  { command: 'mark-all', label: 'Select all that are listed', key: 'X' },
  { command: 'session', label: 'Open the session', key: 's' },
  { command: 'edit', label: 'Edit before allowing', key: 'e' },
  { command: 'always', label: 'Always allow: choose what and for how long', key: 'w' },
  { command: 'copy', label: 'Copy the command', key: 'y' },
  { command: 'allow', label: 'Allow once, or send the answer', key: 'a' },
  { command: 'deny', label: 'Deny, or decline to answer', key: 'd' },
  { command: 'undo', label: 'Undo the last allow before it is sent', key: 'z', isAnywhere: true },
  { command: 'new-run', label: 'New run', key: 'n', isAnywhere: true },
  { command: 'search', label: 'Search', key: '/', isAnywhere: true },
  { command: 'help', label: 'Shortcuts and search syntax', key: '?', isAnywhere: true },
];

export const PALETTE_PAGES: readonly (readonly [address: string, label: string])[] = [
  ['/', 'Inbox'],
  ['/sessions', 'Sessions'],
  ['/history', 'History'],
  ['/insights', 'Insights'],
  ['/rules', 'Rules and grants'],
  ['/notifications', 'Notifications'],
  ['/settings', 'Settings'],
];

/** Each typed word occurs in the label; labels that begin with what was typed come first. */
export function foundIn<T extends { label: string }>(typed: string, items: readonly T[]): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label }: T) => (label.toLowerCase().startsWith(typed.trim().toLowerCase()) ? 0 : 1);
  return items
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b));
}
