// The files that an action names and that are in its work folder: which they are, and what they hold. A command is read
// for words that are such files, without understanding it: one too many is only looked at. Files outside of the folder are
// left alone. Owns reading; what follows from a change is decided elsewhere.
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
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
const MOST_NAMES = 1000;
const MOST_FILES = 32;
const MOST_DEPTH = 6;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SHOWN_BYTES = 64 * 1024;
/** In place of a hash, where there is nothing to be read any more. */
const GONE = 'gone';

export async function namedFiles(
  input: Readonly<Record<string, unknown>>,
  folder: string | undefined,
): Promise<FileRead[]> {
  const root = folder === undefined ? undefined : await realpath(folder).catch(() => undefined);
  if (folder === undefined || root === undefined) return [];
  const base = typeof input.cwd === 'string' ? resolve(folder, input.cwd) : folder;
  const found: FileRead[] = [];
  for (const name of [...new Set(namesIn(input, 0))].slice(0, MOST_NAMES)) {
    const path = resolve(base, name);
    const file = (await isWithin(root, path)) ? await read(path) : undefined;
    if (file && !found.some((other) => other.path === path)) found.push(file);
    if (found.length === MOST_FILES) break;
  }
  return found;
}

/** The same files as they are now. */
export const readAgain = (files: readonly NamedFile[]): Promise<FileRead[]> =>
  Promise.all(files.map(async ({ path }) => (await read(path)) ?? { path, sha256: GONE }));

export const isGone = ({ sha256 }: NamedFile): boolean => sha256 === GONE;

function* namesIn(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
  for (const [field, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') yield* namesIn(inner, depth + 1);
    else if (PATH_FIELDS.has(field)) yield inner;
    else if (COMMAND_FIELDS.has(field)) yield* wordsOf(inner);
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

async function isWithin(root: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  return real?.startsWith(root.endsWith(sep) ? root : root + sep) ?? false;
}

async function read(path: string): Promise<FileRead | undefined> {
  try {
    const { size } = await stat(path).then((found) => (found.isFile() ? found : Promise.reject(found)));
    if (size > MOST_BYTES) return undefined;
    const content = await readFile(path);
    const text = content.byteLength <= MOST_SHOWN_BYTES && !content.includes(0) ? content.toString('utf8') : undefined;
    return { path, sha256: createHash('sha256').update(content).digest('hex'), text };
  } catch {
    return undefined;
  }
}
