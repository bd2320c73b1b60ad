// Replaces the database of a state folder by a backup, whole or not at all. Owns the copy that is checked before it counts;
// what its log says is for others to verify.
//
//   free or replaceable ──stage──► restoring/holdpoint.db ──checks──► old one without WAL, kept under another name ──rename──► new
//
// Everything before the rename leaves the old database in use, and the rename is one step. A write-ahead log of the old one
// would be applied to the new one: it is written back before.
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail } from '../core/errors.ts';
import { syncPath } from '../node/sync.ts';
import { MIGRATION_NAMES, refuseNewer } from './schema.ts';
import { SESSION_EVENTS_VIEW } from './sqlite-event-list.ts';
import { takeLock } from './sqlite-lock.ts';

const NAME = 'holdpoint.db';
const MAGIC = 'SQLite format 3\0';
/** Where the header says whether the file has a write-ahead log. A backup has none; the file of a server has. */
const WRITE_VERSION = 18;
const WITH_LOG = 2;
const MOST_REMARKS = 3;
const COPIED_AT_ONCE = 1024 * 1024;

export interface Staged {
  /** The copy of the backup; no other process has it open. */
  path: string;
  /** Makes it the database of the folder. Returns where the one before is kept. */
  install(now: number): string | undefined;
  /** Removes what was not installed, and releases the folder. */
  close(): void;
}

/** Copies the backup into the state folder, which stays locked: no server starts meanwhile. */
export function stageBackup(folder: string, file: string, mayReplace: boolean): Staged {
  refuseForeign(file);
  const backup = openSync(file, 'r');
  becomeOwner(folder);
  const lock = takeLock(folder);
  const staging = join(folder, 'restoring');
  const close = () => {
    rmSync(staging, { recursive: true, force: true });
    lock.close();
    closeSync(backup);
  };
  try {
    refuseOccupied(folder, mayReplace);
    dropSecondNames(folder);
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    const path = join(staging, NAME);
    copy(backup, path);
    return { path, close, install: (now) => install(folder, path, now) };
  } catch (error) {
    close();
    throw error;
  }
}

function refuseOccupied(folder: string, mayReplace: boolean): void {
  const [database, ...rest] = ['', '-wal', '-shm', '-journal'].filter((end) => existsSync(join(folder, NAME + end)));
  if (database === undefined) return;
  if (database !== '')
    throw fail(
      'store_unavailable',
      `${folder} has ${NAME}${database} without ${NAME}. Move it away: it belongs to another database.`,
    );
  if (mayReplace) return;
  const since = rest.includes('-wal') ? ', with changes of a server that did not end in order' : '';
  throw fail(
    'store_unavailable',
    `${folder} already has a database${since}. Restore into another folder with --data, or replace it with --replace.`,
  );
}

/** Where root restores for the account of a server: that account could lay links in its folder, which root would follow. */
function becomeOwner(folder: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

function copy(from: number, path: string): void {
  const to = openSync(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(COPIED_AT_ONCE);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(from, chunk, 0, chunk.length, at);
      writeFileSync(to, chunk.subarray(0, read));
    }
  } finally {
    closeSync(to);
  }
}

/** A restore that was cut off before its rename leaves a second name of the database that is still in use. */
function dropSecondNames(folder: string): void {
  const path = join(folder, NAME);
  if (!existsSync(path) || statSync(path).nlink < 2) return;
  const { ino } = statSync(path);
  for (const name of readdirSync(folder))
    if (name.startsWith(`${NAME}.replaced-`) && statSync(join(folder, name)).ino === ino) rmSync(join(folder, name));
}

