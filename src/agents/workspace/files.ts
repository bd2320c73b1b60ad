// Reads and writes files inside a workspace: atomically, and never through a link, which could lead out of it.
import { randomUUID } from 'node:crypto';
import { constants, utimesSync } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../node/atomic-file.ts';
import { isMissing } from '../kit/runtime.ts';

interface FileState {
  mode: number;
  modifiedAt: Date;
}

/** Undefined if there is no file, or if it is a link or otherwise not a regular file. */
export async function readPlain(path: string): Promise<(FileState & { bytes: Buffer }) | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return undefined;
    return { bytes: await file.readFile(), mode: stat.mode & 0o777, modifiedAt: stat.mtime };
  } finally {
    await file.close();
  }
}

/** `scratch`: a folder on the same file system for the draft, so that a program never finds one in its workspace. */
export async function writePlain(
  path: string,
  bytes: Uint8Array | string,
  scratch: string,
  { mode = 0o644, modifiedAt }: Partial<FileState> = {},
): Promise<void> {
  const draft = join(scratch, `draft-${randomUUID()}`);
  const beforeRename = () => modifiedAt && utimesSync(draft, new Date(), modifiedAt);
  writeFileAtomic(path, bytes, { mode, draft, beforeRename });
}

/** Whether every folder on the way to a file is a real folder, or does not exist yet. */
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

/** False if it exists already. */
export async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
