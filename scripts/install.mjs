// Installs the dependencies when package-lock.json changed since the last time, and otherwise does nothing.
// Quiet on success, on standard error otherwise. Two processes may call it at once: one installs, the other waits.
// It uses `npm install`, because a lockfile may lack the optional packages of this platform, which `npm ci` refuses.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, root } from './node.mjs';

const modules = join(root, 'node_modules');
const stamp = join(modules, '.holdpoint-install');
const lock = join(modules, '.holdpoint-install.lock');
const POLL_MS = 200;
const UNSIGNED_STALE_MS = 10_000;
const STALE_MS = 15 * 60_000;

export async function installIfNeeded() {
  if (isInstalled()) return;
  mkdirSync(modules, { recursive: true });
  await takeLock();
  try {
    if (!isInstalled()) install();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function install() {
  process.stderr.write('Installing dependencies (about a minute the first time)…\n');
  // --no-save leaves the committed lockfile as it is. Node 24 is a dev dependency, so NODE_ENV=production must not omit it.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const viaNpm = process.env.npm_execpath?.endsWith('.js');
  const { status, error, stdout, stderr } = viaNpm
    ? spawnSync(process.execPath, [process.env.npm_execpath, ...args], { cwd: root, encoding: 'utf8' })
    : spawnSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status === 0) return writeFileSync(stamp, wanted());
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  rmSync(lock, { recursive: true, force: true });
  fail(`npm install failed (${error?.message ?? `exit code ${status}`}); the lines above say why.`);
}

function isInstalled() {
  return read(stamp) === wanted();
}

/** What the stamp has to say: this lockfile, on this kind of machine. */
function wanted() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

async function takeLock() {
  for (;;) {
    try {
      mkdirSync(lock);
      return writeFileSync(join(lock, 'pid'), String(process.pid));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isStale()) rmSync(lock, { recursive: true, force: true });
    else await sleep(POLL_MS);
  }
}

/** The owner is gone, never signed, or has been at it for longer than any install takes. */
function isStale() {
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  const pid = Number(read(join(lock, 'pid')));
  if (!pid) return ageMs > UNSIGNED_STALE_MS;
  return ageMs > STALE_MS || !isAlive(pid);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