function refuseForeign(file: string): void {
  if (!existsSync(file)) throw fail('invalid_request', `There is no file ${file}.`);
  if (!statSync(file).isFile() || headerOf(file).toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw fail('invalid_request', `${file} is not a backup: \`holdpoint db backup\` writes an SQLite database.`);
  // A link may lead to the database of a server: what is beside that one counts.
  const path = realpathSync(file);
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0)
    throw fail(
      'invalid_request',
      `${file} is a database in use, or was copied from one: ${basename(path)}-wal has changes that are not in it. Make a backup with \`holdpoint db backup\`.`,
    );
}

function headerOf(file: string): Buffer {
  const from = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(WRITE_VERSION + 1);
    readSync(from, bytes);
    return bytes;
  } finally {
    closeSync(from);
  }
}

export interface OpenBackup {
  db: DatabaseSync;
  /** Whether it has the schema of this release; otherwise that of an earlier one. */
  isCurrent: boolean;
  /** It is a copy of a server's own file: what was in the write-ahead log beside that one is missing. */
  isCopy: boolean;
}

/** Opens a file that another program may have made; refuses one that is damaged, not Holdpoint's, or of a newer release. */
export function openBackup(path: string): OpenBackup {
  refuseForeign(path);
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA busy_timeout = 5000');
    refuseDamaged(path, db);
    const tables = names(db, `SELECT name FROM sqlite_schema WHERE type = 'table'`);
    if (!tables.includes('kysely_migration') || !tables.includes('events'))
      throw fail('invalid_request', `${path} is an SQLite database, but not one of Holdpoint.`);
    const active = names(db, ACTIVE);
    if (active.length > 0)
      throw fail('invalid_request', `${path} was altered: it has a ${active[0]}, which Holdpoint does not make.`);
    const applied = names(db, 'SELECT name FROM kysely_migration');
    refuseNewer(applied);
    const isCopy = headerOf(path)[WRITE_VERSION] === WITH_LOG;
    return { db, isCurrent: MIGRATION_NAMES.every((name) => applied.includes(name)), isCopy };
  } catch (error) {
    db.close();
    throw error;
  }
}

function refuseDamaged(path: string, db: DatabaseSync): void {
  let remarks: string[];
  try {
    remarks = db
      .prepare(`PRAGMA integrity_check(${MOST_REMARKS})`)
      .all()
      .map(({ integrity_check }) => String(integrity_check));
  } catch (error) {
    remarks = [(error as Error).message];
  }
  if (remarks.join() === 'ok') return;
  throw fail('invalid_request', `${path} is damaged (${remarks.join('; ')}). Use another backup.`);
}

/** What runs a text of the file's own, unless that is the text of this release. */
const ACTIVE = `SELECT type || ' ' || name AS name FROM sqlite_schema
  WHERE type IN ('trigger', 'view') AND sql <> '${SESSION_EVENTS_VIEW}'`;

const names = (db: DatabaseSync, text: string): string[] =>
  db
    .prepare(text)
    .all()
    .map(({ name }) => String(name));

function install(folder: string, staged: string, now: number): string | undefined {
  const path = join(folder, NAME);
  const kept = existsSync(path) ? keepOld(path, now) : undefined;
  syncPath(staged);
  if (existsSync(`${path}-wal`)) throw inUse(path);
  renameSync(staged, path);
  syncPath(folder);
  return kept;
}

/** Brings all of it into the one file, and gives that a second name, under which it stays. */
function keepOld(path: string, now: number): string {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA busy_timeout = 2000; PRAGMA wal_checkpoint(TRUNCATE)');
    if (db.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode !== 'delete') throw inUse(path);
  } catch (error) {
    throw fail(
      'store_unavailable',
      `Nothing was replaced: ${path} could not be closed (${(error as Error).message}). End programs that read it; if it is damaged, move it away with its -wal file, and restore again.`,
    );
  } finally {
    db.close();
  }
  const kept = `${path}.replaced-${new Date(now).toISOString().replace(/[-:]|\..*/g, '')}`;
  linkSync(path, kept);
  return kept;
}

const inUse = (path: string) => fail('store_unavailable', `Another program has ${path} open`);
