// The only place that starts programs. Each leads a session of its own, has a limit in time and in what is kept of its
// output, and takes everything it started with it when it ends, whether by itself, by its limit or because it is stopped.
// A program begins only after its identity was handed on: whoever writes it down can find it again, whatever crashes.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { endGroup, identityOf, isAlive, type ProcessIdentity } from './process-group.ts';

export interface ProcessSpec {
  argv: readonly string[];
  folder: string;
  env: Record<string, string>;
  /** Written to its standard input, which is then closed; empty otherwise. */
  input?: string | undefined;
  limitMs?: number | undefined;
  signal: AbortSignal;
  /** An entry of `env` that nothing else has: finds what outlives the leader. */
  mark: string;
  /** Called with the process before it begins; if this throws, it never does. */
  onStart(process: ProcessIdentity): void;
}

export interface ProcessExit {
  /** As a shell tells it: 128 + n when a signal ended it. */
  exitCode: number;
  signal?: NodeJS.Signals | undefined;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

const GRACE_MS = 1500;
/** Of each stream the first and the last half of this is kept. */
const KEPT_BYTES = 64 * 1024;
/** After everything was ended, only a process that left the session can hold the pipes open. */
const LAST_OUTPUT_MS = 500;

/** Waits for a line before it becomes the program; if whoever started it dies first, it ends without beginning. */
const GATE = 'read -r go <&3 || exit 125; exec "$@" 3<&-';

export const processes = {
  self: (): ProcessIdentity => identityOf(process.pid),
  isAlive,
  end: (leader: ProcessIdentity, mark: string): Promise<boolean> => endGroup(leader, GRACE_MS, mark),
  run,
};

async function run(spec: ProcessSpec): Promise<ProcessExit> {
  spec.signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', GATE, 'sh', ...spec.argv], {
    cwd: spec.folder,
    env: spec.env,
    detached: true,
    stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stdout = keep(child.stdout);
  const stderr = keep(child.stderr);
  for (const pipe of child.stdio) pipe?.on('error', () => {});
  const { pid } = child;
  if (pid === undefined) throw await exited.catch((error: unknown) => error);
  const leader = identityOf(pid);

  let timedOut = false;
  const end = () => void endGroup(leader, GRACE_MS);
  const limit = setTimeout(
    () => {
      timedOut = true;
      end();
    },
    Math.min(spec.limitMs ?? LONGEST_TIMER_MS, LONGEST_TIMER_MS),
  );
  spec.signal.addEventListener('abort', end, { once: true });
  try {
    letGo(child, spec, leader);
    const { code, signal } = await exited;
    await endGroup(leader, GRACE_MS, spec.mark);
    await within(LAST_OUTPUT_MS, closed);
    const exitCode = code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
    return { exitCode, ...(signal && { signal }), stdout: stdout(), stderr: stderr(), timedOut };
  } finally {
    clearTimeout(limit);
    spec.signal.removeEventListener('abort', end);
    for (const pipe of child.stdio) pipe?.destroy();
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function letGo(child: ChildProcess, spec: ProcessSpec, leader: ProcessIdentity): void {
  const gate = child.stdio[3] as NodeJS.WritableStream;
  try {
    spec.onStart(leader);
  } catch (error) {
    gate.end();
    throw error;
  }
  gate.end('go\n');
  if (spec.input !== undefined) child.stdin?.end(spec.input);
}

const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

/** Collects the beginning and the end of a stream, and says how much is missing between. */
function keep(stream: NodeJS.ReadableStream | null): () => string {
  const half = KEPT_BYTES / 2;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let dropped = 0;
  stream?.on('data', (chunk: Buffer) => {
    const room = half - head.length;
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    const joined = Buffer.concat([tail, rest]);
    const over = Math.max(0, joined.length - half);
    dropped += over;
    tail = joined.subarray(over);
  });
  return () => {
    if (dropped === 0) return readable(Buffer.concat([head, tail]));
    return `${readable(head)}\n[… ${dropped} bytes left out …]\n${readable(tail)}`;
  };
}

/** Whatever a program wrote becomes text that can be kept and sent. */
const readable = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\u2400');

function within(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
