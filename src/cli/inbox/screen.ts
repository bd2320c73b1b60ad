// Drives the terminal for the inbox: switches to the alternate screen and raw mode, writes only the rows that changed, and
// restores the terminal on every exit. Knows nothing about asks.
import { emitKeypressEvents, type Key as NodeKey } from 'node:readline';
import type { Paint } from '../text/spans.ts';
import type { Key } from './text-field.ts';
import type { Screen } from './view.ts';

export interface Terminal {
  draw(screen: Screen): void;
  /** Makes the next draw write every row. */
  invalidate(): void;
  bell(): void;
  /** Restores the terminal for another program, such as an editor. */
  pause(): void;
  resume(): void;
  close(): void;
}

interface Listener {
  key(key: Key): void;
  pasted(text: string): void;
  resized(columns: number, rows: number): void;
}

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J';
const LEAVE = '\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l';
const ESCAPE_MS = 40;

export function openTerminal(paint: Paint, listener: Listener): Terminal {
  const { stdin, stdout } = process;
  let shown: string[] = [];
  let cursor = '';
  let isOpen = false;
  let pasted: string | undefined;

  const onKey = (text: string | undefined, key: NodeKey) => {
    const name = key.name as string | undefined;
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') {
      const whole = pasted ?? '';
      pasted = undefined;
      listener.pasted(whole);
    } else if (pasted !== undefined) pasted += text ?? key.sequence ?? '';
    else listener.key(keyOf(text, key));
  };
  const onResize = () => {
    shown = [];
    listener.resized(stdout.columns, stdout.rows);
  };

  function resume(): void {
    if (isOpen) return;
    isOpen = true;
    shown = [];
    cursor = '';
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('keypress', onKey);
    stdout.on('resize', onResize);
    stdout.write(ENTER);
  }

  function pause(): void {
    if (!isOpen) return;
    isOpen = false;
    stdin.removeListener('keypress', onKey);
    stdout.removeListener('resize', onResize);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
  }

  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as never);
  process.once('exit', pause);
  resume();
  return {
    draw({ lines, cursor: at }) {
      if (!isOpen) return;
      const painted = lines.map(paint);
      // Cleared first: after a full row the cursor is past the last cell, and clearing would erase nothing.
      const rows = painted.flatMap((text, i) =>
        text === shown[i] ? [] : [`\u001b[${i + 1};1H\u001b[K${text}\u001b[0m`],
      );
      const wanted = at ? `\u001b[${at.row + 1};${at.column + 1}H\u001b[?25h` : '\u001b[?25l';
      if (rows.length === 0 && wanted === cursor) return;
      stdout.write(`${at ? '' : wanted}${rows.join('')}${at ? wanted : ''}`);
      shown = painted;
      cursor = wanted;
    },
    invalidate() {
      shown = [];
      if (isOpen) stdout.write('\u001b[2J');
    },
    bell: () => void stdout.write('\u0007'),
    pause,
    resume,
    close() {
      pause();
      process.removeListener('exit', pause);
    },
  };
}

function keyOf(text: string | undefined, key: NodeKey): Key {
  if (key.ctrl && key.name) return { name: `ctrl-${key.name}` };
  if (key.name === 'enter') return { name: 'return' };
  const isPrintable = text !== undefined && !key.meta && !/^\p{Cc}/u.test(text);
  if (isPrintable) return { name: text, text };
  return { name: key.name ?? 'unknown' };
}
