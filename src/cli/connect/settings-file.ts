// A settings file of another program: read as it is, changed whole or not at all, and only if it still is what was read.
// A link is followed and stays a link, because people keep their settings elsewhere; one that leads to a file which is
// not there yet means that file. Copies lie beside it and take no name that is taken.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../failure.ts';

export const PRIVATE = 0o600;
const WRITABLE = 0o200;
const MOST_LINKS = 32;

export interface SettingsFile {
  path: string;
  text: string | undefined;
  mode: number;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function readSettings(named: string): SettingsFile {
  const path = leadsTo(named);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { path, text: undefined, mode: PRIVATE };
  if (!found.isFile()) throw new Failure('conflict', `${path} is no file: nothing was changed.`);
  const bytes = reading(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, text, mode: found.mode & 0o7777 };
  } catch {
    throw new Failure('conflict', `${path} is no text: it was left as it is.`);
  }
}

/** The file itself, at the end of all links. */
export function leadsTo(named: string): string {
  if (existsSync(named)) return realpathSync(named);
  let path = resolve(named);
  for (let i = 0; lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(); i++) {
    if (i === MOST_LINKS) throw new Failure('conflict', `${named} is a link to itself: nothing was changed.`);
    path = resolve(dirname(path), readlinkSync(path));
  }
  if (path === resolve(named) || existsSync(dirname(path))) return path;
  throw new Failure(
    'conflict',
    `${named} is a link to ${path}, whose folder is not there. Make it, or remove the link.`,
  );
}

function reading(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure('refused', `${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Whoever made it read-only did not want it changed. */
export function mustBeWritable({ path, text, mode }: SettingsFile): void {
  if (text === undefined || (mode & WRITABLE) !== 0) return;
  throw new Failure('conflict', `${path} is read-only, and was left as it is. To have it changed: chmod u+w ${path}`);
}

/** What was confirmed is a change of the file as it was shown. */
export function mustBeUnchanged({ path, text }: SettingsFile): void {
  if (readSettings(path).text === text) return;
  throw new Failure('conflict', `${path} was changed meanwhile, and was left as it is. Try again.`);
}

/** Looks once more when everything but the last step is done. */
export function replaceSettings(file: SettingsFile, text: string, mode: number): void {
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
    writeWhole(file.path, text, mode, () => mustBeUnchanged(file));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('refused', `${file.path} could not be written, and is as it was: ${(error as Error).message}`);
  }
}

export function removeSettings(file: SettingsFile): void {
  mustBeUnchanged(file);
  rmSync(file.path, { force: true });
}

/** A name for a copy that nothing has yet: an older copy may be all that is left of something. */
export function copyName(path: string): string {
  const name = `${path}.before-holdpoint`;
  for (let i = 1; ; i++) {
    const free = i === 1 ? name : `${name}-${i}`;
    if (!existsSync(free)) return free;
  }
}

const draftOf = (path: string): string => `${path}.holdpoint-draft`;

/** What a crash may have left; it may hold a token. */
export const removeDraft = (path: string): void => {
  if (lstatSync(draftOf(path), { throwIfNoEntry: false })?.isDirectory()) return;
  rmSync(draftOf(path), { force: true });
};

export function writeWhole(path: string, content: string, mode: number, last: () => void = () => {}): void {
  // Neither through a link nor into a file that others may read: what was there under the name is gone first.
  removeDraft(path);
  try {
    writeFileSync(draftOf(path), content, { mode: PRIVATE, flush: true, flag: 'wx' });
    chmodSync(draftOf(path), mode);
    last();
    renameSync(draftOf(path), path);
  } catch (error) {
    removeDraft(path);
    throw error;
  }
}
