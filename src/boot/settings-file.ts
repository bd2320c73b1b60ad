// Reads a settings file of the server, and reads it again when it has changed. A file that is not understood is refused at
// the start, unless there is something to start with; a server that runs keeps what it understood last and reports the fault.
import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import { fail } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';

interface Watch<T> {
  path: string;
  /** In the plural, for the fault: "The rules that were read before still apply." */
  what: string;
  /** `before`: what was read last; undefined the first time. */
  load(before?: T): T;
  /** What a server starts with while the file is not understood. Without it, the server does not start. */
  fallback?: T;
  /** The file is looked at once in this time at most; at every call by default. */
  everyMs?: number;
  onFault(message: string): void;
}

export interface WatchedFile<T> {
  value(): T;
  fault(): string | undefined;
}

export function watchFile<T>({ path, what, load, fallback, everyMs = 0, onFault }: Watch<T>): WatchedFile<T> {
  let seen = stateOf(path);
  let looked = performance.now();
  let fault: string | undefined;
  const report = (error: unknown, instead: string) => {
    fault = `${(error as Error).message} ${instead}`;
    onFault(fault);
  };
  const first = (): T => {
    try {
      return load();
    } catch (error) {
      if (fallback === undefined) throw error;
      report(error, `No ${what} apply until it is repaired.`);
      return fallback;
    }
  };
  let value = first();
  const look = () => {
    if (performance.now() - looked < everyMs) return;
    looked = performance.now();
    const state = stateOf(path);
    if (state === seen) return;
    seen = state;
    fault = undefined;
    try {
      value = load(value);
    } catch (error) {
      report(error, `The ${what} that were read before still apply.`);
    }
  };
  return {
    value() {
      look();
      return value;
    },
    fault() {
      look();
      return fault;
    },
  };
}

/** Undefined: there is no such file. */
export function readSettings<S extends z.ZodType>(
  path: string,
  format: { name: string; parse(text: string): unknown },
  schema: S,
): z.infer<S> | undefined {
  const text = textOf(path);
  if (text === undefined) return undefined;
  const read = schema.safeParse(parsed(path, format, text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw fail(
    'invalid_request',
    `${path}: ${where === '' ? 'it' : where} ${issue ? issueText(issue) : 'is not valid'}.`,
  );
}

/** Another text for another state of the file. */
function stateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}` : 'none';
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fail('invalid_request', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function parsed(path: string, { name, parse }: { name: string; parse(text: string): unknown }, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw fail('invalid_request', `${path} is not ${name}: ${(error as Error).message}`);
  }
}
