// One process per state folder: a lock that the operating system drops with its holder.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail } from '../core/errors.ts';

/** One server per state folder. The operating system drops the lock with the process, however it dies. */
export function takeLock(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(folder, 'holdpoint.lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw fail(
      'store_unavailable',
      `Another Holdpoint server is using ${folder}. Stop it, or set HOLDPOINT_DATA to another folder.`,
    );
  }
  return lock;
}
