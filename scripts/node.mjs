// Finds a Node that can run Holdpoint (24 or newer) and hands a command over to it.
// Plain JavaScript without dependencies: it runs on any Node >= 20, before anything is installed.
// It never installs anything and never writes to standard output.
// The binary that a clone brings is in no lockfile, because its package fetches it: it is compared with a list here before
// it runs.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const LOOK_EVERY_MS = 500;
/** SHA-256 of the binaries of devDependency `node`, by platform. To be renewed with its version in package.json. */
export const CHECKSUMS = {
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
};
const EXECUTABLE = process.platform === 'win32' ? 'node.exe' : 'node';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const runsHere = majorOf(process.versions.node) >= NEEDED_MAJOR;

/**
 * The path of a Node >= 24: the one in our own node_modules, the one running now, then the one in PATH. Our own is used
 * only with the listed checksum; on a platform without one, only where there is no other.
 */
export function findNode() {
  const modules = join(root, 'node_modules');
  const own = join(modules, 'node', 'bin', EXECUTABLE);
  const listed = CHECKSUMS[`${process.platform}-${process.arch}`];
  const isThere = existsSync(own);
  if (isThere && listed && isGenuine(own, listed, join(modules, '.holdpoint-node')) && isNewEnough(own)) return own;
  // Installed as a package, a `node` dependency of the same project stands next to us: that project vouches for it.
  const beside = join(dirname(root), 'node', 'bin', EXECUTABLE);
  if (existsSync(beside) && isNewEnough(beside)) return beside;
  if (runsHere) return process.execPath;
  if (isNewEnough('node')) return 'node';
  if (isThere && !listed && isNewEnough(own)) return own;
  return undefined;
}

/** Whether the file has this checksum. The result is noted outside of its package, so that the next start is fast. */
export function isGenuine(path, checksum, note) {
  const { size, mtimeMs, ino } = statSync(path);
  const verified = `${checksum} ${size} ${mtimeMs} ${ino}\n`;
  if (existsSync(note) && readFileSync(note, 'utf8') === verified) return true;
  if (createHash('sha256').update(readFileSync(path)).digest('hex') !== checksum) {
    process.stderr.write(`${path} does not have the checksum listed in scripts/node.mjs, so it is not run.\n`);
    return false;
  }
  try {
    writeFileSync(note, verified);
  } catch {
    // A folder that cannot be written to: the next start looks again.
  }
  return true;
}

/** Like findNode, but ends the process with a sentence a person can act on. */
export function requireNode() {
  const node = findNode();
  if (node) return node;
  fail(
    `Holdpoint needs Node ${NEEDED_MAJOR} or newer, this is ${process.version}. ` +
      (existsSync(join(root, 'src'))
        ? 'Run `npm install` here, which brings it.'
        : `Put it beside Holdpoint with \`npm install node@${NEEDED_MAJOR}\` (\`npm install -g\` if it is installed globally), and ` +
          'start it again.'),
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
  // Started over such a channel ourselves, as by a test server: the child ends with the starter.
  if (process.channel) process.on('disconnect', () => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`Cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    // The first process of a container ignores a signal of its own; it must not end as if all were well.
    process.exitCode = 1;
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
