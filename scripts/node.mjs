// Finds a Node that can run Holdpoint (24 or newer) and hands a command over to it.
// Plain JavaScript without dependencies: it runs on any Node >= 20, before anything is installed.
// It never installs anything and never writes to standard output.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const LOOK_EVERY_MS = 500;
const EXECUTABLE = process.platform === 'win32' ? 'node.exe' : 'node';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const runsHere = majorOf(process.versions.node) >= NEEDED_MAJOR;

/** The path of a Node >= 24: the one in our own node_modules, the one running now, then the one in PATH. */
export function findNode() {
  // Installed as a package, a `node` dependency of the same project stands next to us.
  const own = [join(root, 'node_modules'), dirname(root)].map((folder) => join(folder, 'node', 'bin', EXECUTABLE));
  const brought = own.find((path) => existsSync(path) && isNewEnough(path));
  if (brought) return brought;
  if (runsHere) return process.execPath;
  if (isNewEnough('node')) return 'node';
  return undefined;
}

/** Like findNode, but ends the process with a sentence a person can act on. */
export function requireNode() {
  const node = findNode();
  if (node) return node;
  fail(
    `Holdpoint needs Node ${NEEDED_MAJOR} or newer, this is ${process.version}. ` +
      'In a clone run `npm install`, which brings it; otherwise install it from https://nodejs.org.',
  );
}

/**
 * Runs `node ...args` in this terminal, forwards signals, and ends as the child ended.
 * The IPC channel is a lifeline: when this process dies alone, even by SIGKILL, the child sees `disconnect` and ends.
 * A hook is in a group of its own, so that no signal for this one reaches it, and ends with the agent that started us.
 */
export function handOver(node, args, { isHook = false, env = process.env } = {}) {
  if (isHook) endWithStarter();
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...env, HOLDPOINT_LAUNCHED: '1' },
    detached: isHook,
  });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}

/** A starter that was killed tells nobody; but then we belong to somebody else. */
function endWithStarter() {
  const starter = process.ppid;
  setInterval(() => process.ppid !== starter && process.exit(1), LOOK_EVERY_MS).unref();
}

export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function isNewEnough(command) {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 && majorOf(stdout.trim().replace(/^v/, '')) >= NEEDED_MAJOR;
}

function majorOf(version) {
  return Number.parseInt(version, 10);
}
