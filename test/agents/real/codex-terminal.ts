// Codex in a terminal, as a person starts it. Answers what the program asks its terminal, as a terminal does.
import { openPty, type Pty } from '../../support/pty.ts';
import { codex } from './binaries.ts';

const FLAGS = ['--no-alt-screen', '-a', 'on-request', '-s', 'workspace-write'];
const QUERIES: [string, string][] = [
  ['\u001b[6n', '\u001b[1;1R'],
  ['\u001b[c', '\u001b[?62;c'],
  ['\u001b]10;?', '\u001b]10;rgb:ffff/ffff/ffff\u001b\\'],
  ['\u001b]11;?', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
  ['\u001b[?u', '\u001b[?0u'],
];

export function codexTerminal(cwd: string, args: string[]): Pty {
  const command = [codex ?? '', ...FLAGS, ...args];
  const pty = openPty({ command, env: { ...process.env, TERM: 'xterm-256color' }, columns: 120, rows: 40, cwd });
  const answered = new Set<string>();
  const timer = setInterval(() => {
    for (const [asked, answer] of QUERIES)
      if (!answered.has(asked) && pty.raw().includes(asked)) {
        answered.add(asked);
        pty.type(answer);
      }
  }, 20);
  void pty.exited.then(() => clearInterval(timer));
  return pty;
}

/** Codex drops a key that comes too soon after its prompt has opened, so it is pressed until this is on the screen. */
export async function pressUntil(pty: Pty, key: string, text: string): Promise<void> {
  while (!pty.screen().join('\n').includes(text)) {
    pty.type(key);
    await new Promise((resolve) => setTimeout(resolve, PRESS_EVERY_MS));
  }
}

const PRESS_EVERY_MS = 300;
