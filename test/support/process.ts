// Real Holdpoint processes for tests: each the leader of its own process group, on a free port, with a temporary state
// folder. Owns starting, killing by pid and cleaning up; knows nothing of what the server says over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
const BROUGHT_NODE = join(root, 'node_modules', 'node', 'bin', 'node');
const node = existsSync(BROUGHT_NODE) ? BROUGHT_NODE : process.execPath;
/** Saves a third of each start. */
export const COMPILED = join(root, 'node_modules', '.cache', 'holdpoint-tests');
const READY = /^holdpoint ready (\S+)$/m;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StartOptions {
  /** After `serve`. Give `command` to run something else than `serve`. */
  args?: string[];
  command?: string[];
  env?: Record<string, string>;
  /** A state folder to use again; a fresh one otherwise. */
  data?: string;
  /** `launcher` is bin/holdpoint as people start it; `main` saves its few milliseconds. */
  via?: 'launcher' | 'main';
  /** The folder of another release; this one by default. */
  release?: string | undefined;
}

export interface Started {
  pid: number;
  data: string;
  exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  /** Resolves to the url of the ready line; rejects when the process ends without one. */
  ready: Promise<string>;
  /** Sends the signal to the process (to its whole group for SIGKILL) and waits for its end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
}

export interface Holdpoint extends Started {
  url: string;
  token: string;
}

const running = new Map<number, Started>();
const folders = new Set<string>();

process.on('exit', () => {
  for (const pid of running.keys()) signalGroup(pid, 'SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
  folders.add(folder);
  return folder;
}

/** Starts a process and waits for nothing. */
export function spawnHoldpoint(options: StartOptions = {}): Started {
  const data = options.data ?? temporaryFolder();
  const script = options.via === 'main' ? ['src', 'cli', 'main.ts'] : ['bin', 'holdpoint'];
  const child = spawn(
    node,
    [join(options.release ?? root, ...script), ...(options.command ?? ['serve']), ...(options.args ?? [])],
    {
      cwd: data,
      env: { ...foreignEnv(), NODE_COMPILE_CACHE: COMPILED, HOLDPOINT_PORT: '0', HOLDPOINT_DATA: data, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const started = watch(child, data);
  running.set(started.pid, started);
  void started.exited.then(() => running.delete(started.pid));
  return started;
}

export async function startHoldpoint(options: StartOptions = {}): Promise<Holdpoint> {
  const started = spawnHoldpoint(options);
  const url = await started.ready;
  const token = options.env?.HOLDPOINT_TOKEN ?? readFileSync(join(started.data, 'operator.token'), 'utf8').trim();
  return { ...started, url, token };
}

/** Ends whatever this file's tests left running, and removes their folders. Call it in `afterAll`. */
export async function endEverything(): Promise<void> {
  await Promise.all([...running.values()].map((started) => started.end('SIGKILL')));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

function watch(child: ChildProcess, data: string): Started {
  const { pid } = child;
  if (pid === undefined) throw new Error('the process could not be started');
  let stdout = '';
  let stderr = '';
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      const url = READY.exec(stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    void exited.then(({ code, signal }) =>
      reject(new Error(`holdpoint ended (${code ?? signal}) before it was ready: ${stderr.slice(-2000)}`)),
    );
  });
  // Who does not wait for readiness need not care that it never came.
  ready.catch(() => {});
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return {
    pid,
    data,
    exited,
    ready,
    stdout: () => stdout,
    stderr: () => stderr,
    end(signal) {
      if (signal === 'SIGKILL') signalGroup(pid, signal);
      else child.kill(signal);
      return exited;
    },
  };
}

/** This process's environment without settings that would reach into the server under test. */
function foreignEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HOLDPOINT_|NODE_OPTIONS$)/.test(name)));
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
