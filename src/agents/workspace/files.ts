// Files inside a workspace, written whole or not at all, and never through a link that leads out of it.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../kit/runtime.ts';

export interface Found {
  bytes: Buffer;
  mode: number;
  modifiedAt: Date;
}

/** The file, or nothing if there is none. A link or anything else that is no plain file is `undefined` too. */
export async function readPlain(path: string): Promise<Found | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return undefined;
    return { bytes: await file.readFile(), mode: stat.mode & 0o7777, modifiedAt: stat.mtime };
  } finally {
    await file.close();
  }
}

/** `scratch` is a folder on the same file system, where the file grows before it gets its name. */
export async function writeWhole(
  path: string,
  bytes: Buffer | string,
  scratch: string,
  like?: Pick<Found, 'mode' | 'modifiedAt'>,
): Promise<void> {
  const draft = join(scratch, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, bytes, { flag: 'wx', flush: true });
    if (like) await chmod(draft, like.mode);
    if (like) await utimes(draft, new Date(), like.modifiedAt);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Whether the folders on the way to a file are folders, or not there yet. */
export async function leadsInside(workspace: string, relative: string): Promise<boolean> {
  const parts = relative.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return false;
  for (let depth = 1; depth < parts.length; depth++) {
    const kind = await kindOf(join(workspace, ...parts.slice(0, depth)));
    if (kind === 'missing') return true;
    if (kind !== 'folder') return false;
  }
  return true;
}

export async function kindOf(path: string): Promise<'missing' | 'folder' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw error;
  }
}

/** Makes a folder; false when it was already there. */
export async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
