// Starts the measured servers, each as a process of its own on a free port with a state folder of its own, and asks
// them what they cost. Owns the processes it starts and ends them by their id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Endpoint } from './connection.ts';
import type { ContenderName } from './contender.ts';
import type { Cost } from './probe.ts';

export interface MeasuredServer {
  name: ContenderName;
  pid: number;
  /** Spawned → ready line. */
  startUpMs: number;
  agent: Endpoint;
  person: Endpoint;
  cost(what: 'cpu' | 'memory'): Promise<Cost>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..');
const PROBE = join(import.meta.dirname, 'probe.ts');
const OPERATOR = 'an-operator-3f9c-of-the-bench-7a21-only-here';
/** With the address of a database, it is on PostgreSQL. */
const COMMANDS: Record<ContenderName, (folder: string, database: string | undefined) => string[]> = {
  holdpoint: () => [join(ROOT, 'bin', 'holdpoint'), 'serve'],
  reference: (folder, database) =>
    database === undefined
      ? [join(import.meta.dirname, 'reference.ts'), join(folder, 'reference.db')]
      : [join(import.meta.dirname, 'reference-postgres.ts'), database],
  restate: (folder) => [join(import.meta.dirname, 'peers', 'restate.mjs'), folder],
  dbos: (_, database = '') => [join(import.meta.dirname, 'peers', 'dbos.mjs'), database],
};

export async function startServer(
  name: ContenderName,
  folder: string,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<MeasuredServer> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', PROBE, ...flags, ...COMMANDS[name](folder, env.HOLDPOINT_DATABASE_URL)],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        NODE_NO_WARNINGS: '1',
        HOLDPOINT_PORT: '0',
        HOLDPOINT_DATA: folder,
        HOLDPOINT_TOKEN: OPERATOR,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const port = await readyPort(child);
  const startUpMs = performance.now() - startedAt;
  const person = { port, token: OPERATOR };
  return {
    name,
    pid: child.pid ?? 0,
    startUpMs,
    person,
    agent: person,
    async cost(what) {
      child.send(what);
      const [cost] = (await once(child, 'message')) as [Cost];
      return cost;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function readyPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complained = '';
    child.stderr?.on('data', (part) => {
      complained += part;
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready: ${complained}`)));
    child.stdout?.on('data', (part) => {
      printed += part;
      const port = / ready http:\/\/[^\s:]+:(\d+)\n/.exec(printed)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
