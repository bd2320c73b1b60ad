// Starts programs; no other file does. Each program leads its own session, has limits on time and captured output, and its
// descendants end with it, however it ends. It begins only after `onStart` has received its identity, so that a caller can
// record it and find the process again after a crash.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type {
  LineProcess,
  LineProcessSpec,
  ProcessExit,
  Processes,
  ProcessIdentity,
  ProcessSpec,
} from '../agents/agent.ts';
import { storable } from '../core/text-limit.ts';
import { splitLines } from '../node/lines.ts';
import { restoreUmask } from '../node/umask.ts';
import { endGroup, endRecorded, identityOf, isAlive, LEADER } from './process-group.ts';

const GRACE_MS = 1500;
/** Of each stream the first and the last half of this is captured. */
const CAPTURED_BYTES = 64 * 1024;
/** A program that writes a longer line is ended. */
const LONGEST_LINE = 32 * 1024 * 1024;
/** After its group has ended, only a process that left the session can hold the pipes open. */
const LAST_OUTPUT_MS = 500;

/** Waits for a line before it executes the program; if the worker dies first, it exits without starting it. */
const GATE = `shift; read -r go <&3 || exit 125; export ${LEADER}=$$; exec "$@" 3<&-`;

/**
 * A program with open pipes would outlive its worker, so a companion process watches the gate: when it closes, the
 * companion ends the program's group and, where /proc can be searched, every process that carries its leader id and the
 * mark, which is the first argument.
 */
const GATE_WITH_COMPANION = `mark=$1; shift; read -r go <&3 || exit 125
end() {
  for found in $(grep -lzxsF "${LEADER}=$$" /proc/[0-9]*/environ); do
    grep -qzxsF "$mark" "$found" && pid=\${found#/proc/} && kill -$1 "\${pid%/environ}"
  done
  kill -$1 -$$
}
( read -r gone <&3; trap '' TERM; end TERM; sleep 2; end KILL ) >/dev/null 2>&1 &
export ${LEADER}=$$; exec "$@" 3<&-`;

export const processes: Processes = {
  self: (): ProcessIdentity => identityOf(process.pid),
  isAlive,
  end: (leader: ProcessIdentity, mark: string): Promise<boolean> => endRecorded(leader, GRACE_MS, mark),
  run,
  start: startLines,
};

async function run(spec: ProcessSpec): Promise<ProcessExit> {
  const started = await start(spec, GATE, spec.input !== undefined);
  const { child, leader } = started;
  const stdout = capture(child.stdout);
  return untilEnd(started, spec, stdout, async () => {
    spec.onStart(leader);
    gateOf(child).end(GO);
    if (spec.input !== undefined) child.stdin?.end(spec.input);
  });
}

async function startLines(spec: LineProcessSpec): Promise<LineProcess> {
  const started = await start(spec, GATE_WITH_COMPANION, true);
  const { child, leader } = started;
  const onLine = (line: string) => {
    const ready = spec.onLine(line);
    if (!(ready instanceof Promise)) return;
    child.stdout?.pause();
    void ready.then(() => child.stdout?.resume());
  };
  splitLines(child.stdout, onLine, (length) => {
    if (length > LONGEST_LINE) void endGroup(leader, 0);
  });
  const begun = Promise.withResolvers<void>();
  const ended = untilEnd(
    started,
    spec,
    () => '',
    async () => {
      await spec.onStart?.(leader);
      gateOf(child).write(GO);
      begun.resolve();
    },
  );
  await Promise.race([begun.promise, ended]);
  return {
    send: (line) => void (child.stdin?.writable && child.stdin.write(`${line}\n`)),
    closeInput: () => void child.stdin?.end(),
    exited: started.exited.then(() => {}),
    ended,
  };
}

interface Started {
  child: ChildProcess;
  leader: ProcessIdentity;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  closed: Promise<void>;
}

async function start(spec: LineProcessSpec | ProcessSpec, gate: string, speaks: boolean): Promise<Started> {
  const { signal, argv, folder, env, mark } = spec;
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', `${restoreUmask()} ${gate}`, 'sh', mark, ...argv], {
    cwd: folder,
    env,
    detached: true,
    stdio: [speaks ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (const pipe of child.stdio) pipe?.on('error', () => {});
  const { pid } = child;
  if (pid === undefined) throw await exited.catch((error: unknown) => error);
  return { child, leader: identityOf(pid), exited, closed };
}

/** Starts the program and waits until it and its descendants are gone. */
async function untilEnd(
  { child, leader, exited, closed }: Started,
  spec: Pick<ProcessSpec, 'limitMs' | 'signal' | 'mark'>,
  stdout: () => string,
  begin: () => Promise<void>,
): Promise<ProcessExit> {
  const stderr = capture(child.stderr);
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
    await begin();
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

const GO = 'go\n';
const gateOf = (child: ChildProcess) => child.stdio[3] as NodeJS.WritableStream;

const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

/** Captures the beginning and the end of a stream, and reports how much is missing between. */
function capture(stream: NodeJS.ReadableStream | null): () => string {
  const half = CAPTURED_BYTES / 2;
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

/** Output as text that can be stored and sent. */
const readable = (bytes: Buffer): string => storable(bytes.toString('utf8'));

function within(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
