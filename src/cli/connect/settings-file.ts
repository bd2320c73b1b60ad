// Reads and replaces the settings file of another program, atomically and only if it is still what was read. A symbolic
// link is followed and stays a link; one whose target does not exist yet names that target. Backups lie beside the file
// under a name that is free.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import { Failure } from '../failure.ts';

export const PRIVATE = 0o600;
const WRITABLE = 0o200;
const MAX_LINKS = 32;

export interface SettingsFile {
  path: string;
  text: string | undefined;
  mode: number;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function readSettings(named: string): SettingsFile {
  const path = linkTarget(named);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { path, text: undefined, mode: PRIVATE };
  if (!found.isFile()) throw new Failure('conflict', `${path} is not a regular file: nothing was changed.`);
  const bytes = readBytes(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, text, mode: found.mode & 0o7777 };
  } catch {
    throw new Failure('conflict', `${path} is not UTF-8 text: nothing was changed.`);
  }
}

/** The file at the end of all links. */
export function linkTarget(named: string): string {
  if (existsSync(named)) return realpathSync(named);
  let path = resolve(named);
  for (let i = 0; lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(); i++) {
    if (i === MAX_LINKS) throw new Failure('conflict', `${named} is a link to itself: nothing was changed.`);
    path = resolve(dirname(path), readlinkSync(path));
  }
  if (path === resolve(named) || existsSync(dirname(path))) return path;
  throw new Failure(
    'conflict',
    `${named} is a link to ${path}, whose folder does not exist. Create it, or remove the link.`,
  );
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure('refused', `${path} cannot be read: ${(error as Error).message}`);
  }
}

export function mustBeWritable({ path, text, mode }: SettingsFile): void {
  if (text === undefined || (mode & WRITABLE) !== 0) return;
  throw new Failure('conflict', `${path} is read-only and was not changed. To allow the change: chmod u+w ${path}`);
}

/** The person confirmed a change of the file as it was shown. */
export function mustBeUnchanged({ path, text }: SettingsFile): void {
  if (readSettings(path).text === text) return;
  throw new Failure('conflict', `${path} was changed by another program meanwhile; nothing was written. Try again.`);
}

/** Compares the file once more just before the rename. */
export function replaceSettings(file: SettingsFile, text: string, mode: number): void {
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
    writeFileAtomic(file.path, text, { mode, draft: draftOf(file.path), beforeRename: () => mustBeUnchanged(file) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('refused', `${file.path} could not be written and is unchanged: ${(error as Error).message}`);
  }
}

export function removeSettings(file: SettingsFile): void {
  mustBeUnchanged(file);
  rmSync(file.path, { force: true });
}

/** A free name for a backup: an older backup may be the only copy of something. */
export function backupName(path: string): string {
  const name = `${path}.before-holdpoint`;
  for (let i = 1; ; i++) {
    const free = i === 1 ? name : `${name}-${i}`;
    if (!existsSync(free)) return free;
  }
}

const draftOf = (path: string): string => `${path}.holdpoint-draft`;

/** Removes what a crash may have left; it may contain a token. */
export const removeDraft = (path: string): void => {
  if (lstatSync(draftOf(path), { throwIfNoEntry: false })?.isDirectory()) return;
  rmSync(draftOf(path), { force: true });
};
