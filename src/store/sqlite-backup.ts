// Writes a backup of an SQLite database while a server uses it: one file, one snapshot. `VACUUM INTO` reads in a single
// transaction, which in WAL mode delays no writer, and copies no remains of deleted rows; copying page by page would start
// again with every commit. The file has its name only once it is complete, checked and on disk.
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail } from '../core/errors.ts';
import { syncPath } from '../node/sync.ts';
import { openBackup } from './sqlite-restore.ts';

export interface Backup {
  file: string;
  bytes: number;
  events: number;
  /** The number and the instant of the last event in it. */
  through_seq: number;
  at_ms: number | null;
}

export function backUpSqlite(folder: string, name: string): Backup {
  const path = join(folder, 'holdpoint.db');
  const file = resolve(name);
  if (!existsSync(path)) throw fail('store_unavailable', `There is no database in ${folder}. Nothing was written.`);
  if (existsSync(file)) throw fail('store_unavailable', `${file} already exists. Name a new file.`);
  if (!existsSync(dirname(file))) throw fail('store_unavailable', `There is no folder ${dirname(file)}.`);
  const draft = `${file}.${process.pid}.unfinished`;
  try {
    copy(path, draft);
    const summary = summaryOf(draft);
    syncPath(draft);
    renameSync(draft, file);
    syncPath(dirname(file));
    return { file, bytes: statSync(file).size, ...summary };
  } finally {
    for (const rest of ['', '-journal']) rmSync(`${draft}${rest}`, { force: true });
  }
}

function copy(path: string, draft: string): void {
  // SQLite would create it with the umask of the process; into an empty file it writes.
  closeSync(openSync(draft, 'wx', 0o600));
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec('PRAGMA busy_timeout = 5000');
    db.prepare('VACUUM INTO ?').run(draft);
  } finally {
    db.close();
  }
}

function summaryOf(draft: string): Omit<Backup, 'file' | 'bytes'> {
  const { db } = openBackup(draft);
  try {
    const row = db.prepare('SELECT COUNT(*) AS events, MAX(seq) AS seq, MAX(at) AS at FROM events').get();
    return {
      events: Number(row?.events),
      through_seq: Number(row?.seq ?? 0),
      at_ms: (row?.at ?? null) as number | null,
    };
  } finally {
    db.close();
  }
}
