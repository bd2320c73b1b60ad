// A person at a terminal, for tests: the command runs in a real pseudo-terminal (python3 makes it, Node cannot), and a
// real terminal emulator reads what it writes, so that tests see the screen a person would see.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import xterm from '@xterm/headless';

export const hasPty = spawnSync('python3', ['-c', 'import pty, fcntl, termios'], { stdio: 'ignore' }).status === 0;

export interface Pty {
  /** The rows of the screen, without trailing blanks. */
  screen(): string[];
  /** Everything that was written, as it was. */
  raw(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Until the screen contains it; says what the screen shows when that does not happen. */
  shows(expected: string | RegExp): Promise<void>;
  isAlternate(): boolean;
  exited: Promise<number>;
  end(): Promise<number>;
}

export const KEYS = {
  up: '\u001b[A',
  down: '\u001b[B',
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
};

const PATIENCE_MS = 60_000;
const open = new Set<() => void>();

export interface PtyOptions {
  command: string[];
  env: NodeJS.ProcessEnv;
  columns?: number;
  rows?: number;
  cwd?: string;
}

export function openPty({ command, env, columns = 100, rows = 30, cwd }: PtyOptions): Pty {
  const script = join(import.meta.dirname, 'pseudo-terminal.py');
  const child = spawn('python3', [script, String(columns), String(rows), ...command], {
    env: { ...env, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(cwd !== undefined && { cwd }),
  });
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const watchers = new Set<() => void>();
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    terminal.write(text, () => {
      for (const look of watchers) look();
    });
  });
  child.stdin.on('error', () => {});
  const kill = () => child.kill('SIGKILL');
  open.add(kill);
  // When the screen shows the last that was written, too.
  const exited = new Promise<number>((resolve) =>
    child.once('close', (code) => terminal.write('', () => resolve(code ?? -1))),
  );
  void exited.then(() => open.delete(kill));
  const order = (what: object) => child.stdin.write(`${JSON.stringify(what)}\n`);
  const screen = () =>
    Array.from({ length: terminal.rows }, (_, i) => {
      const { active } = terminal.buffer;
      return active.getLine(active.viewportY + i)?.translateToString(true) ?? '';
    });

  return {
    screen,
    raw: () => raw,
    type: (keys) => void order({ write: keys }),
    resize(wide, high) {
      terminal.resize(wide, high);
      order({ resize: [wide, high] });
    },
    shows(expected) {
      const seen = () => {
        const text = screen().join('\n');
        return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
      };
      return new Promise((resolve, reject) => {
        const done = (error?: Error) => {
          clearTimeout(timer);
          watchers.delete(look);
          if (error) reject(error);
          else resolve();
        };
        const look = () => {
          if (seen()) done();
        };
        const complain = (why: string) =>
          done(new Error(`${why} before the screen showed ${expected}:\n${screen().join('\n')}`));
        const timer = setTimeout(() => complain('time was up'), PATIENCE_MS);
        watchers.add(look);
        void exited.then((code) => (seen() ? done() : complain(`the command ended (${code})`)));
        look();
      });
    },
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    exited,
    end() {
      // The end of its input makes the relay end the command by its pid.
      child.stdin.end();
      return exited;
    },
  };
}

/** Ends what tests left open. Call it in `afterAll`. */
export function endTerminals(): void {
  for (const kill of open) kill();
}
