// The files that an action names and that are in its work folder: which they are, and what they hold. A command is read
// for words that are such files, without understanding it: one too many is only looked at. Files outside of the folder are
// left alone, also where a link leads to them by now. Owns reading; what follows from a change is decided elsewhere.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { NamedFile } from '../core/ask.ts';

/** A file by what it holds; `text` where that is short enough to be shown. */
export interface FileRead extends NamedFile {
  text?: string | undefined;
}

const PATH_FIELDS = new Set(['file_path', 'notebook_path', 'path']);
const COMMAND_FIELDS = new Set(['command', 'cmd']);
/** A quote that is never closed ends with the command: so each character is looked at once. */
const WORD = /"((?:[^"\\]|\\[\s\S]?)*)(?:"|$)|'([^']*)(?:'|$)|[^\s"'`;|&<>()]+/g;
const MOST_COMMAND_CHARACTERS = 64 * 1024;
const MOST_NAMES = 1000;
const MOST_FILES = 32;
const MOST_DEPTH = 6;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SHOWN_BYTES = 64 * 1024;

/** In place of a hash: there is nothing of that name any more, or nothing that may be looked at. */
const GONE = 'gone';
const UNSEEN = 'unseen';

export const isGone = ({ sha256 }: NamedFile): boolean => sha256 === GONE;
export const isUnseen = ({ sha256 }: NamedFile): boolean => sha256 === UNSEEN;

export async function namedFiles(
  input: Readonly<Record<string, unknown>>,
  folder: string | undefined,
): Promise<FileRead[]> {
  if (folder === undefined) return [];
  const base = typeof input.cwd === 'string' ? resolve(folder, input.cwd) : folder;
  const names = [...new Set(namesIn(input, 0))].slice(0, MOST_NAMES);
  const found: FileRead[] = [];
  for (const path of new Set(names.map((name) => resolve(base, name)))) {
    const file = await read(path, folder);
    if (!isGone(file) && !isUnseen(file)) found.push(file);
    if (found.length === MOST_FILES) break;
  }
  return found;
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
  for (const [word, double, single] of command.matchAll(WORD)) {
    const text = double ?? single ?? word;
    yield text;
    const value = text.indexOf('=');
    if (value > 0) yield text.slice(value + 1);
  }
}

async function read(path: string, folder: string | undefined): Promise<FileRead> {
  let file: FileHandle | undefined;
  try {
    if (!isWithin(await realpath(folder ?? ''), await realpath(path))) return { path, sha256: UNSEEN };
    // What it is, is asked of the very thing that is read; and a pipe that nobody writes to is not waited for.
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

/** Undefined: it holds more than is looked at, whatever it says of its size. */
async function contentOf(file: FileHandle): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of file.createReadStream({ autoClose: false, end: MOST_BYTES })) {
    parts.push(part);
    size += part.length;
  }
  return size > MOST_BYTES ? undefined : Buffer.concat(parts);
}
