// Reads a file with a secret that a person names, and refuses one that every user of the machine can read. A group may: such
// files are often mounted for one.
import { readFileSync, statSync } from 'node:fs';
import { shellQuote } from './shell-quote.ts';

const ANYONE = 0o007;

export function readPrivateFile(path: string): string {
  if (process.platform !== 'win32' && (statSync(path).mode & ANYONE) !== 0)
    throw new Error(
      `every user of this machine can read or replace ${path}, so its secret may be known. Make a new secret, and run: chmod o= ${shellQuote(path)}`,
    );
  return readFileSync(path, 'utf8');
}
