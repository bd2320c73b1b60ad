// Finds the files in the work folder that an action names, and hashes them. Every word of a command that is the path of
// such a file counts, wherever it stands. Files outside the folder are never read, not even through a link. What a
// changed hash means is decided by the caller.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { NamedFile } from '../core/ask.ts';
import { ownFolder, scriptPaths } from '../core/script-files.ts';
import { SCRIPT_BYTES, SCRIPTS_BYTES } from '../core/script-text.ts';
import { readShell } from '../core/shell/read.ts';
import { replacedPath } from '../core/written-file.ts';

/** A file with its hash; `text` where it is short enough for a difference. */
export interface FileRead extends NamedFile {
  /** The action runs or replaces it, and it may be shown: `text` is the whole file, to the byte. */
  isShown?: boolean;
}

const PATH_FIELDS = new Set(['file_path', 'notebook_path', 'path']);
const COMMAND_FIELDS = new Set(['command', 'cmd']);
/** Where words begin and end in a command that cannot be parsed. */
const BETWEEN_WORDS = /[\s"'`;|&<>()]+/;
const MOST_COMMAND_CHARACTERS = 64 * 1024;
const MOST_NAMES = 1000;
const MOST_FILES = 32;
const MOST_DEPTH = 6;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SHOWN_BYTES = 64 * 1024;

/** Stand for the hash of a file that no longer exists, or that may not be read. */
const GONE = 'gone';
const UNSEEN = 'unseen';

export const isGone = ({ sha256 }: NamedFile): boolean => sha256 === GONE;
export const isUnseen = ({ sha256 }: NamedFile): boolean => sha256 === UNSEEN;

export async function namedFiles(
  input: Readonly<Record<string, unknown>>,
  folder: string | undefined,
): Promise<FileRead[]> {
  if (folder === undefined) return [];
  const base = resolve(folder, ownFolder(input) ?? '');
  const shown = scriptPaths(input, base);
  const replaced = replacedPath(input, base);
  if (replaced !== undefined) shown.add(replaced);
  const names = [...new Set([...namesIn(input, 0), ...shown])].slice(0, MOST_NAMES);
  const found: FileRead[] = [];
  let room = SCRIPTS_BYTES;
  for (const path of new Set(names.map((name) => resolve(base, name)))) {
    const file = await read(path, folder);
    const isShown = shown.has(path) && isShowable(file, room);
    if (isShown) room -= Buffer.byteLength(file.text ?? '');
    if (!isGone(file) && !isUnseen(file)) found.push(isShown ? { ...file, isShown } : file);
    if (found.length === MOST_FILES) break;
  }
  return found;
}

/** What is not UTF-8 has another hash once it was read as text. */
function isShowable({ text, sha256 }: FileRead, room: number): boolean {
  if (text === undefined || Buffer.byteLength(text) > Math.min(SCRIPT_BYTES, room)) return false;
  return createHash('sha256').update(text).digest('hex') === sha256;
}

/** The same files as they are now. */
export const readAgain = (files: readonly NamedFile[], folder: string | undefined): Promise<FileRead[]> =>
  Promise.all(files.map(({ path }) => read(path, folder)));

function* namesIn(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
  for (const [field, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') yield* namesIn(inner, depth + 1);
    else if (PATH_FIELDS.has(field)) yield inner;
    else if (COMMAND_FIELDS.has(field)) yield* wordsOf(inner.slice(0, MOST_COMMAND_CHARACTERS));
  }
}

function* wordsOf(command: string): Generator<string> {
  const { commands, unknown } = readShell(command);
  const parsed = commands.flatMap(({ words, values, redirections }) => [
    ...words,
    ...values,
    ...redirections.map(({ target }) => target),
  ]);
  for (const text of [
    ...parsed.map(({ text }) => text),
    ...(unknown === undefined ? [] : command.split(BETWEEN_WORDS)),
  ]) {
    yield text;
    const value = text.indexOf('=');
    if (value > 0) yield text.slice(value + 1);
  }
}

async function read(path: string, folder: string | undefined): Promise<FileRead> {
  let file: FileHandle | undefined;
  try {
    if (!isWithin(await realpath(folder ?? ''), await realpath(path))) return { path, sha256: UNSEEN };
    // Stat the open handle, so that the file cannot be swapped in between; O_NONBLOCK, so that a pipe does not block.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const content = (await file.stat()).isFile() ? await contentOf(file) : undefined;
    if (!content) return { path, sha256: UNSEEN };
    const text = content.byteLength <= MOST_SHOWN_BYTES && !content.includes(0) ? content.toString('utf8') : undefined;
    return { path, sha256: createHash('sha256').update(content).digest('hex'), text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { path, sha256: code === 'ENOENT' || code === 'ENOTDIR' ? GONE : UNSEEN };
  } finally {
    await file?.close();
  }
}

const isWithin = (root: string, real: string): boolean => real.startsWith(root.endsWith(sep) ? root : root + sep);

/** Undefined: it is larger than the limit, whatever its reported size. */
async function contentOf(file: FileHandle): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of file.createReadStream({ autoClose: false, end: MOST_BYTES })) {
    parts.push(part);
    size += part.length;
  }
  return size > MOST_BYTES ? undefined : Buffer.concat(parts);
}
