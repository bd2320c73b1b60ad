// Locks a state folder for one process; the operating system releases the lock when the process ends.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail } from '../core/errors.ts';

/** One server per state folder. */
export function takeLock(folder: string): DatabaseSync {
  const lock = tryLock(join(folder, 'holdpoint.lock'));
  if (lock) return lock;
  throw fail(
    'store_unavailable',
    `Another Holdpoint server is using ${folder}. Stop it, or set HOLDPOINT_DATA to another folder.`,
  );
}

/** Undefined while another process has the lock. */
export function tryLock(path: string): DatabaseSync | undefined {
  // SQLite would create it with the umask of the process.
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}
