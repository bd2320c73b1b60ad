// Recognises an action that writes a whole file, and finds what the request shows of the one that it replaces. Pure.
import type { NamedFile } from './ask.ts';
import { credentialsIn, resolved } from './risk/paths.ts';

const FILE_KEYS = ['file_path', 'path', 'file'];

/** The absolute path, where the input names a file and its whole content and nothing else. */
export function writtenPath(input: Readonly<Record<string, unknown>>, base: string | undefined): string | undefined {
  const { content, ...others } = input;
  const [[key = '', file] = [], ...more] = Object.entries(others);
  if (typeof content !== 'string' || typeof file !== 'string' || more.length > 0 || !FILE_KEYS.includes(key))
    return undefined;
  if (file.startsWith('/')) return resolved(file);
  return base?.startsWith('/') ? resolved(`${base}/${file}`) : undefined;
}

/** The file that it replaces may be sent with the request: it is not one of secrets. */
export function replacedPath(input: Readonly<Record<string, unknown>>, base: string): string | undefined {
  const path = writtenPath(input, base);
  return path !== undefined && credentialsIn([path]) === undefined ? path : undefined;
}

/** What is lost, where the file is known to exist: `240 lines of CHANGELOG.md`. */
export function replacedWhy(
  input: Readonly<Record<string, unknown>>,
  base: string | undefined,
  files: readonly NamedFile[],
): string | undefined {
  const path = writtenPath(input, base);
  const found = files.find((file) => file.path === path);
  if (!found) return undefined;
  const name = base !== undefined && found.path.startsWith(`${base}/`) ? found.path.slice(base.length + 1) : found.path;
  if (found.text === undefined) return `${name} exists, and what it holds is not shown`;
  if (String(input.content).startsWith(found.text)) return undefined;
  const lines = found.text.trimEnd().split('\n').length;
  return `${name} exists and has ${lines === 1 ? '1 line' : `${lines} lines`}`;
}
